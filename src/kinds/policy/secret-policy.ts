import type { Value, ValueObject } from "../../core/json.js";
import { countSecretRoots } from "../../core/secret-names.js";
import { MASK, Secret, type SecretValue } from "../../core/secret.js";
import { maskDocument } from "./mask-document.js";
import { hasSecrets, isSecretPlace, isValueObject, partsOf, readPolicy, secretsIn } from "./secret-places.js";

/**
 * A traffic policy that holds secrets. As a whole it is one: it is bound when it is sent, and never written into a
 * plan, a hash or a log. It prints as its document with the secrets masked.
 */
export class SecretPolicy extends Secret {
  #shown: string | undefined;

  /**
   * @param document with sources still wrapped; undefined when the text is not JSON
   * @param text what is sent as it stands; null when it is made of the document
   */
  constructor(
    source: string,
    readonly document: Value | undefined,
    text: string | null,
  ) {
    super(source, () => (text === null ? written(document) : { available: true, text }));
    // Whatever walks the members of this object must not find a secret.
    Object.defineProperty(this, "document", { enumerable: false });
  }

  /** The sources that are not available here. */
  get unavailable(): readonly string[] {
    const missing = secretsIn(this.document).filter((secret) => secret.missing !== null);
    return [...new Set(missing.map((secret) => secret.source))];
  }

  /** Every secret in it in clear, to be masked wherever it turns up. */
  texts(): readonly string[] {
    const sources = secretsIn(this.document).flatMap((secret) => (secret.missing === null ? [secret.reveal()] : []));
    return [...sources, ...plainTexts(this.document, false)];
  }

  /** As it is shown: compact JSON with `(secret)` in it, or `(secret)` alone where it is not JSON. */
  override toJSON(): string {
    return (this.#shown ??= this.document === undefined ? MASK : JSON.stringify(maskDocument(this.document)));
  }
}

/**
 * A policy from its text, which is kept as it stands; the text itself when no secret is in it.
 * @param source `live`, or where the manifest has it from
 */
export function policyFromText(text: string, source: string): string | SecretPolicy {
  const roots = countSecretRoots(text);
  if (roots === 0) return text;
  const document = readPolicy(text);
  if (document === undefined) return new SecretPolicy(source, document, text);
  // Of a member that stands there twice the document has the last one only; the text has both.
  const complete = countSecretRoots(JSON.stringify(document)) === roots;
  return complete && !hasSecrets(document) ? text : new SecretPolicy(source, document, text);
}

/** The JSON of documents in which loading found no secret: checks and normal forms would search them again. */
const harmless = new WeakMap<object, string>();

/**
 * The JSON of a manifest's object if no secret is in it; null otherwise. It is remembered: for objects that have just
 * been read, and that nobody changes.
 */
export function harmlessJson(document: ValueObject): string | null {
  const json = policyFromDocument(document);
  if (typeof json !== "string") return null;
  harmless.set(document, json);
  return json;
}

/** The JSON that {@link harmlessJson} found for an object; undefined when it may hold a secret. */
export function knownHarmless(document: unknown): string | undefined {
  return typeof document === "object" && document !== null ? harmless.get(document) : undefined;
}

/** A policy from a manifest's object; its compact JSON when no secret is in it. */
export function policyFromDocument(document: Value): string | SecretPolicy {
  const known = knownHarmless(document);
  if (known !== undefined) return known;
  // A wrapped secret prints as `(secret)`, which is a telling word.
  const text = JSON.stringify(document);
  if (countSecretRoots(text) === 0 || !hasSecrets(document)) return text;
  const sources = new Set(secretsIn(document).map((secret) => secret.source));
  return new SecretPolicy(sources.size === 0 ? "the manifest" : [...sources].join(", "), document, null);
}

/** The text of a document with every secret in clear. */
function written(document: Value | undefined): SecretValue {
  const reasons = secretsIn(document).flatMap((secret) => secret.missing ?? []);
  if (reasons.length > 0) return { available: false, reason: [...new Set(reasons)].join("; ") };
  return { available: true, text: JSON.stringify(revealed(document ?? null)) };
}

function revealed(value: Value): Value {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return (value as readonly Value[]).map(revealed);
  if (!isValueObject(value)) return value;
  return Object.fromEntries(Object.keys(value).map((member) => [member, revealed(value[member] ?? null)]));
}

/** The texts at secret places that stand there in clear. */
function plainTexts(value: Value | undefined, secret: boolean): readonly string[] {
  if (typeof value === "string") return secret ? [value] : [];
  return partsOf(value).flatMap((part) => {
    const listUnderName = part.named && Array.isArray(part.value);
    return plainTexts(part.value, secret || listUnderName || isSecretPlace(part.value, part.named));
  });
}
