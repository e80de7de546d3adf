import { isObject } from "../json.js";
import type { Field } from "../kinds/kind.js";
import { type KindName, kindNames } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";

/** A field of a spec by its path: one step, or two for a member of a module. */
export interface SpecField {
  readonly path: readonly [string] | readonly [string, string];
  readonly field: Field;
}

const fieldsByKind: ReadonlyMap<KindName, readonly SpecField[]> = new Map(
  kindNames.map((kind) => [kind, fieldsIn(kind)]),
);

const policiesByKind: ReadonlyMap<KindName, readonly SpecField[]> = new Map(
  kindNames.map((kind) => [kind, specFieldsOf(kind).filter(({ field }) => field.content === "policy")]),
);

/** Those of {@link specFieldsOf} that hold a traffic policy: most kinds have none, and checks ask for them often. */
export function policiesOf(kind: KindName): readonly SpecField[] {
  return policiesByKind.get(kind) ?? [];
}

const resolvedByKind: ReadonlyMap<KindName, readonly SpecField[]> = new Map(
  kindNames.map((kind) => [
    kind,
    specFieldsOf(kind).filter(({ field }) => field.secret === true || field.content !== undefined),
  ]),
);

/** Those of {@link specFieldsOf} that may name a file or the source of a secret. */
export function resolvedFieldsOf(kind: KindName): readonly SpecField[] {
  return resolvedByKind.get(kind) ?? [];
}

/** All fields of a kind, including the members of its modules. */
export function specFieldsOf(kind: KindName): readonly SpecField[] {
  return fieldsByKind.get(kind) ?? [];
}

function fieldsIn(kind: KindName): readonly SpecField[] {
  return Object.entries(kinds[kind].fields).flatMap(([name, field]) => [
    { path: [name] as const, field },
    ...Object.entries(field.module?.members ?? {}).map(([member, inner]) => ({
      path: [name, member] as const,
      field: inner,
    })),
  ]);
}

/** The value of a field in a spec of any shape. */
export function specValueAt(spec: unknown, path: SpecField["path"]): unknown {
  let value: unknown = spec;
  for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}
