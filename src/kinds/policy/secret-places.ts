import { type Value, type ValueObject, isObject } from "../../core/json.js";
import { parseJson } from "../../core/parse-json.js";
import { compact, isSecretName, isShortName, isTokenList } from "../../core/secret-names.js";
import { Secret } from "../../core/secret.js";

/** Members that name the other member of a pair: `{name: Authorization, value: …}`. Case and separators mean nothing. */
const nameMembers: ReadonlySet<string> = new Set([
  "name",
  "key",
  "header",
  "headername",
  "headerkey",
  "field",
  "param",
]);

/** Members that hold what a pair's name stands for. */
const valueMembers: ReadonlySet<string> = new Set([
  "value",
  "values",
  "val",
  "headervalue",
  "fieldvalue",
  "paramvalue",
  "content",
  "default",
]);

/** Names that are no secrets themselves: words, without a digit. */
const word = /^[a-z_-]{1,24}$/iu;

/**
 * An expression of the policy language that only says where a value comes from: `${conn.client_ip}`,
 * `Bearer ${secrets.get('vault', 'key')}`. It holds no secret, and reviewers must see it change. Any other expression
 * may hold one as a literal.
 */
const reference =
  /^(?:(?:bearer|basic|token) )?\$\{\s*(?:[a-z_][\w.]*|secrets\.get\(\s*(?:'[\w./-]*'|"[\w./-]*")(?:\s*,\s*(?:'[\w./-]*'|"[\w./-]*"))*\s*\))\s*\}$/iu;

/** Longer expressions are more than a reference. */
const longestReference = 300;

/** Whether the value of a member is secret because of the member's name, or of the name beside it in a pair. */
export function isNamedSecret(object: ValueObject, member: string): boolean {
  const value = object[member];
  if (isTokenList(member)) return !isDescription(value);
  if (isSecretName(member)) return true;
  if (isShortName(member) && !holdsObjects(value)) return true;
  return valueMembers.has(compact(member)) && secretPairName(object) !== null;
}

/** Whether the names of an object's members may be secrets themselves, as in `{tokens: {"4c1f…": "alice"}}`. */
export function hasOddNames(object: ValueObject): boolean {
  return !Object.keys(object).every((member) => word.test(member));
}

/** The name of a secret that an object gives in one member, for the value in another; null when it gives none. */
export function secretPairName(object: ValueObject): string | null {
  for (const member of Object.keys(object)) {
    const name = nameMembers.has(compact(member)) ? object[member] : null;
    if (typeof name === "string" && isTelling(name)) return name;
  }
  return null;
}

/**
 * Whether a value is shown as `(secret)` as a whole: a source that the manifest names, or a text or an object that stands
 * under the name of a secret. Of a list under such a name each item is one.
 * @param named whether it stands under the name of a secret
 */
export function isSecretPlace(value: Value | undefined, named: boolean): boolean {
  if (value instanceof Secret) return true;
  return named && !Array.isArray(value) && holdsText(value);
}

/** Whether a secret stands anywhere in a document. */
export function hasSecrets(value: Value | undefined, named = false): boolean {
  if (isSecretPlace(value, named)) return true;
  // Each item of a list stands under the list's name, too.
  const inherited = named && Array.isArray(value);
  return partsOf(value).some((part) => hasSecrets(part.value, part.named || inherited));
}

/** An item of a list or a member of an object. */
interface Part {
  readonly value: Value | undefined;
  /** Whether its own name is that of a secret. */
  readonly named: boolean;
}

/** What stands directly inside a value; nothing inside of a secret. */
export function partsOf(value: Value | undefined): readonly Part[] {
  if (Array.isArray(value)) return (value as readonly Value[]).map((item) => ({ value: item, named: false }));
  if (!isValueObject(value)) return [];
  return Object.keys(value).map((member) => ({ value: value[member], named: isNamedSecret(value, member) }));
}

/** Whether a value is an object of values, and no secret. */
export function isValueObject(value: Value | undefined): value is ValueObject {
  return isObject(value) && !(value instanceof Secret);
}

/** Every source that a manifest names in a value. */
export function secretsIn(value: Value | undefined): readonly Secret[] {
  if (value instanceof Secret) return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((part: Value | undefined) => secretsIn(part));
}

/** Whether anything in a value may be a secret. Switches, nothing and references are none. */
function holdsText(value: Value | undefined): boolean {
  if (typeof value === "string") return value !== "" && !isReference(value);
  if (typeof value === "number" || value instanceof Secret) return true;
  if (typeof value !== "object" || value === null) return false;
  if (isValueObject(value) && hasOddNames(value)) return true;
  return Object.values(value).some((part: Value | undefined) => holdsText(part));
}

function isTelling(name: string): boolean {
  return isSecretName(name) || isShortName(name);
}

function isReference(text: string): boolean {
  return text.length <= longestReference && reference.test(text);
}

function holdsObjects(value: Value | undefined): boolean {
  return isValueObject(value) || (Array.isArray(value) && (value as readonly Value[]).some(isValueObject));
}

/** Whether a value under the name `tokens` says where tokens are found: a list of objects that hold none. */
function isDescription(value: Value | undefined): boolean {
  if (!Array.isArray(value)) return false;
  return (value as readonly Value[]).every((item) => isValueObject(item) && !holdsValues(item));
}

function holdsValues(value: Value | undefined): boolean {
  if (Array.isArray(value)) return (value as readonly Value[]).some(holdsValues);
  if (!isValueObject(value)) return false;
  return Object.keys(value).some((member) => valueMembers.has(compact(member)) || holdsValues(value[member]));
}

/**
 * The JSON document in a text; undefined when it is not JSON, or nested too deep: everything that walks a policy may
 * recurse. No manifest can be deeper either.
 */
export function readPolicy(text: string): Value | undefined {
  const parsed = parseJson(text);
  return "value" in parsed ? valueOf(parsed.value) : undefined;
}

/** What JSON gives is a value. */
function valueOf(json: unknown): Value {
  return json as Value;
}
