import { type Value, type ValueObject, isObject } from "../../core/json.js";
import type { DocumentPath } from "../../core/document-path.js";
import { compact, isSecretName, isShortName, isTokenList } from "../../core/secret-names.js";
import { Secret } from "../../core/secret.js";

/** Of pairs: `{name: Authorization, value: …}`. */
const nameMembers = new Set("name key header headername headerkey field param".split(" "));

const valueMembers = new Set("value values val headervalue fieldvalue paramvalue content default".split(" "));

/** No secret itself. */
const word = /^[a-z_-]{1,24}$/iu;

/** Only says where a value comes from: `${conn.client_ip}`. Other expressions may hold a secret. */
const reference =
  /^(?=.{1,300}$)(?:(?:bearer|basic|token) )?\$\{\s*(?:[a-z_][\w.]*|secrets\.get\(\s*(?:'[\w./-]*'|"[\w./-]*")(?:\s*,\s*(?:'[\w./-]*'|"[\w./-]*"))*\s*\))\s*\}$/iu;

export type PolicyPlace = Readonly<{
  /** Under the name of a secret. */
  named: boolean;
  /** A manifest names a source here. */
  sourced: boolean;
  path: string;
  sources: ReadonlySet<string>;
}>;

/** What is live where a document names a source is a secret. */
export function rootPlace(...documents: readonly (Value | undefined)[]): PolicyPlace {
  const sources = new Set(documents.flatMap((document) => sourcesOf(document)));
  return { named: false, sourced: sources.has(""), path: "", sources };
}

const noSources: PolicyPlace = { named: false, sourced: false, path: "", sources: new Set() };

/** As paths in which `*` is each item of a list. */
export function sourcesOf(value: Value | undefined, path = ""): readonly string[] {
  if (value instanceof Secret) return [path];
  return partsOf(value, { ...noSources, path }).flatMap((part) => sourcesOf(part.value, part.place.path));
}

export type Part = Readonly<{
  step: string | number;
  value: Value;
  place: PolicyPlace;
}>;

/** What stands directly inside; nothing inside of a secret. Everything walks policies by it. */
export function partsOf(value: Value | undefined, within: PolicyPlace = noSources): readonly Part[] {
  const { named, path, sourced, sources } = within;
  if (Array.isArray(value)) {
    const place = { named, path: `${path}/*`, sourced: sourced || sources.has(`${path}/*`), sources };
    return (value as readonly Value[]).map((item, step) => ({ step, value: item, place }));
  }
  if (!isValueObject(value)) return [];
  return Object.keys(value).map((step) => {
    const at = `${path}/${step}`;
    const place = { named: isNamedSecret(value, step), path: at, sourced: sources.has(at), sources };
    return { step, value: value[step] ?? null, place };
  });
}

export function withParts(value: Value | undefined, parts: readonly Part[], map: (part: Part) => Value): Value {
  if (Array.isArray(value)) return parts.map(map);
  return isValueObject(value) ? Object.fromEntries(parts.map((part) => [part.step, map(part)])) : (value ?? null);
}

/** Under the name of a secret each item of a list is one. */
export function isSecretAt(value: Value | undefined, { named, sourced }: PolicyPlace): boolean {
  if (value instanceof Secret) return true;
  if (Array.isArray(value)) return false;
  return (sourced || named) && holdsText(value, !sourced);
}

function holdsText(value: Value | undefined, exceptReferences: boolean): boolean {
  if (typeof value === "string") return value !== "" && !(exceptReferences && reference.test(value));
  if (typeof value === "number" || value instanceof Secret) return true;
  if (isValueObject(value) && hasOddNames(value)) return true;
  return partsOf(value).some((part) => holdsText(part.value, exceptReferences));
}

export function hasSecrets(value: Value | undefined, place = noSources): boolean {
  return isSecretAt(value, place) || partsOf(value, place).some((part) => hasSecrets(part.value, part.place));
}

/** In clear. */
export function secretTexts(value: Value | undefined, place = noSources, inside = false): readonly string[] {
  const isInside = inside || isSecretAt(value, place);
  if (typeof value === "string") return isInside ? [value] : [];
  return partsOf(value, place).flatMap((part) => secretTexts(part.value, part.place, isInside));
}

function isNamedSecret(object: ValueObject, member: string): boolean {
  const value = object[member];
  if (isTokenList(member)) return !isDescription(value);
  if (isSecretName(member)) return true;
  if (isShortName(member) && ![value].flat().some(isValueObject)) return true;
  return valueMembers.has(compact(member)) && namesSecret(object);
}

/** Names may be secrets themselves: `{tokens: {"4c1f…": "alice"}}`. */
function hasOddNames(object: ValueObject): boolean {
  return !Object.keys(object).every((member) => word.test(member));
}

/** In one member, for the value in another. */
function namesSecret(object: ValueObject): boolean {
  return Object.entries(object).some(
    ([member, name]) =>
      nameMembers.has(compact(member)) && typeof name === "string" && (isSecretName(name) || isShortName(name)),
  );
}

/** `tokens` may say where tokens are found, in objects that hold none. */
function isDescription(value: Value | undefined): boolean {
  if (!Array.isArray(value)) return false;
  return (value as readonly Value[]).every((item) => isValueObject(item) && !holdsValues(item));
}

function holdsValues(value: Value | undefined): boolean {
  if (Array.isArray(value)) return (value as readonly Value[]).some(holdsValues);
  if (!isValueObject(value)) return false;
  return Object.keys(value).some((member) => valueMembers.has(compact(member)) || holdsValues(value[member]));
}

export function isValueObject(value: Value | undefined): value is ValueObject {
  return isObject(value) && !(value instanceof Secret);
}

export function secretsIn(value: Value | undefined): readonly Secret[] {
  if (value instanceof Secret) return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((part: Value | undefined) => secretsIn(part));
}

/** A map whose names may be secrets is replaced whole, unless it names sources. */
export function mapSecrets(
  value: Value,
  replace: (secret: Value, path: DocumentPath, named: boolean) => Value,
  path: DocumentPath = [],
  named = false,
): Value {
  const isWhole = named && isValueObject(value) && hasOddNames(value) && secretsIn(value).length === 0;
  if (isWhole || (!Array.isArray(value) && !isValueObject(value)))
    return isSecretAt(value, { ...noSources, named }) ? replace(value, path, named) : value;
  return withParts(value, partsOf(value, { ...noSources, named }), ({ place, step, value: part }) =>
    mapSecrets(part, replace, [...path, step], named || place.named),
  );
}

export function hasUnnamedSources(value: Value | undefined, named = false): boolean {
  if (value instanceof Secret) return !named;
  return partsOf(value).some((part) => hasUnnamedSources(part.value, named || part.place.named));
}

export function isSource(value: unknown): value is { readonly env: string } | { readonly file: string } {
  if (!isObject(value)) return false;
  const [[member, name] = [], ...rest] = Object.entries(value);
  return rest.length === 0 && (member === "env" || member === "file") && typeof name === "string";
}

export function holdsSource(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isSource(value) || Object.values(value).some(holdsSource);
}
