import { escapeHtml } from "./escape.js";
import type { DiffLine } from "./line-diff.js";

/**
 * A difference as markup: every line that changes, and unchanged ones near it; the others can be unfolded. Where one line
 * stands for another, the part that differs is emphasised. Long lines wrap.
 */
export function diffHtml(lines: readonly DiffLine[]): string {
  const parts: string[] = [];
  for (let start = 0; start < lines.length;) {
    const removed = runOf("-", lines, start);
    const added = runOf("+", lines, start + removed.length);
    if (removed.length + added.length === 0) {
      const line = lines[start];
      if (line !== undefined) parts.push(unchangedHtml(line));
      start += 1;
      continue;
    }
    for (const line of changedHtml(removed, added)) parts.push(line);
    start += removed.length + added.length;
  }
  return `<div class="diff">${parts.join("")}</div>`;
}

function runOf(mark: DiffLine["mark"], lines: readonly DiffLine[], start: number): readonly string[] {
  const texts: string[] = [];
  for (let line = lines[start]; line?.mark === mark; line = lines[start + texts.length]) texts.push(line.text);
  return texts;
}

function unchangedHtml({ folded, mark, text }: DiffLine): string {
  if (mark !== "gap") return `<span${wrapping(text)}>  ${escapeHtml(text)}</span>`;
  if (folded === undefined) return `<i>⋮ ${escapeHtml(text)}</i>`;
  const inner = folded.map(unchangedHtml).join("");
  return `<details class="fold"><summary>⋮ ${escapeHtml(text)}</summary>${inner}</details>`;
}

function changedHtml(removed: readonly string[], added: readonly string[]): readonly string[] {
  // As many lines as before are most probably the same lines with other values.
  const isPaired = removed.length === added.length;
  const before: string[] = [];
  const after: string[] = [];
  for (let line = 0; line < Math.max(removed.length, added.length); line += 1) {
    const [from, to] = [removed[line], added[line]];
    const middle = isPaired && from !== undefined && to !== undefined ? differingParts(from, to) : null;
    if (from !== undefined) before.push(`<del${wrapping(from)}>- ${emphasised(from, middle?.from)}</del>`);
    if (to !== undefined) after.push(`<ins${wrapping(to)}>+ ${emphasised(to, middle?.to)}</ins>`);
  }
  return [...before, ...after];
}

/** A long word wraps anywhere, rather than begin in a line below its mark. */
function wrapping(text: string): string {
  return longWord.test(text) ? ' class="long"' : "";
}

const longWord = /\S{31}/;

/** A part of a text: from one index up to another. */
type Span = readonly [number, number];

function emphasised(text: string, span: Span | undefined): string {
  if (span === undefined || span[0] === span[1]) return escapeHtml(text);
  const [start, end] = span;
  return `${escapeHtml(text.slice(0, start))}<b>${escapeHtml(text.slice(start, end))}</b>${escapeHtml(text.slice(end))}`;
}

/** The words in which two lines differ; null when they have nothing in common but blanks at their beginning. */
function differingParts(from: string, to: string): { readonly from: Span; readonly to: Span } | null {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from.charCodeAt(start) === to.charCodeAt(start)) start += 1;
  let tail = 0;
  while (tail < shorter - start && from.charCodeAt(from.length - 1 - tail) === to.charCodeAt(to.length - 1 - tail))
    tail += 1;
  const within = (steps: number): boolean => isWordAt(from, start - 1 - steps);
  const behind = (steps: number): boolean => isWordAt(from, from.length - tail + steps);
  start -= stepsToWordEnd(start, within, isLow(from, start) || isLow(to, start));
  tail -= stepsToWordEnd(tail, behind, isLow(from, from.length - tail));
  const shared = from.slice(0, start) + from.slice(from.length - tail);
  return shared.trim() === "" ? null : { from: [start, from.length - tail], to: [start, to.length - tail] };
}

/** Longer words are not emphasised as a whole. */
const longestWord = 24;

/** How far to go so that a whole word is emphasised, and never one half of a pair of surrogates. */
function stepsToWordEnd(most: number, isWord: (steps: number) => boolean, dividesPair: boolean): number {
  let steps = 0;
  while (steps < most && steps <= longestWord && isWord(steps)) steps += 1;
  return steps > longestWord ? Number(dividesPair) : steps;
}

function isLow(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}

function isWordAt(text: string, index: number): boolean {
  return /[\p{L}\p{M}\p{N}\p{Cs}_]/u.test(text.charAt(index));
}
