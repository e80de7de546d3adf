import { type Value, isObject } from "../core/json.js";
import { sameValue } from "./same-value.js";

/** What becomes of the items of a list, in the order of the new one. */
export type ItemStep =
  | { readonly do: "keep" | "edit"; readonly from: number; readonly to: number }
  | { readonly do: "remove"; readonly from: number }
  | { readonly do: "insert"; readonly to: number };

/** Beyond this many comparisons, only the ends of two lists are aligned. */
const mostComparisons = 1_000_000;

/**
 * How a list becomes another with as few items touched as possible: equal items stay, in their order; of the others, an
 * item becomes one that is like it (the same `name`, the same actions), and the rest is removed and inserted.
 */
export function alignItems(from: readonly Value[], to: readonly Value[]): readonly ItemStep[] {
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && sameValue(from[head], to[head])) head++;
  let tail = 0;
  while (tail < most - head && sameValue(from[from.length - 1 - tail], to[to.length - 1 - tail])) tail++;
  const a = from.slice(head, from.length - tail);
  const b = to.slice(head, to.length - tail);
  const steps: ItemStep[] = range(head).map((at) => ({ do: "keep", from: at, to: at }));
  let [i, j] = [0, 0];
  const gapUntil = (endA: number, endB: number): void => {
    for (const step of likeItems(a.slice(i, endA), b.slice(j, endB))) steps.push(moved(step, head + i, head + j));
    [i, j] = [endA, endB];
  };
  for (const [x, y] of commonItems(a, b)) {
    gapUntil(x, y);
    steps.push({ do: "keep", from: head + x, to: head + y });
    [i, j] = [x + 1, y + 1];
  }
  gapUntil(a.length, b.length);
  for (const at of range(tail)) {
    steps.push({ do: "keep", from: from.length - tail + at, to: to.length - tail + at });
  }
  return steps;
}

/** The longest common subsequence, as pairs of indexes. */
function commonItems(a: readonly Value[], b: readonly Value[]): readonly (readonly [number, number])[] {
  if (a.length * b.length > mostComparisons) return [];
  const lengths = range(a.length + 1).map(() => range(b.length + 1).fill(0));
  const length = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = lengths[i] ?? [];
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = sameValue(a[i], b[j]) ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (sameValue(a[i], b[j])) pairs.push([i++, j++]);
    else if (length(i + 1, j) >= length(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

/** Items without an equal one: each becomes the next one that is like it. */
function likeItems(a: readonly Value[], b: readonly Value[]): readonly ItemStep[] {
  const steps: ItemStep[] = [];
  let next = 0;
  for (const [from, item] of a.entries()) {
    const found = b.findIndex((other, at) => at >= next && isLike(item, other));
    if (found === -1) steps.push({ do: "remove", from });
    else {
      for (; next < found; next++) steps.push({ do: "insert", to: next });
      steps.push({ do: "edit", from, to: found });
      next = found + 1;
    }
  }
  for (; next < b.length; next++) steps.push({ do: "insert", to: next });
  return steps;
}

/** Whether two items are versions of one thing: a member that both have is the same, or like it. */
function isLike(a: Value, b: Value): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    const others: readonly Value[] = b;
    return a.some((item: Value) =>
      others.some((other) => isStructure(item) && (sameValue(item, other) || isLike(item, other))),
    );
  }
  if (!isObject(a) || !isObject(b)) return false;
  const [left, right] = [a as { [m: string]: Value }, b as { [m: string]: Value }];
  if (typeof left["name"] === "string" && typeof right["name"] === "string") return left["name"] === right["name"];
  return Object.keys(left).some((member) => {
    const [x, y] = [left[member] ?? null, right[member]];
    return y !== undefined && (sameValue(x, y) || isLike(x, y));
  });
}

function isStructure(value: Value): boolean {
  return typeof value === "object" && value !== null;
}

function moved(step: ItemStep, i: number, j: number): ItemStep {
  if (step.do === "remove") return { ...step, from: step.from + i };
  if (step.do === "insert") return { ...step, to: step.to + j };
  return { ...step, from: step.from + i, to: step.to + j };
}

function range(length: number): number[] {
  return Array.from({ length }, (_, at) => at);
}
