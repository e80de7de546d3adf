import { isObject } from "../../json.js";
import { isSecretName, isTokenList } from "../../secret-names.js";
import { Secret } from "../../secret.js";
import type { Value, ValueObject } from "../value.js";

/** Members that name the other member of a pair: `{name: Authorization, value: …}`. */
const nameMembers: ReadonlySet<string> = new Set(["name", "key", "header", "header_name", "field"]);

/** Members that hold what a pair's name stands for. */
const valueMembers: ReadonlySet<string> = new Set(["value", "values", "content", "default"]);

/**
 * An expression of the policy language that only says where a value comes from: `${conn.client_ip}`,
 * `Bearer ${secrets.get('vault', 'key')}`. It holds no secret, and reviewers must see it change. Any other expression
 * may hold one as a literal.
 */
const reference =
  /^(?:(?:bearer|basic|token) )?\$\{\s*(?:[a-z_][\w.]*|secrets\.get\(\s*(?:'[\w./-]*'|"[\w./-]*")(?:\s*,\s*(?:'[\w./-]*'|"[\w./-]*"))*\s*\))\s*\}$/iu;

/** Longer expressions are more than a reference. */
const longestReference = 300;

/** What is a secret under any name: a private key, or the credentials of an `Authorization` header. */
const bySelf = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY|^\s*(?:bearer|basic)\s+(?=\S*[\d+/=._~-])\S+\s*$/iu;

/** A text that is a header by itself: `X-Api-Key: …`. */
const header = /^\s*([\w-]{1,64})\s*:\s*(\S[^]*)$/u;

/** Whether the value of a member is secret because of the member's name, or of the name beside it in a pair. */
export function isNamedSecret(object: ValueObject, member: string): boolean {
  if (isTokenList(member)) return !holdsObjects(object[member]);
  if (isSecretName(member)) return true;
  return valueMembers.has(member.toLowerCase()) && secretPairName(object) !== null;
}

/** The name of a secret that an object gives in one member, for the value in another; null when it gives none. */
export function secretPairName(object: ValueObject): string | null {
  for (const member of Object.keys(object)) {
    const name = nameMembers.has(member.toLowerCase()) ? object[member] : null;
    if (typeof name === "string" && isSecretName(name)) return name;
  }
  return null;
}

/**
 * Whether a value is shown as `(secret)` as a whole: a source that the manifest names, a text or an object that stands
 * under the name of a secret, or a text that is one by its looks. Of a list under such a name each item is one.
 * @param named whether it stands under the name of a secret
 */
export function isSecretPlace(value: Value | undefined, named: boolean): boolean {
  if (value instanceof Secret) return true;
  if (Array.isArray(value)) return false;
  if (named) return holdsText(value);
  return typeof value === "string" && looksSecret(value);
}

/** Whether a secret stands anywhere in a document. */
export function hasSecrets(value: Value | undefined, named = false): boolean {
  if (isSecretPlace(value, named)) return true;
  if (Array.isArray(value)) return (value as readonly Value[]).some((item) => hasSecrets(item, named));
  if (!isValueObject(value)) return false;
  return Object.keys(value).some((member) => hasSecrets(value[member], isNamedSecret(value, member)));
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
  return Object.values(value).some((part: Value | undefined) => holdsText(part));
}

function looksSecret(text: string): boolean {
  if (bySelf.test(text)) return true;
  const [, name = "", rest = ""] = header.exec(text) ?? [];
  return isSecretName(name) && !isReference(rest.trim());
}

function isReference(text: string): boolean {
  return text.length <= longestReference && reference.test(text);
}

function holdsObjects(value: Value | undefined): boolean {
  return isValueObject(value) || (Array.isArray(value) && (value as readonly Value[]).some(isValueObject));
}
