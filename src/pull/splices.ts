/** A piece of a text to be replaced. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Thrown where an edit might change more than is meant; caught by `editDocument`, which leaves the field alone. */
export class Unsafe extends Error {
  override readonly name = "Unsafe";

  /**
   * @param message why, as a predicate of the field: `comes from policy.yaml`
   * @param offset where, in the document
   */
  constructor(
    message: string,
    readonly offset: number,
    readonly remedy: string | null = null,
  ) {
    super(message);
  }
}

/** The text with all splices applied. Those at one place are applied in the order in which they were made. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let result = "";
  let at = 0;
  // Sorting is stable. An insertion stands before a removal that begins at the same place.
  for (const { start, end, text: part } of splices.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start < at) throw new Unsafe("can't be edited without touching what is beside it", start);
    result += text.slice(at, start) + part;
    at = end;
  }
  return result + text.slice(at);
}

/** The start of the line that an offset is in. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

/** The end of the line that an offset is in, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const found = text.indexOf("\n", offset);
  if (found === -1) return text.length;
  return found > offset && text.charAt(found - 1) === "\r" ? found - 1 : found;
}

/** The start of the line after an offset; the end of the text after the last one. */
export function nextLine(text: string, offset: number): number {
  const found = text.indexOf("\n", offset);
  return found === -1 ? text.length : found + 1;
}

/** Whether only blanks and a comment stand between an offset and the end of its line. */
export function endsLine(text: string, offset: number): boolean {
  return /^[ \t]*(?:$|[ \t]#|#)/u.test(text.slice(offset, lineEnd(text, offset)));
}

/** Whether only blanks stand between the start of its line and an offset. */
export function startsLine(text: string, offset: number): boolean {
  return /^ *$/u.test(text.slice(lineStart(text, offset), offset));
}
