import type { Json } from "../json.js";
import { blockLines } from "./block-lines.js";
import { count } from "./count.js";
import { formatFlow, isList, isReference } from "./flow.js";
import type { DiffLine, LineDiff } from "./line-diff.js";

/**
 * What two lists differ in. Lists of plain values and references are shown as elements taken away and added, since
 * most of them are sets; when only the order differs, or elements are larger, line by line.
 */
export function listDiff(before: readonly Json[], after: readonly Json[], diff: LineDiff): readonly DiffLine[] {
  if (![...before, ...after].every(isPlainElement)) return diff(blockLines(before), blockLines(after));
  const from = before.map(formatFlow);
  const to = after.map(formatFlow);
  const removed = elementsMissingFrom(from, to);
  const added = elementsMissingFrom(to, from);
  if (removed.length === 0 && added.length === 0) return diff(from, to);
  const kept = from.length - removed.length;
  return [
    ...removed.map((text) => ({ mark: "-", text }) as const),
    ...added.map((text) => ({ mark: "+", text }) as const),
    ...(kept > 0 ? [{ mark: "gap", text: count(kept, "unchanged element") } as const] : []),
  ];
}

function isPlainElement(value: Json): boolean {
  return typeof value !== "object" || value === null || isReference(value) || (isList(value) && value.length === 0);
}

/** The elements of `a` that `b` lacks, one for one. */
function elementsMissingFrom(a: readonly string[], b: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const item of b) counts.set(item, (counts.get(item) ?? 0) + 1);
  return a.filter((item) => {
    const left = counts.get(item) ?? 0;
    if (left > 0) counts.set(item, left - 1);
    return left === 0;
  });
}
