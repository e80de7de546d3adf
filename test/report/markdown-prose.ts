export function proseOf(markdown: string): { readonly text: string; readonly openFence: boolean } {
  const prose: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split("\n")) {
    const marks = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence === null) {
      if (marks?.[1] !== undefined && !(marks[2] ?? "").includes("`")) fence = marks[1];
      else prose.push(withoutSpans(line));
    } else if (
      marks?.[1] !== undefined &&
      marks[1][0] === fence[0] &&
      marks[1].length >= fence.length &&
      (marks[2] ?? "").trim() === ""
    ) {
      fence = null;
    }
  }
  return { text: prose.join("\n"), openFence: fence !== null };
}

function withoutSpans(line: string): string {
  let result = "";
  let at = 0;
  while (at < line.length) {
    if (line[at] === "\\") {
      result += line.slice(at, at + 2);
      at += 2;
    } else if (line[at] === "`") {
      const run = /^`+/.exec(line.slice(at))?.[0] ?? "`";
      const close = closing(line, at + run.length, run.length);
      if (close < 0) {
        result += run;
        at += run.length;
      } else at = close;
    } else if (line.startsWith("<code>", at) && line.includes("</code>", at)) {
      at = line.indexOf("</code>", at) + "</code>".length;
    } else {
      result += line[at];
      at += 1;
    }
  }
  return result;
}

function closing(line: string, from: number, length: number): number {
  for (const match of line.slice(from).matchAll(/`+/g)) {
    if (match[0].length === length) return from + match.index + length;
  }
  return -1;
}
