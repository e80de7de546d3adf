import { createTwoFilesPatch, diffArrays } from "diff";
import type { Json } from "../core/json.js";
import { palette } from "../report/styles.js";
import { count } from "../core/text.js";
import { guardRunner, visible } from "../core/visible.js";
import { formatFlow, isList, isReference, yamlLines } from "./values.js";

/** `gap` stands for omitted lines; its text is their number. */
export interface DiffLine {
  readonly mark: "+" | "-" | " " | "gap";
  readonly text: string;
}

const context = 3;

/** Compares two texts given as lines; texts with little in common, which would take long, are shown as replaced. */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: 500 });
  if (parts === undefined) return [...marked("-", before), ...marked("+", after)];
  return parts.flatMap(({ added, removed, value }, index) => {
    if (added || removed) return marked(added ? "+" : "-", value);
    const from = index === 0 ? 0 : context;
    const to = value.length - (index === parts.length - 1 ? 0 : context);
    const lines = marked(" ", value);
    if (to - from < 2) return lines;
    const gap = { mark: "gap", text: `${to - from} unchanged lines` } as const;
    return [...lines.slice(0, from), gap, ...lines.slice(to)];
  });
}

function marked(mark: DiffLine["mark"], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ mark, text }));
}

/** Lists of plain values and references, mostly sets, by their elements, unless only their order differs; others line by line. */
export function listDiff(before: readonly Json[], after: readonly Json[]): readonly DiffLine[] {
  if (![...before, ...after].every(isPlainElement)) return lineDiff(yamlLines(before), yamlLines(after));
  const [from, to] = [before.map((item) => formatFlow(item)), after.map((item) => formatFlow(item))];
  const removed = missingFrom(from, to);
  const added = missingFrom(to, from);
  if (removed.length === 0 && added.length === 0) return lineDiff(from, to);
  const kept = missingFrom(from, removed);
  const gap = { mark: "gap", text: count(kept.length, "unchanged element") } as const;
  return [...marked("-", removed), ...marked("+", added), ...(kept.length === 0 ? [] : [gap])];
}

function isPlainElement(value: Json): boolean {
  return typeof value !== "object" || value === null || isReference(value) || (isList(value) && value.length === 0);
}

/** The elements of `a` that `b` lacks; an element that `a` has twice must be in `b` twice. */
function missingFrom(a: readonly string[], b: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const item of b) counts.set(item, (counts.get(item) ?? 0) + 1);
  return a.filter((item) => {
    const left = counts.get(item) ?? 0;
    if (left > 0) counts.set(item, left - 1);
    return left === 0;
  });
}

/** A unified diff of a text file. Line ends of Windows are not shown. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const name = path.replaceAll(/[\r\n]/gu, "?");
  const [from, to] = [before.replaceAll("\r\n", "\n"), after.replaceAll("\r\n", "\n")];
  const headerOptions = { includeIndex: false, includeUnderline: false, includeFileHeaders: true };
  return createTwoFilesPatch(`a/${name}`, `b/${name}`, from, to, undefined, undefined, { context, headerOptions });
}

export function renderFileDiff(diff: string, { color }: { readonly color: boolean }): string {
  const paint = palette(color);
  const lines = diff.split("\n").map((line) => {
    const text = visible(line);
    if (/^(?:---|\+\+\+) [ab]\//u.test(line)) return paint.bold(text);
    if (line.startsWith("@@")) return paint.adopt(text);
    return line.startsWith("+") ? paint.add(text) : line.startsWith("-") ? paint.remove(text) : text;
  });
  return guardRunner(lines.join("\n"));
}
