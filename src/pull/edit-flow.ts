import type { Editing, EntryChanges, Insertion } from "./edit-node.js";
import type { Entry } from "./node-places.js";
import { type WritingStyle, flowText, keyText } from "./render-value.js";
import { Unsafe, lineEnd, lineStart, nextLine } from "./splices.js";

/** Removes and adds entries of a map or list in brackets: on one line, or on lines of their own. */
export function editFlow(changes: EntryChanges, editing: Editing): void {
  if (changes.entries.every((entry, at) => isAlone(editing.text, entry, changes.entries[at + 1])))
    editStacked(changes, editing);
  else editInline(changes, editing);
}

function editInline({ added, entries, gone }: EntryChanges, { splices, style, text }: Editing): void {
  const without = (start: number, end: number, { start: from, end: to }: Entry): void => {
    if (`${text.slice(start, from)}${text.slice(to, end)}`.includes("#"))
      throw new Unsafe("has a comment beside it that would be lost", from);
    splices.push({ start, end, text: "" });
  };
  const kept = entries.flatMap((_, at) => (gone.has(at) ? [] : [at]));
  // What goes takes the comma behind it along, so that what stands before it stays as it is; an addition needs that place.
  const untilBehind = (added.length > 0 ? kept[0] : kept.at(-1)) ?? entries.length;
  for (const [at, entry] of entries.entries()) {
    if (!gone.has(at)) continue;
    if (at > untilBehind) without(entries[at - 1]?.end ?? entry.start, entry.end, entry);
    else without(entry.start, entries[at + 1]?.start ?? entry.end, entry);
  }
  for (const { after, ...insertion } of added) {
    const entry = entries[after];
    if (entry !== undefined) {
      splices.push({ start: entry.end, end: entry.end, text: `, ${entryText({ after, ...insertion }, style)}` });
      continue;
    }
    const first = entries.find((_, at) => !gone.has(at));
    if (first !== undefined)
      splices.push({ start: first.start, end: first.start, text: `${entryText({ after, ...insertion }, style)}, ` });
  }
}

/** Each entry has lines of its own, which come and go; commas follow. */
function editStacked({ added, entries, gone }: EntryChanges, { splices, style, text }: Editing): void {
  const last = entries.at(-1);
  const trailing = last !== undefined && commaAfter(text, last) !== null;
  const kept = entries.flatMap((entry, at) => (gone.has(at) ? [] : [{ at, entry }]));
  const lastKept = kept.at(-1)?.at ?? -1;
  const isLast = (at: number): boolean => at === lastKept && !added.some(({ after }) => after === at);
  for (const [at, entry] of entries.entries()) {
    const comma = commaAfter(text, entry);
    if (gone.has(at)) {
      splices.push({ start: aboveOf(text, entries, at), end: nextLine(text, entry.end), text: "" });
    } else if (comma === null && (!isLast(at) || trailing))
      splices.push({ start: entry.end, end: entry.end, text: "," });
    else if (comma !== null && isLast(at) && !trailing) splices.push({ start: comma, end: comma + 1, text: "" });
  }
  const [first] = kept;
  for (const [index, insertion] of added.entries()) {
    const beside = entries[insertion.after] ?? first?.entry;
    if (beside === undefined) return;
    const column = text.slice(lineStart(text, beside.start), beside.start);
    const whole = entryText(insertion, style);
    const isEnd = insertion.after === lastKept && added[index + 1]?.after !== lastKept;
    const comma = isEnd && !trailing ? "" : ",";
    if (insertion.after === -1)
      splices.push({ start: beside.start, end: beside.start, text: `${whole},${style.lineBreak}${column}` });
    else {
      const end = lineEnd(text, beside.end);
      splices.push({ start: end, end, text: style.lineBreak + column + whole + comma });
    }
  }
}

/** The start of the lines of an entry that goes, with the comments directly above it; those above the first one stay. */
function aboveOf(text: string, entries: readonly Entry[], at: number): number {
  const start = lineStart(text, entries[at]?.start ?? 0);
  const before = entries[at - 1];
  if (before === undefined) return start;
  const between = text.slice(nextLine(text, before.end), start).split("\n").slice(0, -1);
  const first = between.findLastIndex((line) => !/^[ \t]*#/u.test(line)) + 1;
  return start - between.slice(first).reduce((sum, line) => sum + line.length + 1, 0);
}

/** The offset of the comma behind an entry, on its own line; null when there is none. */
function commaAfter(text: string, { end }: Entry): number | null {
  const [found] = /^[ \t]*,/u.exec(text.slice(end, lineEnd(text, end))) ?? [];
  return found === undefined ? null : end + found.length - 1;
}

/** Whether an entry has its lines to itself, its comma and a comment behind it aside. */
function isAlone(text: string, entry: Entry, next: Entry | undefined): boolean {
  const rest = text.slice(entry.end, lineEnd(text, entry.end));
  const behind = rest.trimStart().replace(/^,/u, "").trimStart();
  return (
    /^[ \t]*$/u.test(text.slice(lineStart(text, entry.start), entry.start)) &&
    (behind === "" || behind.startsWith("#")) &&
    (next === undefined || commaAfter(text, entry) !== null)
  );
}

function entryText({ name, value }: Insertion, style: WritingStyle): string {
  return name === null ? flowText(value, style) : `${keyText(name, style, true)}: ${flowText(value, style)}`;
}
