import { type ChangeObject, diffWordsWithSpace } from "diff";
import { escapeHtml } from "./escape.js";
import type { FieldView } from "./field-view.js";
import type { DiffLine } from "./line-diff.js";

/** The fields of one resource. */
export function fieldsHtml(views: readonly FieldView[]): string {
  return views.map(fieldHtml).join("\n");
}

function fieldHtml(view: FieldView): string {
  const tags = view.tags.map(
    (tag) => ` <span class="badge${tag.startsWith("conflict") ? " conflict" : ""}">${escapeHtml(tag)}</span>`,
  );
  const why =
    view.reason === null ? "" : `<p class="why ${view.impact}">${view.impact}: ${escapeHtml(view.reason)}</p>`;
  return `<div class="field"><code class="path">${escapeHtml(view.path)}</code>${tags.join("")}${why}${valuesHtml(view)}</div>`;
}

function valuesHtml({ after, before, lines, sign }: FieldView): string {
  if (lines !== null) return diffHtml(lines);
  if (sign === "~" && (before === null || after === null))
    return `<div class="values mono soft">${escapeHtml(after ?? before ?? "")}</div>`;
  const sides = [
    ...(before === null ? [] : [`<del>${escapeHtml(before)}</del>`]),
    ...(after === null ? [] : [`<ins>${escapeHtml(after)}</ins>`]),
  ];
  return `<div class="values mono">${sides.join('<span class="arrow">→</span>')}</div>`;
}

/** Every line that changes, and unchanged ones near it. */
function diffHtml(lines: readonly DiffLine[]): string {
  const parts: string[] = [];
  for (let start = 0; start < lines.length;) {
    const removed = runOf("-", lines, start);
    const added = runOf("+", lines, start + removed.length);
    const line = lines[start];
    parts.push(
      ...(removed.length + added.length === 0 && line !== undefined
        ? [unchangedHtml(line)]
        : changedHtml(removed, added)),
    );
    start += Math.max(1, removed.length + added.length);
  }
  return `<div class="diff">${parts.join("")}</div>`;
}

function runOf(mark: DiffLine["mark"], lines: readonly DiffLine[], start: number): readonly string[] {
  let end = start;
  while (lines[end]?.mark === mark) end += 1;
  return lines.slice(start, end).map(({ text }) => text);
}

function unchangedHtml({ mark, text }: DiffLine): string {
  return mark === "gap" ? `<i>⋮ ${escapeHtml(text)}</i>` : `<span${wrapping(text)}>  ${escapeHtml(text)}</span>`;
}

function changedHtml(removed: readonly string[], added: readonly string[]): readonly string[] {
  // As many lines as before are most probably the same lines with other values.
  const words = removed.map((from, at) => (removed.length === added.length ? wordsOf(from, added[at] ?? "") : null));
  return [
    ...removed.map((from, at) => `<del${wrapping(from)}>- ${words[at]?.from ?? escapeHtml(from)}</del>`),
    ...added.map((to, at) => `<ins${wrapping(to)}>+ ${words[at]?.to ?? escapeHtml(to)}</ins>`),
  ];
}

/** A long word wraps anywhere, rather than begin in a line below its mark. */
function wrapping(text: string): string {
  return /\S{31}/u.test(text) ? ' class="long"' : "";
}

/** Two lines with the words emphasised in which they differ; null when they have little in common. */
function wordsOf(from: string, to: string): { readonly from: string; readonly to: string } | null {
  const parts = diffWordsWithSpace(from, to, { maxEditLength: 40 });
  if (parts === undefined) return null;
  if (parts.every(({ added, removed, value }) => added || removed || value.trim() === "")) return null;
  const side = (isOther: (part: ChangeObject<string>) => boolean): string =>
    parts
      .filter((part) => !isOther(part))
      .map(({ added, removed, value }) => (added || removed ? `<b>${escapeHtml(value)}</b>` : escapeHtml(value)))
      .join("");
  return { from: side(({ added }) => added), to: side(({ removed }) => removed) };
}
