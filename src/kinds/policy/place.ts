import type { Value, ValueObject } from "../../json.js";
import { Secret } from "../../secret.js";
import { isNamedSecret, isPairedSecret, isSecretPlace } from "./secret-places.js";
import type { Sources } from "./sources.js";

/** Where a value stands in a document. */
export interface PolicyPlace {
  /** Whether it stands under the name of a secret. */
  readonly named: boolean;
  /** Where the manifest names sources here and below, when the document is the live one. */
  readonly sources: Sources | undefined;
}

/** The document itself. */
export const documentPlace: PolicyPlace = { named: false, sources: undefined };

/** Whether what stands at a place is shown as `(secret)` as a whole. */
export function isSecretAt(value: Value | undefined, { named, sources }: PolicyPlace): boolean {
  // Whatever is live where a manifest names a source is secret; of a list each item is.
  if (sources?.here === true && !Array.isArray(value)) return value instanceof Secret || holdsAnyText(value);
  return isSecretPlace(value, named);
}

/** Whether any text or number is in a value, references among them. */
function holdsAnyText(value: Value | undefined): boolean {
  if (typeof value !== "object" || value === null)
    return typeof value === "number" || (typeof value === "string" && value !== "");
  return Object.values(value).some((part: Value | undefined) => holdsAnyText(part));
}

/** The place of an item of a list. */
export function placeOfItem(list: readonly Value[], at: number, { named, sources }: PolicyPlace): PolicyPlace {
  return {
    named: named || isPairedSecret(list, at),
    sources: sources?.here === true ? { ...sources, items: undefined } : sources?.items,
  };
}

/** The place of a member of an object. */
export function placeOfMember(object: ValueObject, member: string, { sources }: PolicyPlace): PolicyPlace {
  return { named: isNamedSecret(object, member), sources: sources?.members.get(member) };
}
