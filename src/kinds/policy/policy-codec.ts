import type { Json, Value } from "../../core/json.js";
import { parseJson } from "../../core/parse-json.js";
import { countSecretRoots } from "../../core/secret-names.js";
import { MASK, Secret, type SecretValue, hasSource, labelFor, secretChanged } from "../../core/secret.js";
import { asJson } from "../codecs/value-codecs.js";
import type { Codec } from "../kind.js";
import {
  type PolicyPlace,
  hasSecrets,
  isSecretAt,
  partsOf,
  rootPlace,
  secretTexts,
  secretsIn,
  withParts,
} from "./secret-places.js";

/** A traffic policy with secrets: as a whole it is one, and is shown with them masked. */
export class SecretPolicy extends Secret {
  #shown: string | undefined;

  /** @param text is sent as it stands; null = made of the document */
  constructor(
    source: string,
    readonly document: Value | undefined,
    text: string | null,
  ) {
    super(source, () => (text === null ? written(document) : { available: true, text }));
    // Whatever walks this object's members must not find a secret.
    Object.defineProperty(this, "document", { enumerable: false });
  }

  get unavailable(): readonly string[] {
    const missing = secretsIn(this.document).filter((secret) => secret.missing !== null);
    return [...new Set(missing.map((secret) => secret.source))];
  }

  /** In clear, to be masked wherever they turn up. */
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
  // Of a member that is there twice the document has the last one only.
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

/** Undefined when it is no JSON, or nested too deep to walk. */
function readPolicy(text: string): Value | undefined {
  const parsed = parseJson(text);
  return "value" in parsed ? (parsed.value as Value) : undefined;
}

/** A JSON document in a string; a manifest may write an object with secrets in it. */
export const policy: Codec = {
  fromManifest: (value) => {
    if (value instanceof Secret) return value;
    return typeof value === "string" ? policyFromText(value, "the manifest") : policyFromDocument(value);
  },
  fromWire: (value = null) => {
    if (typeof value === "string") return policyFromText(value, "live");
    // Not as specified, but its secrets are none the less.
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

/** The order of rules counts, not that of members. Null when only missing secrets leave it open. */
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

/** Anything else differs from every secret. */
function sameSecret(...values: readonly (Value | undefined)[]): boolean | null {
  const [a, b] = values.map((value) => (typeof value === "string" ? Secret.of(value, "live") : value));
  return a instanceof Secret && b instanceof Secret ? a.sameAs(b) : false;
}

/** Wherever they differ, what is shown differs. */
export function shownBoth(before: Value, after: Value): readonly [Json, Json] {
  const [live, desired] = [documentOf(before), documentOf(after)];
  const [from, to] =
    live === undefined || desired === undefined
      ? [shownAlone(before), shownAlone(after)]
      : [
          JSON.stringify(masked(live, rootPlace(desired), { values: valuesIn(desired), mark: "" })),
          JSON.stringify(masked(desired, rootPlace(), { values: valuesIn(live), mark: " changed" })),
        ];
  return from === to ? [MASK, secretChanged] : [from, to];
}

function shownAlone(value: Value): Json {
  if (value instanceof Secret) return value.toJSON();
  return typeof value === "string" ? value : null;
}

type Values = ReadonlyMap<string, readonly Value[]>;

/** By their places, which items of a list share. */
function valuesIn(value: Value, { path } = rootPlace(), found = new Map<string, Value[]>()): Values {
  const others = found.get(path);
  if (others === undefined) found.set(path, [value]);
  else others.push(value);
  for (const part of partsOf(value, { ...rootPlace(), path })) valuesIn(part.value, part.place, found);
  return found;
}

/** @param beside the other side; a secret that nothing there equals gets the mark */
function masked(
  value: Value | undefined,
  at = rootPlace(),
  beside: Readonly<{ values: Values; mark: string }> = { values: new Map(), mark: "" },
): Json {
  const others = beside.values.get(at.path) ?? [];
  // What the manifest has here in clear is no secret, though another rule names a source for it.
  const place = others.includes(value ?? null) ? { ...at, sourced: false } : at;
  if (!isSecretAt(value, place))
    return asJson(withParts(value, partsOf(value, place), (part) => masked(part.value, part.place, beside)));
  const same = others.filter((other) => sameDocument(value, other) !== false).slice(0, 1);
  return `${label([value ?? null, ...same])}${same.length === 0 && others.length > 0 ? beside.mark : ""}`;
}

/** Without secrets, and without what stands where the other names sources. */
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
