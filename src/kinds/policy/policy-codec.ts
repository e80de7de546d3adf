import type { Json, Value } from "../../core/json.js";
import { parseJson } from "../../core/parse-json.js";
import { countSecretRoots } from "../../core/secret-names.js";
import { MASK, Secret, type SecretValue, secretChanged } from "../../core/secret.js";
import { asJson } from "../codecs/value-codecs.js";
import type { Codec } from "../kind.js";
import { asSecret, maskBoth, maskDocument, sameDocument, withoutSecrets } from "./mask-policy.js";
import { hasSecrets, partsOf, secretTexts, secretsIn, withParts } from "./secret-places.js";

/** A traffic policy that holds secrets. As a whole it is one: bound when it is sent, shown with its secrets masked. */
export class SecretPolicy extends Secret {
  #shown: string | undefined;

  /** `text` is sent as it stands; null when it is made of the document. */
  constructor(
    source: string,
    readonly document: Value | undefined,
    text: string | null,
  ) {
    super(source, () => (text === null ? written(document) : { available: true, text }));
    // Whatever walks the members of this object must not find a secret.
    Object.defineProperty(this, "document", { enumerable: false });
  }

  get unavailable(): readonly string[] {
    const missing = secretsIn(this.document).filter((secret) => secret.missing !== null);
    return [...new Set(missing.map((secret) => secret.source))];
  }

  /** Every secret in clear, to be masked wherever it turns up. */
  texts(): readonly string[] {
    const sources = secretsIn(this.document).flatMap((secret) => (secret.missing === null ? [secret.reveal()] : []));
    return [...sources, ...secretTexts(this.document)];
  }

  override toJSON(): string {
    return (this.#shown ??= this.document === undefined ? MASK : JSON.stringify(maskDocument(this.document)));
  }
}

function written(document: Value | undefined): SecretValue {
  const reasons = secretsIn(document).flatMap((secret) => secret.missing ?? []);
  if (reasons.length > 0) return { available: false, reason: [...new Set(reasons)].join("; ") };
  return { available: true, text: JSON.stringify(revealed(document ?? null)) };
}

function revealed(value: Value): Value {
  if (value instanceof Secret) return value.reveal();
  return withParts(value, partsOf(value), (part) => revealed(part.value));
}

function policyFromText(text: string, source: string): string | SecretPolicy {
  const roots = countSecretRoots(text);
  if (roots === 0) return text;
  const document = readPolicy(text);
  if (document === undefined) return new SecretPolicy(source, document, text);
  // Of a member that stands there twice the document has the last one only; the text has both.
  const isComplete = countSecretRoots(JSON.stringify(document)) === roots;
  return isComplete && !hasSecrets(document) ? text : new SecretPolicy(source, document, text);
}

function policyFromDocument(document: Value): string | SecretPolicy {
  // A wrapped secret prints as `(secret)`, which is a telling word.
  const text = JSON.stringify(document);
  if (countSecretRoots(text) === 0 || !hasSecrets(document)) return text;
  const sources = new Set(secretsIn(document).map((secret) => secret.source));
  return new SecretPolicy(sources.size === 0 ? "the manifest" : [...sources].join(", "), document, null);
}

/** Undefined when it is not JSON, or nested too deep: what walks a policy recurses. */
function readPolicy(text: string): Value | undefined {
  const parsed = parseJson(text);
  return "value" in parsed ? (parsed.value as Value) : undefined;
}

/** A string that holds a JSON document; a manifest may write it as an object with secrets in it. */
export const policy: Codec = {
  fromManifest: (value) => {
    if (value instanceof Secret) return value;
    return typeof value === "string" ? policyFromText(value, "the manifest") : policyFromDocument(value);
  },
  fromWire: (value = null) => {
    if (typeof value === "string") return policyFromText(value, "live");
    // A service that answers with an object is not what is specified; its secrets are none the less.
    return value instanceof Secret || !hasSecrets(value) ? value : new SecretPolicy("live", value, null);
  },
  toWire: (value) => {
    if (!(value instanceof Secret)) return { json: asJson(value), bind: {} };
    return { json: null, bind: { "": { secret: true, live: value.source === "live" } } };
  },
  same: samePolicy,
  comparable: comparablePolicy,
};

export function documentOf(value: Value): Value | undefined {
  if (value instanceof SecretPolicy) return value.document;
  return typeof value === "string" ? readPolicy(value) : undefined;
}

export function samePolicy(a: Value, b: Value): boolean | null {
  if (a === b) return true;
  const [left, right] = [documentOf(a), documentOf(b)];
  if (left !== undefined && right !== undefined) {
    return sameDocument(left, right);
  }
  const [from, to] = [asSecret(a), asSecret(b)];
  return from === null || to === null ? false : from.sameAs(to);
}

function comparablePolicy(value: Value, other: Value): Value {
  const document = documentOf(value);
  if (document === undefined) return value instanceof Secret ? value.toJSON() : value;
  return [withoutSecrets(document, documentOf(other))];
}

/** Wherever they differ, what is shown differs. */
export function shownBoth(before: Value, after: Value): readonly [Json, Json] {
  const [left, right] = [documentOf(before), documentOf(after)];
  if (left !== undefined && right !== undefined) {
    const [from, to] = maskBoth(left, right);
    return [JSON.stringify(from), JSON.stringify(to)];
  }
  const [from, to] = [shownAlone(before), shownAlone(after)];
  return from === to ? [MASK, secretChanged] : [from, to];
}

function shownAlone(value: Value): Json {
  if (value instanceof Secret) return value.toJSON();
  return typeof value === "string" ? value : null;
}
