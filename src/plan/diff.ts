import { type Spec, type Value, isObject } from "../core/json.js";
import { moduleMember } from "../kinds/impact.js";
import type { Field, Kind } from "../kinds/kind.js";

export interface Difference {
  readonly field: string;
  readonly path: string;
  readonly before: Value;
  readonly after: Value;
}

export interface Differences {
  readonly changed: readonly Difference[];
  readonly uncertain: readonly string[];
}

/** Symmetric but for `before` and `after`. */
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

/** Null when the path is not `spec.field` or `spec.field.member`. */
export function specPath(path: string): { readonly field: string; readonly member?: string } | null {
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
