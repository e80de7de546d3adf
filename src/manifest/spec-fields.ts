import { isObject } from "../json.js";
import type { Field } from "../kinds/kind.js";
import type { KindName } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";

/** A field of a spec by its path: one step, or two for a member of a module. */
export interface SpecField {
  readonly path: readonly [string] | readonly [string, string];
  readonly field: Field;
  /** The form of its content file; null for a field that takes no `{file: path}`. */
  readonly form: ContentForm | null;
}

/** All fields of a kind, including the members of its modules. */
export function specFieldsOf(kind: KindName): readonly SpecField[] {
  let places = cache.get(kind);
  if (places === undefined) {
    places = Object.entries(kinds[kind].fields).flatMap(([name, field]): SpecField[] => {
      const members = Object.entries(field.module?.members ?? {});
      return [
        { path: [name], field, form: contentForms[name] ?? null },
        ...members.map(([member, inner]): SpecField => ({
          path: [name, member],
          field: inner,
          form: contentForms[`${name}.${member}`] ?? null,
        })),
      ];
    });
    cache.set(kind, places);
  }
  return places;
}

const cache = new Map<KindName, readonly SpecField[]>();

/** The value of a field in a spec of any shape. */
export function specValueAt(spec: unknown, path: SpecField["path"]): unknown {
  let value: unknown = spec;
  for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value;
}

/** How the content of a file becomes the value of a field. */
export type ContentForm = "text" | "pem" | "policy";

/** The fields that take `{file: path}`, by their path. */
const contentForms: { readonly [member: string]: ContentForm } = {
  certificate_pem: "pem",
  body: "text",
  "traffic_policy.value": "policy",
};
