import { isObject } from "../json.js";
import type { Field } from "../kinds/kind.js";
import { type KindName, kindNames } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";

/** A field of a spec by its path: one step, or two for a member of a module. */
export interface SpecField {
  readonly path: readonly [string] | readonly [string, string];
  readonly field: Field;
  /** The form of its content file; null for a field that takes no `{file: path}`. */
  readonly form: ContentForm | null;
}

/** How the content of a file becomes the value of a field: as text, or as a policy, which may be YAML. */
export type ContentForm = "text" | "policy";

/** The fields that take `{file: path}`, by their path. */
const contentForms: { readonly [path: string]: ContentForm } = {
  certificate_pem: "text",
  body: "text",
  "traffic_policy.value": "policy",
};

const fieldsByKind: ReadonlyMap<KindName, readonly SpecField[]> = new Map(
  kindNames.map((kind) => [kind, fieldsIn(kind)]),
);

/** All fields of a kind, including the members of its modules. */
export function specFieldsOf(kind: KindName): readonly SpecField[] {
  return fieldsByKind.get(kind) ?? [];
}

function fieldsIn(kind: KindName): readonly SpecField[] {
  return Object.entries(kinds[kind].fields).flatMap(([name, field]) => [
    { path: [name] as const, field, form: contentForms[name] ?? null },
    ...Object.entries(field.module?.members ?? {}).map(([member, inner]) => ({
      path: [name, member] as const,
      field: inner,
      form: contentForms[`${name}.${member}`] ?? null,
    })),
  ]);
}

/** The value of a field in a spec of any shape. */
export function specValueAt(spec: unknown, path: SpecField["path"]): unknown {
  let value: unknown = spec;
  for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}
