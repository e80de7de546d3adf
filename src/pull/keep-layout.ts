import { diffLines } from "diff";
import { jsonEscape, escapeActive } from "../core/visible.js";

/** Beyond this many changed lines the edited print is taken as it is. */
const maxEditLength = 5_000;

/** The layout of the original, if its print differs in blanks alone, then the edited print. */
export function layouts(original: string, printed: string, edited: string): readonly string[] {
  const lineBreak = original.includes("\r\n") ? "\r\n" : "\n";
  const written = (text: string): string => escapeActive(text, jsonEscape).replaceAll("\n", lineBreak);
  const ended = original.endsWith("\n");
  const source = ended ? original : original + lineBreak;
  const changes = diffLines(printed, edited, { maxEditLength });
  if (changes === undefined || withoutBlanks(source) !== withoutBlanks(printed)) return [written(edited)];
  const places = new Places(printed, source);
  let [result, done, at, removed, added] = ["", 0, 0, "", ""];
  const finishChange = (): void => {
    const { head, tail } = places.sharedEnds(at, removed, added);
    if (head + tail < Math.max(removed.length, added.length)) {
      const text = places.indented(at + head, at + removed.length, added.slice(head, added.length - tail));
      result += source.slice(done, places.inOriginal(at + head)) + written(text);
      done = places.inOriginal(at + removed.length - tail);
    }
    at += removed.length;
    [removed, added] = ["", ""];
  };
  for (const change of changes) {
    if (change.removed) removed += change.value;
    else if (change.added) added += change.value;
    else {
      finishChange();
      at += change.value.length;
    }
  }
  finishChange();
  result += source.slice(done);
  return [ended ? result : result.replace(/\r?\n$/u, ""), written(edited)];
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/gu, "");
}

/** Where places of a print are in the original, which has the same characters but for blanks. */
class Places {
  /** The number of characters of the print before each place, and their places in the original; blanks don't count. */
  readonly #before: number[] = [];
  readonly #original: readonly number[];
  /** The lines that are lines in the original, too. */
  readonly #lines: readonly { readonly start: number; readonly depth: number; readonly shift: number }[];

  constructor(
    private readonly printed: string,
    private readonly original: string,
  ) {
    let count = 0;
    for (let at = 0; at <= printed.length; at++) {
      this.#before.push(count);
      if (this.#isSolid(at)) count++;
    }
    this.#original = [...original.matchAll(/\S/gu)].map(({ index }) => index);
    this.#lines = [...printed.matchAll(/^( *)\S/gmu)].flatMap(({ 1: blanks = "", index: start }) => {
      const place = this.#original[this.#before[start + blanks.length] ?? 0] ?? 0;
      const column = place - (original.lastIndexOf("\n", place - 1) + 1);
      const isFirst = original.slice(place - column, place).trim() === "";
      return isFirst ? [{ start, depth: blanks.length, shift: column - blanks.length }] : [];
    });
  }

  inOriginal(at: number): number {
    const index = this.#before[at] ?? 0;
    if (this.#isSolid(at)) return this.#original[index] ?? this.original.length;
    const after = (this.#original[index - 1] ?? -1) + 1;
    if (this.#isSolid(at - 1)) return after;
    // At the start of a line: as many lines below what is before it.
    const until = this.#original[index] ?? this.original.length;
    const head = this.printed.slice(0, at);
    const lines = head.slice(head.trimEnd().length).split("\n").length - 1;
    let place = after;
    for (let line = 0; line < lines; line++) {
      const next = this.original.indexOf("\n", place) + 1;
      if (next === 0 || next > until) break;
      place = next;
    }
    return place;
  }

  /** A new text from `start` on, its lines indented like those nearest to it that are as deep in the print. */
  indented(start: number, end: number, text: string): string {
    let shift = 0;
    const isAtLineStart = start === 0 || this.printed[start - 1] === "\n";
    return text
      .split("\n")
      .map((line, index) => {
        if (line.trim() === "" || (index === 0 && !isAtLineStart)) return line;
        const depth = line.search(/\S/u);
        shift = this.#shiftNear(depth, end) ?? shift;
        return " ".repeat(Math.max(0, depth + shift)) + line.slice(depth);
      })
      .join("\n");
  }

  /** How much further right than in the print the nearest line of a depth is in the original. */
  #shiftNear(depth: number, at: number): number | null {
    const lines = this.#lines.filter((line) => line.depth === depth);
    return (lines.findLast(({ start }) => start < at) ?? lines[0])?.shift ?? null;
  }

  /** How much a change has in common at its ends, cut where a place has its counterpart in the original. */
  sharedEnds(at: number, removed: string, added: string): { readonly head: number; readonly tail: number } {
    const most = Math.min(removed.length, added.length);
    let head = 0;
    while (head < most && removed[head] === added[head]) head++;
    while (head > 0 && !this.#isDefinite(at + head)) head--;
    let tail = 0;
    while (tail < most - head && removed.at(-1 - tail) === added.at(-1 - tail)) tail++;
    while (tail > 0 && !this.#isDefinite(at + removed.length - tail)) tail--;
    return { head, tail };
  }

  #isDefinite(at: number): boolean {
    return this.#isSolid(at) || this.#isSolid(at - 1) || this.printed[at - 1] === "\n";
  }

  #isSolid(at: number): boolean {
    return /^\S/u.test(this.printed.charAt(at));
  }
}
