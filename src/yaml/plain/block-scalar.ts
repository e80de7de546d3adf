import { decline } from "./plain-values.js";

/** The header of a literal (`|`) or folded (`>`) text. */
const header = /([|>])([+-]?) *(?: #[^\n]*)?(?=\n)/y;

/** The text of a block scalar, and the end of its last line. */
interface BlockScalar {
  readonly value: string;
  readonly stop: number;
}

/**
 * The text below a header without an indentation indicator.
 * @param at the offset of the header
 * @param stop the end of the header's line
 * @param column of the key or dash that the text belongs to
 */
export function blockScalar(text: string, at: number, stop: number, column: number): BlockScalar {
  header.lastIndex = at;
  const [, style, chomping] = header.exec(text) ?? [];
  if (style === undefined) return decline();
  const { blankAtEnd, lines, stop: last } = linesBelow(text, stop, column);
  if (lines.length === 0) return decline();
  const value = style === "|" ? lines.join("\n") : folded(lines);
  if (chomping === "-") return { value, stop: last };
  return { value: value + (chomping === "+" ? "\n".repeat(blankAtEnd + 1) : "\n"), stop: last };
}

interface TextLines {
  /** Without their indentation, up to the last one that isn't blank; a blank line is "". */
  readonly lines: readonly string[];
  /** The number of blank lines after them. */
  readonly blankAtEnd: number;
  /** The end of the last line, blank or not. */
  readonly stop: number;
}

function linesBelow(text: string, headerStop: number, column: number): TextLines {
  const lines: string[] = [];
  let indent = 0;
  let blank = 0;
  let stop = headerStop;
  for (let start = stop + 1; start < text.length; start = stop + 1) {
    let first = start;
    while (text.charCodeAt(first) === 32) first++;
    const end = text.indexOf("\n", first);
    if (end === -1) return decline();
    if (first === end) {
      // A blank line: spaces beyond the indentation are content, but before the first line it is not known.
      if (indent === 0 || first - start > indent) return decline();
      blank++;
    } else {
      if (indent === 0) indent = first - start;
      if (indent <= column) return decline();
      if (first - start < indent) break;
      for (; blank > 0; blank--) lines.push("");
      lines.push(text.slice(start + indent, end));
    }
    stop = end;
  }
  return { lines, blankAtEnd: blank, stop };
}

/**
 * Joins lines by spaces, where a blank line stands for a line break. Lines that are indented further keep the breaks
 * around them.
 */
function folded(lines: readonly string[]): string {
  let value = "";
  let separator = "";
  let wasFurther = false;
  for (const line of lines) {
    if (line === "") {
      if (separator === "\n") value += "\n";
      else separator = "\n";
      continue;
    }
    const isFurther = line.startsWith(" ");
    if (isFurther && separator === " ") separator = "\n";
    else if (isFurther && !wasFurther && separator === "\n") separator = "\n\n";
    value += separator + line;
    separator = isFurther ? "\n" : " ";
    wasFurther = isFurther;
  }
  return value;
}
