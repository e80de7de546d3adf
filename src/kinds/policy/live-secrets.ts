import type { Value } from "../../json.js";
import { documentOf } from "./compare-policies.js";
import { type PolicyPlace, documentPlace, isSecretAt, placeOfItem, placeOfMember } from "./place.js";
import { isValueObject } from "./secret-places.js";
import { sourcesOf } from "./sources.js";

/** The texts that a live policy holds where another policy, a manifest's, names sources. */
export function liveSecretsOf(live: Value, desired: Value): readonly string[] {
  const [document, sources] = [documentOf(live), sourcesOf(documentOf(desired))];
  if (document === undefined || sources === undefined) return [];
  const found: string[] = [];
  const visit = (value: Value | undefined, place: PolicyPlace): void => {
    if (isSecretAt(value, place)) found.push(...textsIn(value));
    else if (Array.isArray(value)) {
      const list: readonly Value[] = value;
      for (const [at, item] of list.entries()) visit(item, placeOfItem(list, at, place));
    } else if (isValueObject(value))
      for (const member of Object.keys(value)) visit(value[member], placeOfMember(value, member, place));
  };
  visit(document, { ...documentPlace, sources });
  return found;
}

function textsIn(value: Value | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((part: Value | undefined) => textsIn(part));
}
