import { type Value, type ValueObject, isObject } from "../../core/json.js";
import { Secret } from "../../core/secret.js";
import { isNamedSecret, isSecretPlace, isValueObject, partsOf } from "./secret-places.js";

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

/** The place of each item of a list. */
export function placeOfItem({ named, sources }: PolicyPlace): PolicyPlace {
  return { named, sources: sources?.here === true ? { ...sources, items: undefined } : sources?.items };
}

/** The place of a member of an object. */
export function placeOfMember(object: ValueObject, member: string, { sources }: PolicyPlace): PolicyPlace {
  return { named: isNamedSecret(object, member), sources: sources?.members.get(member) };
}

/**
 * Where a document names sources, the items of a list taken together. What is live at such a place is a secret whatever
 * its name.
 */
export interface Sources {
  readonly here: boolean;
  readonly items: Sources | undefined;
  readonly members: ReadonlyMap<string, Sources>;
}

/** The places of all sources in a document; undefined when it has none. */
export function sourcesOf(value: Value | undefined): Sources | undefined {
  if (value instanceof Secret) return { here: true, items: undefined, members: new Map() };
  if (Array.isArray(value)) {
    const items = (value as readonly Value[]).reduce<Sources | undefined>(
      (found, item) => mergedSources(found, sourcesOf(item)),
      undefined,
    );
    return items === undefined ? undefined : { here: false, items, members: new Map() };
  }
  if (!isValueObject(value)) return undefined;
  const members = new Map<string, Sources>();
  for (const member of Object.keys(value)) {
    const found = sourcesOf(value[member]);
    if (found !== undefined) members.set(member, found);
  }
  return members.size === 0 ? undefined : { here: false, items: undefined, members };
}

/** Whether a source stands where no name marks it as a secret. */
export function hasUnnamedSources(value: Value | undefined, named = false): boolean {
  if (value instanceof Secret) return !named;
  return partsOf(value).some((part) => hasUnnamedSources(part.value, named || part.named));
}

/** Where either of two documents names sources. */
export function mergedSources(a: Sources | undefined, b: Sources | undefined): Sources | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const members = new Map(a.members);
  for (const [member, found] of b.members) members.set(member, mergedSources(members.get(member), found) ?? found);
  return { here: a.here || b.here, items: mergedSources(a.items, b.items), members };
}

/** Whether a value inside a policy names the source of a secret: `env` or `file`, a text, and nothing else. */
export function isSource(value: unknown): value is { readonly env: string } | { readonly file: string } {
  if (!isObject(value)) return false;
  const [[member, name] = [], ...rest] = Object.entries(value);
  return rest.length === 0 && (member === "env" || member === "file") && typeof name === "string";
}

/**
 * Whether an object in a document may have a member `env` or `file` that is a text: a cheap first test. A text of the
 * document can't pass for one, because JSON puts backslashes before its quotes.
 * @param json of the document, compact
 */
export function mayNameSource(json: string): boolean {
  return json.includes('"env":"') || json.includes('"file":"');
}

/** Whether a document has something in it that a manifest would take for a source. */
export function holdsSource(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isSource(value) || Object.values(value).some(holdsSource);
}
