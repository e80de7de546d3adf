/** A place in a text. Both start at 1; columns count UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds lines in one text: built once in linear time, asked in logarithmic time. */
export class LineIndex {
  readonly #starts: readonly number[];

  constructor(readonly text: string) {
    const starts = [0];
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  /** Where an offset stands; offsets past the end stand at the end. */
  position(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.text.length));
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (this.#starts[low] ?? 0) + 1 };
  }

  /** How many lines there are. */
  get count(): number {
    return this.#starts.length;
  }

  /** A line without its end; "" past the end. */
  line(number: number): string {
    const start = this.#starts[number - 1];
    if (start === undefined) return "";
    return this.text.slice(start, (this.#starts[number] ?? this.text.length + 1) - 1).replace(/\r$/u, "");
  }
}

/** The widest line that is shown. */
const width = 160;

/** The longest message. What a manifest says may be quoted in it, and a manifest may say a lot. */
const messageLength = 600;

/** Controls, direction marks and what else is invisible could rewrite what a terminal or a review shows. Tabs stay. */
const unsafe = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function withoutInvisible(text: string): string {
  return text.replace(unsafe, (character) => "\ufffd".repeat(character.length));
}

/** A source line as it may be shown, as long as the column is in it; null when there is nothing to show. */
export function excerptOf(line: string, column: number): string | null {
  if (column > width || line.trim() === "") return null;
  return withoutInvisible(line.slice(0, width));
}

/** A message on one line, without control characters, of a sane length. */
export function plainText(text: string): string {
  const cut = text.length > messageLength ? `${text.slice(0, messageLength)}…` : text;
  return withoutInvisible(cut.replace(/\s+/gu, (blanks) => (/[\r\n]/u.test(blanks) ? " " : blanks)));
}
