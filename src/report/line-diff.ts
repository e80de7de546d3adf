import { diffArrays } from "diff";
import type { Json } from "../core/json.js";
import type { FieldChange } from "../plan/plan-format.js";
import { count } from "../text/layout.js";
import { blockLines, formatFlow, isList, isLongText, isReference } from "./values.js";

/** One line of a difference. `gap` stands for omitted lines; its text is their number. */
export interface DiffLine {
  readonly mark: "+" | "-" | " " | "gap";
  readonly text: string;
  /** The unchanged lines that a gap stands for, where a reader can unfold them. */
  readonly folded?: readonly DiffLine[];
}

/** Compares two texts given as lines. */
export type LineDiff = (before: readonly string[], after: readonly string[]) => readonly DiffLine[];

/** The comparison that these changes or findings need: the library is loaded only for two long texts or objects. */
export async function lineDiffFor(items: readonly { readonly fields: readonly FieldChange[] }[]): Promise<LineDiff> {
  return items.some((item) => item.fields.some(comparesLines)) ? loadLineDiff() : replaceWhole;
}

/** Whether both sides of a field are lines or lists, of which a part may be unchanged. */
export function comparesLines(field: FieldChange): boolean {
  return spansLines(field.before) && spansLines(field.after);
}

function spansLines(value: FieldChange["before"]): boolean {
  return typeof value === "string" ? isLongText(value) : typeof value === "object" && value !== null;
}

const replaceWhole: LineDiff = (before, after) => [...marked("-", before), ...marked("+", after)];

const context = 3;
const maxEdits = 500;

/**
 * Loads the library that compares lines. Texts with little in common would take quadratic time: they are shown as
 * replaced, except for the lines that they share at both ends.
 */
export async function loadLineDiff(): Promise<LineDiff> {
  return (before, after) => {
    const [head, tail] = sharedEnds(before, after);
    const a = before.slice(head, before.length - tail);
    const b = after.slice(head, after.length - tail);
    const parts = diffArrays([...a], [...b], { maxEditLength: maxEdits });
    const middle =
      parts === undefined
        ? [...marked("-", a), ...marked("+", b)]
        : parts.flatMap((part) => marked(part.added ? "+" : part.removed ? "-" : " ", part.value));
    return withGaps([
      ...marked(" ", before.slice(0, head)),
      ...middle,
      ...marked(" ", before.slice(before.length - tail)),
    ]);
  };
}

function marked(mark: DiffLine["mark"], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ mark, text }));
}

function sharedEnds(a: readonly string[], b: readonly string[]): readonly [number, number] {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return [head, tail];
}

/** Leaves out unchanged lines further than three from a change, unless that saves nothing. */
function withGaps(lines: readonly DiffLine[]): readonly DiffLine[] {
  const result: DiffLine[] = [];
  let start = 0;
  for (let line = lines[start]; line !== undefined; line = lines[start]) {
    if (line.mark !== " ") {
      result.push(line);
      start += 1;
      continue;
    }
    let end = start;
    while (end < lines.length && lines[end]?.mark === " ") end += 1;
    const from = start === 0 ? start : start + context;
    const to = end === lines.length ? end : end - context;
    if (to - from < 2) result.push(...lines.slice(start, end));
    else {
      const gap = { mark: "gap", text: `${to - from} unchanged lines`, folded: lines.slice(from, to) } as const;
      result.push(...lines.slice(start, from), gap, ...lines.slice(to, end));
    }
    start = end;
  }
  return result;
}

/**
 * The difference of two lists. Lists of plain values and references are shown as removed and added elements, since most
 * of them are sets; when only the order differs, or elements are larger, they are compared line by line.
 */
export function listDiff(before: readonly Json[], after: readonly Json[], diff: LineDiff): readonly DiffLine[] {
  if (![...before, ...after].every(isPlainElement)) return diff(blockLines(before), blockLines(after));
  const from = before.map(formatFlow);
  const to = after.map(formatFlow);
  const removed = elementsMissingFrom(from, to);
  const added = elementsMissingFrom(to, from);
  if (removed.length === 0 && added.length === 0) return diff(from, to);
  const kept = elementsMissingFrom(from, removed);
  return [
    ...marked("-", removed),
    ...marked("+", added),
    ...(kept.length > 0
      ? [{ mark: "gap", text: count(kept.length, "unchanged element"), folded: marked(" ", kept) } as const]
      : []),
  ];
}

function isPlainElement(value: Json): boolean {
  return typeof value !== "object" || value === null || isReference(value) || (isList(value) && value.length === 0);
}

/** The elements of `a` that `b` lacks; an element that `a` has twice must be in `b` twice. */
function elementsMissingFrom(a: readonly string[], b: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const item of b) counts.set(item, (counts.get(item) ?? 0) + 1);
  return a.filter((item) => {
    const left = counts.get(item) ?? 0;
    if (left > 0) counts.set(item, left - 1);
    return left === 0;
  });
}
