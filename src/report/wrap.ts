/**
 * Prose broken at blanks so that lines stay within `width` columns; the second and later lines are indented.
 * Words longer than a line (paths, addresses) stay whole. Line breaks in `text` are kept.
 */
export function wrap(text: string, width: number, first: string, rest: string): readonly string[] {
  const lines: string[] = [];
  let indent = first;
  for (const paragraph of text.split("\n")) {
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && indent.length + line.length + 1 + word.length > width) {
        lines.push(indent + line);
        indent = rest;
        line = word;
      } else {
        line = line === "" ? word : `${line} ${word}`;
      }
    }
    lines.push(indent + line);
    indent = rest;
  }
  return lines;
}
