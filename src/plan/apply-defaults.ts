import { type Spec, type Value, isObject } from "../json.js";
import type { Field, Kind, NamedField } from "../kinds/kind.js";
import { specPath } from "./diff.js";

/** A spec in which no field is left out, and the modules that had to be disabled for it. */
export interface WithDefaults {
  readonly spec: Spec;
  /** Modules that the manifest removes, that can only be disabled, and that are live and enabled. */
  readonly disabled: readonly string[];
}

const none: readonly string[] = [];

/**
 * Fills in what a manifest leaves out, so that both sides of the diff are complete: defaults, values inherited from
 * live, fields of `lifecycle.ignore`, and modules that can't be removed but only disabled.
 * @param live null when the resource is to be made
 */
export function applyDefaults(
  kind: Kind,
  desired: Spec,
  live: Spec | null,
  options: { readonly ignore: readonly string[]; readonly moduleEndpoints: readonly string[] },
): WithDefaults {
  const spec: Record<string, Value> = {};
  let disabled: string[] | null = null;
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
        if (current["enabled"] !== false) (disabled ??= []).push(name);
        value = { ...(current as { [member: string]: Value }), enabled: false };
      }
    }
    spec[name] = value;
  }
  for (const path of options.ignore) if (live !== null) keepLiveValue(spec, live, path);
  // `lifecycle.ignore` may have put the live module back.
  const stillDisabled = disabled?.filter((name) => enabledOf(spec[name]) === false) ?? none;
  return { spec: kind.repair?.(spec) ?? spec, disabled: stillDisabled };
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

/** Puts the live value where an ignored path points to; a member of a module only when both sides have the module. */
function keepLiveValue(spec: Record<string, Value>, live: Spec, path: string): void {
  const { field, member } = specPath(path) ?? {};
  if (field === undefined || !(field in spec)) return;
  const current = live[field] ?? null;
  if (member === undefined) {
    spec[field] = current;
    return;
  }
  const value = spec[field];
  if (!isObject(value) || !isObject(current) || !(member in current)) return;
  spec[field] = { ...(value as { [m: string]: Value }), [member]: current[member] ?? null };
}
