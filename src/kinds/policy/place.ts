import type { Value, ValueObject } from "../value.js";
import { isNamedSecret, isSecretPlace } from "./secret-places.js";
import type { Sources } from "./sources.js";

/** Where a value stands in a document. */
export interface Place {
  /** Whether it stands under the name of a secret. */
  readonly named: boolean;
  /** Where the manifest names sources here and below, when the document is the live one. */
  readonly sources: Sources | undefined;
}

/** The document itself. */
export const top: Place = { named: false, sources: undefined };

/** Whether what stands at a place is shown as `(secret)` as a whole. */
export function isSecretAt(value: Value | undefined, { named, sources }: Place): boolean {
  return isSecretPlace(value, named || sources?.here === true);
}

/** The place of the items of a list. */
export function itemsOf({ named, sources }: Place): Place {
  return { named: named || sources?.here === true, sources: sources?.items };
}

/** The place of a member of an object. */
export function memberOf(object: ValueObject, member: string, { sources }: Place): Place {
  return { named: isNamedSecret(object, member), sources: sources?.members.get(member) };
}
