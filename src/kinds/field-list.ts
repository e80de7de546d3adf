import type { Field } from "./kind.js";

/** A field, or a member of a module, with its name. */
export interface NamedField {
  readonly name: string;
  readonly field: Field;
}

const lists = new WeakMap<object, readonly NamedField[]>();

/** The fields of a kind, or the members of a module, as a list that is made once: planning walks it for every resource. */
export function fieldList(fields: { readonly [name: string]: Field }): readonly NamedField[] {
  const known = lists.get(fields);
  if (known !== undefined) return known;
  const made = Object.entries(fields).map(([name, field]): NamedField => ({ name, field }));
  lists.set(fields, made);
  return made;
}
