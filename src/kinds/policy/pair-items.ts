import type { Value } from "../../json.js";
import { MASK } from "../../secret.js";
import { sameDocument } from "./compare-documents.js";
import { type PolicyPlace, isSecretAt, placeOfItem, placeOfMember } from "./place.js";
import { isValueObject } from "./secret-places.js";

/**
 * Which item of one list stands beside which of another, by index: those that are the same at both ends, then those
 * that differ in their secrets alone, then the rest in its order.
 */
export function pairItems(
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
    const key = skeleton(a[at], placeOfItem(a, at, aPlace));
    const list = waiting.get(key);
    if (list === undefined) waiting.set(key, [at]);
    else list.push(at);
  }
  for (const list of waiting.values()) list.reverse();
  const alone: number[] = [];
  for (let at = head; at < b.length - tail; at++) {
    const other = waiting.get(skeleton(b[at], placeOfItem(b, at, bPlace)))?.pop();
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

/** What an item says without its secrets. */
function skeleton(value: Value | undefined, place: PolicyPlace): string {
  if (isSecretAt(value, place)) return MASK;
  if (Array.isArray(value)) {
    const list: readonly Value[] = value;
    return `[${list.map((item, at) => skeleton(item, placeOfItem(list, at, place))).join(",")}]`;
  }
  if (!isValueObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value).toSorted();
  const parts = members.map((member) => {
    return `${JSON.stringify(member)}:${skeleton(value[member], placeOfMember(value, member, place))}`;
  });
  return `{${parts.join(",")}}`;
}
