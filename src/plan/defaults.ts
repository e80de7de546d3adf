import { type Spec, type Value, isObject } from "../core/json.js";
import { moduleMember } from "../kinds/impact.js";
import type { Field, Kind } from "../kinds/kind.js";
import { specPath } from "./diff.js";

export interface WithDefaults {
  readonly spec: Spec;
  readonly remarks: Remarks;
}

export interface Remarks {
  /** Modules that the manifest removes, that can only be disabled, and that are live and enabled. */
  readonly disabled: readonly string[];
  /** Why fields that the manifest does not name don't inherit what is live, by path. */
  readonly overruled: ReadonlyMap<string, string>;
}

/** Fills in what a manifest leaves out, so that both sides of the diff are complete. `live` is null for a create. */
export function applyDefaults(
  kind: Kind,
  desired: Spec,
  live: Spec | null,
  options: { readonly ignore: readonly string[]; readonly moduleEndpoints: readonly string[] },
): WithDefaults {
  const spec: Record<string, Value> = {};
  const candidates: string[] = [];
  for (const { field, name } of kind.fieldList) {
    const current = live?.[name] ?? null;
    let value = desired[name] ?? null;
    if (desired[name] === undefined) value = unsetValue(field, live === null ? (field.initial ?? null) : current);
    // The service doesn't show what it has, and can't be asked to change it.
    else if (live !== null && field.unset === "inherit" && field.write === "create" && current === null) value = null;
    if (field.module !== undefined && isObject(value)) {
      const { memberList } = field.module;
      const said = value;
      const members = memberList.map(({ field: member, name: key }) => [
        key,
        said[key] ?? (said[key] === undefined ? unsetValue(member, moduleMember(current, key)) : null),
      ]);
      value = Object.fromEntries(members) as Spec;
    } else if (field.module !== undefined && isObject(current) && !removable(kind, name, options.moduleEndpoints)) {
      if (current["enabled"] !== false) candidates.push(name);
      value = { ...current, enabled: false };
    }
    spec[name] = value;
  }
  if (live === null) return { spec: kind.repair(spec), remarks: { disabled: [], overruled: new Map() } };
  for (const path of options.ignore) keepLiveValue(kind, { spec, live }, path);
  // `lifecycle.ignore` may have put the live module back.
  const disabled = candidates.filter((name) => moduleMember(spec[name] ?? null, "enabled") === false);
  const overruled = overruleLive(kind, spec, withoutIgnored(desired, options.ignore), options.ignore);
  return { spec: kind.repair(spec), remarks: { disabled, overruled } };
}

function unsetValue({ unset }: Field, inherited: Value): Value {
  return unset === "inherit" ? inherited : unset.value;
}

/** Without the fields that it leaves to whoever changes them live. */
export function withoutIgnored(desired: Spec, ignore: readonly string[]): Spec {
  const said = { ...desired };
  for (const path of ignore) {
    const { field = "", member } = specPath(path) ?? {};
    const value = said[field];
    if (member === undefined) delete said[field];
    else if (isObject(value)) said[field] = omit(value, member);
  }
  return said;
}

function omit(object: Spec, member: string): Spec {
  const { [member]: _omitted, ...rest } = object;
  return rest;
}

/** Replaces inherited members that the rest of the manifest rules out; returns why, by path. */
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

/** Not for what the API doesn't return: a replacement needs that. */
function keepLiveValue(
  kind: Kind,
  { live, spec }: { readonly live: Spec; readonly spec: Record<string, Value> },
  path: string,
): void {
  const { field = "", member } = specPath(path) ?? {};
  if (!(field in spec) || kind.fields[field]?.writeOnly === true) return;
  const [current, value] = [live[field] ?? null, spec[field] ?? null];
  if (member === undefined) spec[field] = current;
  else if (isObject(value) && isObject(current) && member in current)
    spec[field] = { ...value, [member]: moduleMember(current, member) };
}
