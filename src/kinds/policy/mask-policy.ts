import type { Json, Value } from "../../core/json.js";
import { MASK, Secret, hasSource, labelFor } from "../../core/secret.js";
import { asJson } from "../codecs/value-codecs.js";
import { type Part, type PolicyPlace, isSecretAt, partsOf, rootPlace, secretsIn, withParts } from "./secret-places.js";

/**
 * The order of rules counts, that of members doesn't. Null when only secrets that are not available keep it from being
 * decided.
 */
export function sameDocument(a: Value | undefined, b: Value | undefined): boolean | null {
  if (a === b) return true;
  if (a instanceof Secret || b instanceof Secret) {
    const [left, right] = [asSecret(a), asSecret(b)];
    return left === null || right === null ? false : left.sameAs(right);
  }
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

/** Null for anything else than a text: that differs from every secret. */
export function asSecret(value: Value | undefined): Secret | null {
  if (value instanceof Secret) return value;
  return typeof value === "string" ? Secret.of(value, "live") : null;
}

export function maskDocument(value: Value | undefined, place = rootPlace()): Json {
  if (isSecretAt(value, place)) return label(value);
  return asJson(withParts(value, partsOf(value, place), (part) => maskDocument(part.value, part.place)));
}

/** Both as they are shown beside each other: wherever they differ, what is shown differs. */
export function maskBoth(live: Value, desired: Value): readonly [Json, Json] {
  return both(live, desired, rootPlace(desired), rootPlace());
}

function both(a: Value, b: Value, liveA: PolicyPlace, placeB: PolicyPlace): readonly [Json, Json] {
  // What the manifest has here in clear is no secret, though it names a source for it in another rule.
  const placeA = a === b ? { ...liveA, sourced: false } : liveA;
  const secrets = [isSecretAt(a, placeA), isSecretAt(b, placeB)];
  if (secrets.every(Boolean))
    return sameDocument(a, b) === false ? [label(a), `${label(b)} changed`] : [label(b), label(b)];
  if (secrets.includes(true) || Array.isArray(a) !== Array.isArray(b))
    return [maskDocument(a, placeA), maskDocument(b, placeB)];
  const [from, to] = [partsOf(a, placeA), partsOf(b, placeB)];
  const shown = new Map<Part, Json>();
  for (const [left, right] of Array.isArray(a) ? pairItems(from, to) : pairMembers(from, to)) {
    const [before, after] = both(left.value, right.value, left.place, right.place);
    shown.set(left, before).set(right, after);
  }
  const mask = (part: Part): Json => shown.get(part) ?? maskDocument(part.value, part.place);
  return [asJson(withParts(a, from, mask)), asJson(withParts(b, to, mask))];
}

type Pairs = ReadonlyMap<Part, Part>;

function pairMembers(from: readonly Part[], to: readonly Part[]): Pairs {
  const others = new Map(to.map((part) => [part.step, part]));
  return new Map(
    from.flatMap((part) => {
      const other = others.get(part.step);
      return other === undefined ? [] : [[part, other] as const];
    }),
  );
}

/** So many items that differ in their secrets alone are compared for the same one. */
const mostCompared = 50;

/** The same items stand beside each other, then those that differ in their secrets, then the rest. */
function pairItems(from: readonly Part[], to: readonly Part[]): Pairs {
  const pairs = new Map<Part, Part>();
  const alike = new Map<string, Part[]>();
  for (const part of from) {
    const key = skeleton(part.value, part.place);
    const others = alike.get(key);
    if (others === undefined) alike.set(key, [part]);
    else others.push(part);
  }
  let left = to.map((part) => [part, alike.get(skeleton(part.value, part.place)) ?? []] as const);
  for (const mustBeSame of [true, false]) {
    left = left.filter(([part, others]) => {
      const at = others
        .slice(0, mostCompared)
        .findIndex(({ value }) => !mustBeSame || sameDocument(value, part.value) !== false);
      const [other] = at === -1 ? [] : others.splice(at, 1);
      if (other !== undefined) pairs.set(other, part);
      return other === undefined;
    });
  }
  const rest = from.filter((part) => !pairs.has(part));
  for (const [index, [part]] of left.entries()) {
    const other = rest[index];
    if (other !== undefined) pairs.set(other, part);
  }
  return pairs;
}

/** Without the secrets, and without what stands where the other names sources. */
export function withoutSecrets(document: Value | undefined, other: Value | undefined): string {
  return skeleton(document, rootPlace(document, other));
}

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
