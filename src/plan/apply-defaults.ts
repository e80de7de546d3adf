import { type Spec, type Value, isObject } from "../json.js";
import { type Kind, fieldList } from "../kinds/kind.js";

/** A spec that says everything, and what had to be decided on the way. */
export interface WithDefaults {
  readonly spec: Spec;
  /** Modules that can only be disabled and are live and enabled, although the manifest doesn't name them. */
  readonly disabled: readonly string[];
}

const none: readonly string[] = [];

/**
 * Fills in what a manifest leaves out, so that the diff after it is symmetric: defaults, what is inherited from live,
 * what `lifecycle.ignore` leaves alone, and modules that can't be removed but only disabled.
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
  for (const { field, name } of fieldList(kind.fields)) {
    const current = live === null ? undefined : live[name];
    let value = desired[name];
    if (value === undefined) value = field.unset === "inherit" ? (current ?? field.initial ?? null) : field.unset.value;
    if (field.module !== undefined) {
      if (isObject(value)) value = applyMemberDefaults(field.module.members, value, current ?? null);
      else if (value === null && isObject(current) && !removable(kind, name, options.moduleEndpoints)) {
        if (current["enabled"] !== false) (disabled ??= []).push(name);
        value = { ...(current as { [member: string]: Value }), enabled: false };
      }
    }
    spec[name] = value;
  }
  for (const path of options.ignore) if (live !== null) keepLiveValue(spec, live, path);
  // What is ignored was put back, and so is not disabled after all.
  const stillDisabled = disabled?.filter((name) => enabledOf(spec[name]) === false) ?? none;
  return { spec: kind.repair?.(spec) ?? spec, disabled: stillDisabled };
}

function enabledOf(module: Value | undefined): unknown {
  return isObject(module) ? module["enabled"] : undefined;
}

/** Whether a module can be taken away by a DELETE of its own. */
export function removable(kind: Kind, field: string, moduleEndpoints: readonly string[]): boolean {
  const module = kind.fields[field]?.module;
  return module !== undefined && (module.endpoint || (kind.collection !== null && moduleEndpoints.includes(field)));
}

function applyMemberDefaults(
  members: NonNullable<Kind["fields"][string]["module"]>["members"],
  given: { readonly [member: string]: unknown },
  live: Value,
): Value {
  const settled: Record<string, Value> = {};
  for (const { field: member, name } of fieldList(members)) {
    const value = given[name] as Value | undefined;
    if (value !== undefined) settled[name] = value;
    else if (member.unset !== "inherit") settled[name] = member.unset.value;
    else settled[name] = isObject(live) ? (live[name] ?? null) : null;
  }
  return settled;
}

/** Puts the live value where an ignored path points to; a member of a module only when both sides have the module. */
function keepLiveValue(spec: Record<string, Value>, live: Spec, path: string): void {
  const [root, field, member] = path.split(".");
  if (root !== "spec" || field === undefined || !(field in spec)) return;
  const current = live[field] ?? null;
  if (member === undefined) {
    spec[field] = current;
    return;
  }
  const value = spec[field];
  if (!isObject(value) || !isObject(current) || !(member in current)) return;
  spec[field] = { ...(value as { [m: string]: Value }), [member]: current[member] ?? null };
}
