import type { Editing, EntryChanges, Insertion } from "./edit-node.js";
import { type Entry, endOfEntry, extentOf, hasCommentAbove } from "./node-places.js";
import { indented, itemLines, memberLines } from "./render-value.js";
import { Unsafe, endsLine, lineStart, nextLine, startsLine } from "./splices.js";

/** Removes and adds whole lines of a map or list in block style. */
export function editBlock(changes: EntryChanges, editing: Editing): void {
  removeEntries(changes, editing);
  addEntries(changes, editing);
}

function removeEntries({ entries, gone }: EntryChanges, { splices, text }: Editing): void {
  // The first ones may share their line with a dash: `- name: a`.
  let shared = entries[0] !== undefined && !startsLine(text, entries[0].start);
  for (const [at, entry] of entries.entries()) {
    if (!gone.has(at)) {
      shared = false;
      continue;
    }
    if (!shared) {
      splices.push({ ...extentOf(text, entries, at), text: "" });
      continue;
    }
    const next = entries[at + 1];
    if (next === undefined || !endsLine(text, entry.end))
      throw new Unsafe("shares a line with something else", entry.start);
    if (/#/u.test(text.slice(nextLine(text, entry.end), next.start)))
      throw new Unsafe("has a comment behind it that would move", entry.start);
    splices.push({ start: entry.start, end: next.start, text: "" });
  }
}

function addEntries({ added, entries, gone }: EntryChanges, { splices, style, text }: Editing): void {
  const [first] = entries;
  if (first === undefined) return;
  const column = first.start - lineStart(text, first.start);
  for (const insertion of added) {
    const lines = movedLines(insertion, text, entries) ?? linesOf(insertion, style);
    // A comment above the first member is about that one, and a new one would come between. Items must be in order.
    const leads = insertion.name === null || (!gone.has(0) && !hasCommentAbove(text, first));
    const anchor = insertion.after === -1 && !leads ? firstKept(entries.length, gone) : insertion.after;
    const whole = lines.map((line) => indented(line, column)).join(style.lineBreak);
    if (anchor === -1) {
      const at = startsLine(text, first.start) ? extentOf(text, entries, 0).start : first.start;
      const shared = at === first.start && column > 0;
      splices.push({
        start: at,
        end: at,
        text: shared ? whole.trimStart() + style.lineBreak + " ".repeat(column) : whole + style.lineBreak,
      });
      continue;
    }
    const entry = entries[anchor];
    if (entry === undefined || !endsLine(text, entry.end))
      throw new Unsafe("shares a line with something else", first.start);
    const at = endOfEntry(text, entry, column);
    const unended = at === text.length && !text.endsWith("\n");
    splices.push({ start: at, end: at, text: unended ? style.lineBreak + whole : whole + style.lineBreak });
  }
}

/** The lines of an item that only changes its place, its comments included; null when it doesn't have them to itself. */
function movedLines({ from }: Insertion, text: string, entries: readonly Entry[]): readonly string[] | null {
  const entry = from === undefined ? undefined : entries[from];
  if (from === undefined || entry === undefined || !startsLine(text, entry.start)) return null;
  const { end, start } = extentOf(text, entries, from);
  const column = entry.start - lineStart(text, entry.start);
  return text
    .slice(start, end)
    .replace(/\r?\n$/u, "")
    .split(/\r?\n/u)
    .map((line) => (/^ *$/u.test(line.slice(0, column)) ? line.slice(column) : line));
}

function linesOf({ name, value }: Insertion, style: Editing["style"]): readonly string[] {
  return name === null ? itemLines(value, style) : memberLines(name, value, style);
}

function firstKept(count: number, gone: ReadonlySet<number>): number {
  return Array.from({ length: count }, (_, at) => at).find((at) => !gone.has(at)) ?? -1;
}
