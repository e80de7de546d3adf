import { type Spec, type Value, isObject } from "../json.js";
import type { Field, Kind, NamedField, Reference, ReferenceTarget } from "../kinds/kind.js";

/** What a reference stands for; null when that is not known, or nothing yet. */
type Resolve = (reference: Reference) => ReferenceTarget | null;

/**
 * Whether a manifest plainly says what is live. Most of an account is unchanged, so each resource is asked this first: the
 * answer takes no copy of the spec. True only if completing the spec by `applyDefaults`, resolving its references and
 * comparing it by `diff` would find no difference and nothing to remark. False says nothing: whatever is not plain
 * (removed modules, values that are overruled, references that can't be resolved) is left to those.
 * @param desired normal form, without defaults
 * @param live normal form
 */
export function isPlainlyUnchanged(kind: Kind, desired: Spec, live: Spec, resolve: Resolve): boolean {
  let isResolved = true;
  const resolveAll = (reference: Reference): ReferenceTarget | null => {
    const target = resolve(reference);
    if (target === null) isResolved = false;
    return target;
  };
  for (const { field, name } of kind.fieldList) {
    const current = live[name] ?? null;
    const given = desired[name];
    const isCompared = field.writeOnly !== true && field.write !== "never";
    // What a create alone can set is compared before references are resolved.
    const mayRefer = field.codec.resolve !== undefined && given !== undefined;
    if (mayRefer && (!isCompared || field.write === "create")) return false;
    if (!isCompared) continue;
    if (field.module === undefined) {
      const isHidden = current === null && field.unset === "inherit" && field.write === "create";
      if (!isHidden && !isSame(field, completed(field, given, current), current, resolveAll)) return false;
      continue;
    }
    const module = completed(field, given, current);
    if (module === null && current === null) continue;
    if (!isObject(module) || !isObject(current)) return false;
    if (!hasSameMembers(field.module.memberList, module, current, resolveAll)) return false;
    if (isObject(given) && field.module.memberList.some((each) => isOverruled(each, given, current, desired)))
      return false;
  }
  return isResolved && (kind.repair === undefined || kind.repair(live) === live);
}

function hasSameMembers(members: readonly NamedField[], module: Members, current: Members, resolve: Resolve): boolean {
  for (const { field, name } of members) {
    const live = current[name] ?? null;
    const value = completed(field, module[name], live);
    if (field.codec.same(live, resolvedBy(field, value, resolve)) !== true) return false;
  }
  return true;
}

type Members = { readonly [member: string]: Value | undefined };

function isOverruled({ field, name }: NamedField, given: Members, current: Members, desired: Spec): boolean {
  if (field.overrule === undefined || given[name] !== undefined) return false;
  return field.overrule(completed(field, undefined, current[name] ?? null), desired) !== null;
}

/** A field with its default, or what it inherits. */
function completed(field: Field, given: Value | undefined, live: Value): Value {
  if (given !== undefined) return given;
  return field.unset === "inherit" ? live : field.unset.value;
}

function isSame(field: Field, value: Value, live: Value, resolve: Resolve): boolean {
  const wanted = resolvedBy(field, value, resolve);
  return wanted === live || field.codec.same(live, wanted) === true;
}

function resolvedBy(field: Field, value: Value, resolve: Resolve): Value {
  return value === null || field.codec.resolve === undefined ? value : field.codec.resolve(value, resolve);
}
