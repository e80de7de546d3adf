import { isObject, type Spec, type Value } from "../core/json.js";
import { moduleMember } from "../kinds/impact.js";
import type { Field, Kind } from "../kinds/kind.js";

export type Difference = Readonly<{
  field: string;
  path: string;
  before: Value;
  after: Value;
}>;

export type Differences = Readonly<{
  changed: readonly Difference[];
  uncertain: readonly string[];
}>;

export function diff(kind: Kind, before: Spec, after: Spec): Differences {
  const changed: Difference[] = [];
  const uncertain: string[] = [];
  for (const { field, name } of kind.fieldList) {
    if (field.writeOnly === true || field.write === "never") continue;
    const [from, to] = [before[name] ?? null, after[name] ?? null];
    if (from === to || field.codec.same(from, to) === true) continue;
    if (field.module === undefined || !isObject(from) || !isObject(to)) {
      changed.push({ field: name, path: `spec.${name}`, before: from, after: to });
      continue;
    }
    for (const { field: inner, name: member } of field.module.memberList) {
      const [old, next] = [moduleMember(from, member), moduleMember(to, member)];
      const isSame = inner.codec.same(old, next);
      const path = `spec.${name}.${member}`;
      if (isSame === null) uncertain.push(path);
      else if (!isSame) changed.push({ field: name, path, before: old, after: next });
    }
  }
  return { changed, uncertain };
}

export function immutableDifferences(kind: Kind, live: Spec, desired: Spec): readonly string[] {
  return kind.fieldList.flatMap(({ field: { codec, write, writeOnly }, name }) => {
    const isCompared = write === "create" && writeOnly !== true;
    return isCompared && codec.same(live[name] ?? null, desired[name] ?? null) === false ? [name] : [];
  });
}

export function specPath(path: string): Readonly<{ field: string; member?: string }> | null {
  const [root, field, member] = path.split(".");
  if (root !== "spec" || field === undefined) return null;
  return member === undefined ? { field } : { field, member };
}

export function fieldAt({ fields }: Kind, path: string): Field | undefined {
  const { field = "", member = "" } = specPath(path) ?? {};
  return fields[field]?.module?.members[member] ?? fields[field];
}

export function valueAt(spec: Spec, path: string): Value {
  const { field = "", member } = specPath(path) ?? {};
  const value = spec[field] ?? null;
  return member === undefined ? value : moduleMember(value, member);
}

export type WithDefaults = Readonly<{
  spec: Spec;
  /** Instead of being removed. */
  disabled: readonly string[];
  overruled: ReadonlyMap<string, string>;
}>;

export function applyDefaults(
  kind: Kind,
  desired: Spec,
  live: Spec | null,
  options: Readonly<{ ignore: readonly string[]; moduleEndpoints: readonly string[] }>,
): WithDefaults {
  const spec: Record<string, Value> = {};
  const candidates: string[] = [];
  for (const { field, name } of kind.fieldList) {
    const current = live?.[name] ?? null;
    let value = desired[name] ?? null;
    const inherited = live === null ? (field.initial ?? null) : current;
    if (desired[name] === undefined) value = field.unset === "inherit" ? inherited : field.unset.value;
    // What the service doesn't show can't be changed.
    else if (live !== null && field.unset === "inherit" && field.write === "create" && current === null) value = null;
    if (field.module !== undefined && isObject(value)) {
      const { memberList } = field.module;
      const said = value;
      const members = memberList.map(({ field: { unset }, name: key }): [string, Value] => {
        const { [key]: given = unset === "inherit" ? moduleMember(current, key) : unset.value } = said;
        return [key, given];
      });
      value = Object.fromEntries(members);
    } else if (field.module !== undefined && isObject(current) && !removable(kind, name, options.moduleEndpoints)) {
      if (current["enabled"] !== false) candidates.push(name);
      value = { ...current, enabled: false };
    }
    spec[name] = value;
  }
  if (live === null) return { spec: kind.repair(spec), disabled: [], overruled: new Map() };
  for (const path of options.ignore) {
    const { field = "", member } = specPath(path) ?? {};
    // A replacement needs what the API doesn't return.
    if (!(field in spec) || kind.fields[field]?.writeOnly === true) continue;
    const [current, value] = [live[field] ?? null, spec[field] ?? null];
    if (member === undefined) spec[field] = current;
    else if (isObject(value) && isObject(current) && member in current)
      spec[field] = { ...value, [member]: moduleMember(current, member) };
  }
  // `lifecycle.ignore` may have put the live module back.
  const disabled = candidates.filter((name) => moduleMember(spec[name] ?? null, "enabled") === false);
  const overruled = overruleLive(kind, spec, withoutIgnored(desired, options.ignore), options.ignore);
  return { spec: kind.repair(spec), disabled, overruled };
}

export function withoutIgnored(desired: Spec, ignore: readonly string[]): Spec {
  const said = { ...desired };
  for (const path of ignore) {
    const { field = "", member } = specPath(path) ?? {};
    const value = said[field];
    if (member === undefined) delete said[field];
    else if (isObject(value)) {
      const { [member]: _ignored, ...rest } = value;
      said[field] = rest;
    }
  }
  return said;
}

/** What the manifest rules out; returns why, by path. */
function overruleLive(
  kind: Kind,
  spec: Record<string, Value>,
  declared: Spec,
  ignore: readonly string[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { field, name } of kind.fieldList) {
    const [said, module] = [declared[name], spec[name] ?? null];
    if (!isObject(said) || !isObject(module)) continue;
    for (const { field: inner, name: member } of field.module?.memberList ?? []) {
      const path = `spec.${name}.${member}`;
      const live = moduleMember(module, member);
      const isKept = said[member] !== undefined || ignore.includes(path);
      const overruled = isKept ? null : (inner.overrule?.(live, declared) ?? null);
      if (overruled === null) continue;
      spec[name] = { ...module, [member]: overruled.value };
      const by = overruled.by.map((each) => `spec.${each}`).join(" and ");
      const [was, becomes] = [JSON.stringify(live), JSON.stringify(overruled.value)];
      found.set(path, `${path} is ${was} live, which rules out ${by}: it becomes ${becomes}`);
    }
  }
  return found;
}

export function removable(kind: Kind, field: string, moduleEndpoints: readonly string[]): boolean {
  const module = kind.fields[field]?.module;
  return module !== undefined && (module.endpoint || (kind.collection !== null && moduleEndpoints.includes(field)));
}
