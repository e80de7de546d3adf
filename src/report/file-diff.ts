import { createTwoFilesPatch } from "diff";
import { palette } from "../text/palette.js";
import { guardRunner, visible } from "../text/visible.js";

/** The changes of a text file as a unified diff, with three lines around each. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const name = path.replaceAll(/[\r\n]/gu, "?");
  const options = {
    context: 3,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  };
  return createTwoFilesPatch(`a/${name}`, `b/${name}`, shown(before), shown(after), undefined, undefined, options);
}

/** A unified diff for the terminal. */
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

/** Line breaks of Windows are not shown as characters. */
function shown(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
