import type { DocumentPlace } from "../diagnostics/diagnostic.js";

/**
 * Tells which documents of a file may hold an expression, without looking at their values. Every expression, and what looks
 * like one, begins with a dollar, which stands in the text as it is, or is written with a backslash. Each character of
 * the file is looked at once if the documents come in their order.
 */
export class ExpressionMarks {
  readonly #dollars: NextMark;
  readonly #backslashes: NextMark;

  constructor(text: string) {
    this.#dollars = new NextMark(text, "$");
    this.#backslashes = new NextMark(text, "\\");
  }

  /** Whether there is a mark in a document. */
  areIn({ end, start }: DocumentPlace): boolean {
    return this.#dollars.after(start) < end || this.#backslashes.after(start) < end;
  }
}

/** Finds a character in a text, and remembers where it was. */
class NextMark {
  #from = Number.POSITIVE_INFINITY;
  #next = 0;

  constructor(
    private readonly text: string,
    private readonly mark: string,
  ) {}

  /** The first offset of the mark that is not before another offset; infinite when there is none. */
  after(offset: number): number {
    if (offset < this.#from || offset > this.#next) {
      const found = this.text.indexOf(this.mark, offset);
      this.#from = offset;
      this.#next = found === -1 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#next;
  }
}
