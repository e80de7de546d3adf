import type { Json, Value, ValueObject } from "../../core/json.js";
import { MASK, hasSource, labelFor } from "../../core/secret.js";
import { sameDocument } from "./compare-documents.js";
import { isValueObject, secretsIn } from "./secret-places.js";
import {
  type PolicyPlace,
  documentPlace,
  isSecretAt,
  mergedSources,
  placeOfItem,
  placeOfMember,
  sourcesOf,
} from "./source-places.js";

type Maybe = Value | undefined;

/** A policy document as it is shown: `(secret)` wherever one stands, with the source that the manifest names. */
export function maskDocument(value: Maybe, place: PolicyPlace = documentPlace): Json {
  if (isSecretAt(value, place)) return label(value);
  if (Array.isArray(value)) return (value as readonly Value[]).map((item) => maskDocument(item, placeOfItem(place)));
  if (!isValueObject(value)) return typeof value === "object" || value === undefined ? null : value;
  return mapMembers(value, (member) => maskDocument(value[member], placeOfMember(value, member, place)));
}

/**
 * What is live and what a manifest says as they are shown beside each other: a secret that is the same (or can't be
 * compared) looks the same on both sides, and one that differs says so. Wherever they differ, what is shown differs.
 */
export function maskBoth(live: Value, desired: Value): readonly [Json, Json] {
  return both(live, desired, { named: false, sources: sourcesOf(desired) }, documentPlace);
}

function both(a: Maybe, b: Maybe, placeOfA: PolicyPlace, placeOfB: PolicyPlace): readonly [Json, Json] {
  // What the manifest has here in clear is no secret, though it names a source for it in another rule.
  const aPlace = a === b ? { ...placeOfA, sources: undefined } : placeOfA;
  const secret = [isSecretAt(a, aPlace), isSecretAt(b, placeOfB)];
  if (secret.every(Boolean)) {
    return sameDocument(a, b) === false ? [label(a), `${label(b)} changed`] : [label(b), label(b)];
  }
  if (!secret.includes(true)) {
    if (Array.isArray(a) && Array.isArray(b)) return bothLists(a, b, aPlace, placeOfB);
    if (isValueObject(a) && isValueObject(b)) return bothObjects(a, b, aPlace, placeOfB);
  }
  return [maskDocument(a, aPlace), maskDocument(b, placeOfB)];
}

function bothObjects(a: ValueObject, b: ValueObject, aPlace: PolicyPlace, bPlace: PolicyPlace): readonly [Json, Json] {
  const shared = new Map<string, readonly [Json, Json]>();
  for (const member of Object.keys(a)) {
    if (!Object.hasOwn(b, member)) continue;
    shared.set(member, both(a[member], b[member], placeOfMember(a, member, aPlace), placeOfMember(b, member, bPlace)));
  }
  return [
    mapMembers(a, (member) => shared.get(member)?.[0] ?? maskDocument(a[member], placeOfMember(a, member, aPlace))),
    mapMembers(b, (member) => shared.get(member)?.[1] ?? maskDocument(b[member], placeOfMember(b, member, bPlace))),
  ];
}

function bothLists(
  a: readonly Value[],
  b: readonly Value[],
  aPlace: PolicyPlace,
  bPlace: PolicyPlace,
): readonly [readonly Json[], readonly Json[]] {
  const after: Json[] = [];
  const pairs = pairItems(a, b, aPlace, bPlace);
  const paired = new Set(pairs.values());
  const before = a.map((item, at): Json => {
    const other = pairs.get(at);
    if (other === undefined) return maskDocument(item, placeOfItem(aPlace));
    const [left, right] = both(item, b[other], placeOfItem(aPlace), placeOfItem(bPlace));
    after[other] = right;
    return left;
  });
  return [
    before,
    b.map((item, at) => (paired.has(at) ? (after[at] ?? null) : maskDocument(item, placeOfItem(bPlace)))),
  ];
}

function mapMembers(object: ValueObject, map: (member: string) => Json): Json {
  return Object.fromEntries(Object.keys(object).map((member) => [member, map(member)]));
}

function label(value: Maybe): string {
  return labelFor(secretsIn(value).flatMap((secret) => (hasSource(secret) ? [secret.source] : [])));
}

/**
 * Which item of one list stands beside which of another, by index: those that are the same at both ends, then those
 * that differ in their secrets alone, then the rest in its order.
 */
function pairItems(
  a: readonly Value[],
  b: readonly Value[],
  aPlace: PolicyPlace,
  bPlace: PolicyPlace,
): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && sameDocument(a[head], b[head]) !== false) pairs.set(head, head++);
  let tail = 0;
  while (tail < most - head && sameDocument(a[a.length - 1 - tail], b[b.length - 1 - tail]) !== false) {
    tail += 1;
    pairs.set(a.length - tail, b.length - tail);
  }
  const waiting = new Map<string, number[]>();
  for (let at = head; at < a.length - tail; at++) {
    const key = skeleton(a[at], placeOfItem(aPlace));
    const list = waiting.get(key);
    if (list === undefined) waiting.set(key, [at]);
    else list.push(at);
  }
  for (const list of waiting.values()) list.reverse();
  const alone: number[] = [];
  for (let at = head; at < b.length - tail; at++) {
    const other = waiting.get(skeleton(b[at], placeOfItem(bPlace)))?.pop();
    if (other === undefined) alone.push(at);
    else pairs.set(other, at);
  }
  const left = [...waiting.values()].flat().toSorted((x, y) => x - y);
  for (const [index, at] of alone.entries()) {
    const other = left[index];
    if (other !== undefined) pairs.set(other, at);
  }
  return pairs;
}

/** What a document says without the secrets in it, and without what stands where the other names sources. */
export function withoutSecrets(document: Maybe, other: Maybe): string {
  return skeleton(document, { named: false, sources: mergedSources(sourcesOf(document), sourcesOf(other)) });
}

/** What an item says without its secrets. */
function skeleton(value: Value | undefined, place: PolicyPlace): string {
  if (isSecretAt(value, place)) return MASK;
  if (Array.isArray(value))
    return `[${(value as readonly Value[]).map((item) => skeleton(item, placeOfItem(place))).join(",")}]`;
  if (!isValueObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value).toSorted();
  const parts = members.map((member) => {
    return `${JSON.stringify(member)}:${skeleton(value[member], placeOfMember(value, member, place))}`;
  });
  return `{${parts.join(",")}}`;
}
