import { createTwoFilesPatch } from "diff";
import { guardRunner, visible } from "../core/visible.js";
import { palette } from "./styles.js";

export function unifiedDiff(path: string, before: string, after: string): string {
  const name = path.replaceAll(/[\r\n]/gu, "?");
  const [from = "", to = ""] = [before, after].map((text) => text.replaceAll("\r\n", "\n"));
  const headerOptions = { includeIndex: false, includeUnderline: false, includeFileHeaders: true };
  return createTwoFilesPatch(`a/${name}`, `b/${name}`, from, to, undefined, undefined, { context: 3, headerOptions });
}

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
