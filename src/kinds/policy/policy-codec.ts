import type { Json, Value } from "../../core/json.js";
import { parseJson } from "../../core/parse-json.js";
import { countSecretRoots } from "../../core/secret-names.js";
import { MASK, Secret, type SecretValue, hasSource, labelFor, secretChanged } from "../../core/secret.js";
import { asJson } from "../codecs/value-codecs.js";
import type { Codec } from "../kind.js";
import {
  type Part,
  type PolicyPlace,
  hasSecrets,
  isSecretAt,
  partsOf,
  rootPlace,
  secretTexts,
  secretsIn,
  withParts,
} from "./secret-places.js";

/** A traffic policy that holds secrets. As a whole it is one: bound when it is sent, shown with its secrets masked. */
export class SecretPolicy extends Secret {
  #shown: string | undefined;

  /** @param text is sent as it stands; null when it is made of the document */
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
    return (this.#shown ??= this.document === undefined ? MASK : JSON.stringify(masked(this.document)));
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
  comparable: (value, other) => {
    const document = documentOf(value);
    if (document === undefined) return value instanceof Secret ? value.toJSON() : value;
    return [skeleton(document, rootPlace(document, documentOf(other)))];
  },
};

export function documentOf(value: Value): Value | undefined {
  if (value instanceof SecretPolicy) return value.document;
  return typeof value === "string" ? readPolicy(value) : undefined;
}

export function samePolicy(a: Value, b: Value): boolean | null {
  if (a === b) return true;
  const [left, right] = [documentOf(a), documentOf(b)];
  return left !== undefined && right !== undefined ? sameDocument(left, right) : sameSecret(a, b);
}

/** The order of rules counts, that of members doesn't. Null when only missing secrets keep it from being decided. */
function sameDocument(a: Value | undefined, b: Value | undefined): boolean | null {
  if (a === b) return true;
  if (a instanceof Secret || b instanceof Secret) return sameSecret(a, b);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [from, to] = [partsOf(a), partsOf(b)];
  if (Array.isArray(a) !== Array.isArray(b) || from.length !== to.length) return false;
  const others = new Map(to.map(({ step, value }) => [step, value]));
  let result: boolean | null = true;
  for (const { step, value } of from) {
    const same = others.has(step) && sameDocument(value, others.get(step));
    if (same === false) return false;
    if (same === null) result = null;
  }
  return result;
}

/** What is neither a secret nor a text differs from every secret. */
function sameSecret(...values: readonly (Value | undefined)[]): boolean | null {
  const [a, b] = values.map((value) => (typeof value === "string" ? Secret.of(value, "live") : value));
  return a instanceof Secret && b instanceof Secret ? a.sameAs(b) : false;
}

/** Wherever they differ, what is shown differs. */
export function shownBoth(before: Value, after: Value): readonly [Json, Json] {
  const [left, right] = [documentOf(before), documentOf(after)];
  if (left !== undefined && right !== undefined) {
    const [from, to] = maskedBoth(left, right, rootPlace(right), rootPlace());
    return [JSON.stringify(from), JSON.stringify(to)];
  }
  const [from, to] = [before, after].map((value): Json => {
    if (value instanceof Secret) return value.toJSON();
    return typeof value === "string" ? value : null;
  }) as [Json, Json];
  return from === to ? [MASK, secretChanged] : [from, to];
}

function masked(value: Value | undefined, place = rootPlace()): Json {
  if (isSecretAt(value, place)) return label(value);
  return asJson(withParts(value, partsOf(value, place), (part) => masked(part.value, part.place)));
}

function maskedBoth(a: Value, b: Value, liveA: PolicyPlace, placeB: PolicyPlace): readonly [Json, Json] {
  // What the manifest has here in clear is no secret, though it names a source for it in another rule.
  const placeA = a === b ? { ...liveA, sourced: false } : liveA;
  const secrets = [isSecretAt(a, placeA), isSecretAt(b, placeB)];
  if (secrets.every(Boolean))
    return sameDocument(a, b) === false ? [label(a), `${label(b)} changed`] : [label(b), label(b)];
  if (secrets.includes(true) || Array.isArray(a) !== Array.isArray(b)) return [masked(a, placeA), masked(b, placeB)];
  const [from, to] = [partsOf(a, placeA), partsOf(b, placeB)];
  const shown = new Map<Part, Json>();
  for (const [left, right] of Array.isArray(a) ? pairItems(from, to) : pairMembers(from, to)) {
    const [before, after] = maskedBoth(left.value, right.value, left.place, right.place);
    shown.set(left, before).set(right, after);
  }
  const mask = (part: Part): Json => shown.get(part) ?? masked(part.value, part.place);
  return [asJson(withParts(a, from, mask)), asJson(withParts(b, to, mask))];
}

type Pairs = readonly (readonly [Part, Part])[];

function pairMembers(from: readonly Part[], to: readonly Part[]): Pairs {
  const others = new Map(to.map((part) => [part.step, part]));
  return from.flatMap((part): Pairs => {
    const other = others.get(part.step);
    return other === undefined ? [] : [[part, other]];
  });
}

/** An item is looked for among so many. */
const mostCompared = 50;

/** The same items stand beside each other, then the rest as they come. */
function pairItems(from: readonly Part[], to: readonly Part[]): Pairs {
  const left = [...from];
  const pair = (part: Part, at: number): Pairs => left.splice(at, 1).map((other) => [other, part] as const);
  const isSame = new Map(
    to.map((part) => {
      const at = left.slice(0, mostCompared).findIndex(({ value }) => sameDocument(value, part.value) !== false);
      return [part, at === -1 ? [] : pair(part, at)];
    }),
  );
  return [...isSame].flatMap(([part, pairs]) => (pairs.length > 0 ? pairs : pair(part, 0)));
}

/** Without the secrets, and without what stands where the other names sources. */
function skeleton(value: Value | undefined, place: PolicyPlace): string {
  if (isSecretAt(value, place)) return MASK;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const parts = partsOf(value, place).map((part) => [String(part.step), skeleton(part.value, part.place)] as const);
  if (Array.isArray(value)) return `[${parts.map(([, said]) => said).join(",")}]`;
  const members = parts.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, said]) => `${JSON.stringify(name)}:${said}`).join(",")}}`;
}

function label(value: Value | undefined): string {
  return labelFor(secretsIn(value).flatMap((secret) => (hasSource(secret) ? [secret.source] : [])));
}
