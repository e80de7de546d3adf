import { type Spec, type Value, isObject } from "../core/json.js";
import type { Field, Kind, NamedField } from "../kinds/kind.js";
import { specPath } from "./diff.js";

/** A spec in which no field is left out. */
export interface WithDefaults {
  readonly spec: Spec;
  readonly remarks: Remarks;
}

/** What readers should know of how a spec was completed. */
export interface Remarks {
  /** Modules that the manifest removes, that can only be disabled, and that are live and enabled. */
  readonly disabled: readonly string[];
  /** Why fields that the manifest does not name don't inherit what is live, by path. */
  readonly overruled: ReadonlyMap<string, string>;
  /** Paths that the manifest names to no effect, because of a live value that it ignores. */
  readonly ineffective: readonly string[];
}

/**
 * Fills in what a manifest leaves out, so that both sides of the diff are complete: defaults, values inherited from
 * live, fields of `lifecycle.ignore`, and modules that can't be removed but only disabled. What a manifest names beats
 * what it would inherit; what it ignores stays as it is live.
 * @param live null when the resource is to be made
 */
export function applyDefaults(
  kind: Kind,
  desired: Spec,
  live: Spec | null,
  options: { readonly ignore: readonly string[]; readonly moduleEndpoints: readonly string[] },
): WithDefaults {
  const spec: Record<string, Value> = {};
  const disabled: string[] = [];
  for (const { field, name } of kind.fieldList) {
    const current = live === null ? undefined : live[name];
    let value = desired[name];
    if (value === undefined) value = field.unset === "inherit" ? inherited(field, live, current) : field.unset.value;
    // The service doesn't show what it has, and can't be asked to change it: there is nothing to compare.
    else if (live !== null && field.unset === "inherit" && field.write === "create")
      value = (current ?? null) === null ? null : value;
    if (field.module !== undefined) {
      if (isObject(value)) value = applyMemberDefaults(field.module.memberList, value, current ?? null);
      else if (value === null && isObject(current) && !removable(kind, name, options.moduleEndpoints)) {
        if (current["enabled"] !== false) disabled.push(name);
        value = { ...(current as { [member: string]: Value }), enabled: false };
      }
    }
    spec[name] = value;
  }
  for (const path of options.ignore) if (live !== null) keepLiveValue(kind, { spec, live }, path);
  // `lifecycle.ignore` may have put the live module back.
  const stillDisabled = disabled.filter((name) => enabledOf(spec[name]) === false);
  const declared = live === null ? desired : withoutIgnored(desired, options.ignore);
  const overruled = live === null ? new Map<string, string>() : overruleLive(kind, spec, declared, options.ignore);
  const repaired = kind.repair?.(spec) ?? spec;
  const ineffective = repaired === spec ? [] : namedInVain(kind, declared, repaired);
  return { spec: repaired, remarks: { disabled: stillDisabled, overruled, ineffective } };
}

/** What a manifest says of a live resource: without the fields that it leaves to whoever changes them live. */
export function withoutIgnored(desired: Spec, ignore: readonly string[]): Spec {
  let said = desired;
  for (const path of ignore) {
    const { field, member } = specPath(path) ?? {};
    if (field === undefined || said[field] === undefined) continue;
    const { [field]: value, ...others } = said;
    if (member === undefined) said = others;
    else if (isObject(value) && member in value) {
      const { [member]: _ignored, ...rest } = value as { readonly [m: string]: Value };
      said = { ...others, [field]: rest };
    }
  }
  return said;
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
    const module = spec[name];
    const said = declared[name];
    if (field.module === undefined || !isObject(module) || !isObject(said)) continue;
    for (const { field: inner, name: member } of field.module.memberList) {
      const path = `spec.${name}.${member}`;
      if (inner.overrule === undefined || said[member] !== undefined || ignore.includes(path)) continue;
      const live = module[member] ?? null;
      const overruled = inner.overrule(live, declared);
      if (overruled === null) continue;
      spec[name] = { ...(spec[name] as { [m: string]: Value }), [member]: overruled.value };
      const by = overruled.by.map((each) => `spec.${each}`).join(" and ");
      found.set(path, `${path} is ${show(live)} live, which rules out ${by}: it becomes ${show(overruled.value)}`);
    }
  }
  return found;
}

/** The members of modules that a manifest names and that the spec has otherwise. */
function namedInVain(kind: Kind, declared: Spec, spec: Spec): readonly string[] {
  return kind.fieldList.flatMap(({ field, name }) => {
    const [said, module] = [declared[name], spec[name]];
    if (field.module === undefined || !isObject(said) || !isObject(module)) return [];
    return field.module.memberList.flatMap(({ field: inner, name: member }) => {
      const value = said[member];
      const differs = value !== undefined && inner.codec.same(value, module[member] ?? null) === false;
      return differs ? [`spec.${name}.${member}`] : [];
    });
  });
}

function show(value: Value): string {
  return JSON.stringify(value);
}

/** What a field that inherits has: its live value, which some services don't show, or what a create begins with. */
function inherited(field: Field, live: Spec | null, current: Value | undefined): Value {
  return (live === null ? field.initial : current) ?? null;
}

function enabledOf(module: Value | undefined): unknown {
  return isObject(module) ? module["enabled"] : undefined;
}

/** Whether a module can be removed by a DELETE of its own. */
export function removable(kind: Kind, field: string, moduleEndpoints: readonly string[]): boolean {
  const module = kind.fields[field]?.module;
  return module !== undefined && (module.endpoint || (kind.collection !== null && moduleEndpoints.includes(field)));
}

function applyMemberDefaults(
  members: readonly NamedField[],
  given: { readonly [member: string]: unknown },
  live: Value,
): Value {
  const complete: Record<string, Value> = {};
  for (const { field: member, name } of members) {
    const value = given[name] as Value | undefined;
    if (value !== undefined) complete[name] = value;
    else if (member.unset !== "inherit") complete[name] = member.unset.value;
    else complete[name] = isObject(live) ? (live[name] ?? null) : null;
  }
  return complete;
}

/**
 * Puts the live value where an ignored path points to; a member of a module only when both sides have the module. Of what
 * the API doesn't return there is no live value to keep: a replacement needs what the manifest says.
 */
function keepLiveValue(
  kind: Kind,
  { live, spec }: { readonly live: Spec; readonly spec: Record<string, Value> },
  path: string,
): void {
  const { field, member } = specPath(path) ?? {};
  if (field === undefined || !(field in spec) || kind.fields[field]?.writeOnly === true) return;
  const current = live[field] ?? null;
  if (member === undefined) {
    spec[field] = current;
    return;
  }
  const value = spec[field];
  if (!isObject(value) || !isObject(current) || !(member in current)) return;
  spec[field] = { ...(value as { [m: string]: Value }), [member]: current[member] ?? null };
}
