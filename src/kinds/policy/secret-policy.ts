import type { Value, ValueObject } from "../../json.js";
import { countSecretRoots } from "../../secret-names.js";
import { MASK, Secret, type SecretValue } from "../../secret.js";
import { maskDocument } from "./mask-document.js";
import {
  hasSecrets,
  isSecretPlace,
  isValueObject,
  partsOf,
  readPolicy,
  secretsIn,
  shortestMasked,
} from "./secret-places.js";

/**
 * A traffic policy that holds secrets. As a whole it is one: it is bound when it is sent, and never written into a
 * plan, a hash or a log. It prints as its document with the secrets masked.
 */
export class SecretPolicy extends Secret {
  readonly #text: string | null;
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
    this.#text = text;
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
    return [...sources, ...plainTexts(this.document, false).filter((text) => text.length >= shortestMasked)];
  }

  /** As it is shown: compact JSON with `(secret)` in it, or the lines of what is not JSON. */
  override toJSON(): string {
    this.#shown ??=
      this.document === undefined ? maskLines(this.#text ?? "") : JSON.stringify(maskDocument(this.document));
    return this.#shown;
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
  // Encoded twice, with something inside that is not JSON: nobody knows where the secrets in it end.
  if (typeof document === "string")
    return hasSecrets(document) || readPolicy(document) === undefined
      ? new SecretPolicy(source, Secret.of(document, source), text)
      : text;
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

/** Lines that are not shown, both ends included. */
interface Block {
  readonly first: number;
  readonly last: number;
}

/**
 * A text that is not JSON, with every line masked that may show a secret: each line with a telling word, and the block
 * around it as far as the lines are indented at least as deep; then the line that follows, which may hold the value of
 * a member that ends its line, and what belongs to that. Prefers hiding a harmless line to showing a secret.
 * Linear in the number of lines.
 */
export function maskLines(text: string): string {
  const lines = text.split(/\r\n|\r|\n/u);
  const indents = lines.map(indentOf);
  const deepAsOrDeeper = (at: number, indent: number): boolean => (indents[at] ?? -1) >= indent;
  const blocks: Block[] = [];
  const following: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (countSecretRoots(lines[at] ?? "") === 0) continue;
    const telling = at;
    const indent = indents[at] ?? 0;
    let first = at;
    while (deepAsOrDeeper(first - 1, indent)) {
      // A block that ends here is deeper, so all of it belongs to this one.
      const above = blocks.at(-1);
      first = above?.last === first - 1 ? above.first : first - 1;
      if (above?.first === first) blocks.pop();
    }
    while (deepAsOrDeeper(at + 1, indent)) at += 1;
    blocks.push({ first, last: at });
    // A block that begins within the last one would end with it.
    if (at + 1 > (following.at(-1)?.last ?? -1)) {
      let end = at;
      while (end > telling && indents[end] === Number.POSITIVE_INFINITY) end -= 1;
      const opens = end === telling && /[:=|>][-+\d]*\s*$/u.test(lines[telling] ?? "");
      following.push(followingBlock(lines, indents, at + 1, opens));
    }
  }
  for (const { first, last } of [...blocks, ...following]) lines.fill(MASK, first, last + 1);
  return lines.join("\n");
}

/** The lines from one on to the next that says anything; and where the line before opens a value, all of that. */
function followingBlock(lines: readonly string[], indents: readonly number[], first: number, opens: boolean): Block {
  let last = first;
  while (last < lines.length - 1 && !/[\p{L}\d]/u.test(lines[last] ?? "")) last += 1;
  const indent = indents[last] ?? 0;
  if (!opens) return { first, last };
  while ((indents[last + 1] ?? -1) >= indent) last += 1;
  return { first, last };
}

/** The column of the first letter, list marks counted as indentation; a blank line belongs to what is around it. */
function indentOf(line: string): number {
  const column = line.search(/[^\s-]/u);
  return column === -1 ? Number.POSITIVE_INFINITY : column;
}
