import type { DocumentPath } from "../core/document-path.js";
import { isObject } from "../core/json.js";
import type { Field } from "../kinds/kind.js";
import { type KindName, kindNames } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";

/** A field of a spec by its path: one step, or two for a member of a module. */
export interface SpecField {
  readonly path: readonly [string] | readonly [string, string];
  /** The same path in a document: with `spec` before it. */
  readonly inDocument: DocumentPath;
  readonly field: Field;
}

const fieldsByKind: ReadonlyMap<KindName, readonly SpecField[]> = new Map(
  kindNames.map((kind) => [kind, fieldsIn(kind)]),
);

/**
 * A selection of the fields of {@link specFieldsOf}, made once for each kind: checks ask for it for every manifest, and of most
 * kinds it has few fields or none.
 */
export function fieldsWhere(isWanted: (field: Field) => boolean): (kind: KindName) => readonly SpecField[] {
  const byKind = new Map<KindName, readonly SpecField[]>();
  return (kind) => {
    let wanted = byKind.get(kind);
    if (wanted === undefined) byKind.set(kind, (wanted = specFieldsOf(kind).filter(({ field }) => isWanted(field))));
    return wanted;
  };
}

/** Those of {@link specFieldsOf} that hold a traffic policy. */
export const policiesOf = fieldsWhere(({ content }) => content === "policy");

/** Those of {@link specFieldsOf} that hold a secret. */
export const secretsOf = fieldsWhere(({ secret }) => secret === true);

/** Those of {@link specFieldsOf} that may name a file or the source of a secret. */
export const resolvedFieldsOf = fieldsWhere(({ content, secret }) => secret === true || content !== undefined);

/** All fields of a kind, including the members of its modules. */
export function specFieldsOf(kind: KindName): readonly SpecField[] {
  return fieldsByKind.get(kind) ?? [];
}

function fieldsIn(kind: KindName): readonly SpecField[] {
  return Object.entries(kinds[kind].fields).flatMap(([name, field]) => [
    { path: [name] as const, inDocument: ["spec", name], field },
    ...Object.entries(field.module?.members ?? {}).map(([member, inner]) => ({
      path: [name, member] as const,
      inDocument: ["spec", name, member],
      field: inner,
    })),
  ]);
}

/** The value of a field in a spec of any shape. */
export function specValueAt(spec: unknown, path: SpecField["path"]): unknown {
  const field = memberOf(spec, path[0]);
  return path[1] === undefined ? field : memberOf(field, path[1]);
}

function memberOf(value: unknown, member: string): unknown {
  return isObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
}
