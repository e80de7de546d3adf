/** `first` and `rest`: the indentation of the lines. */
export function wrap(text: string, width: number, first: string, rest: string): readonly string[] {
  if (first.length + text.length <= width && !text.startsWith(" ") && !text.includes("\n")) return [first + text];
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

/** `1 refusal`, `2 refusals` */
export function count(n: number, noun: string, several = plural(noun)): string {
  return `${n} ${n === 1 ? noun : several}`;
}

function plural(noun: string): string {
  if (/[^aeiou]y$/iu.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/iu.test(noun) ? `${noun}es` : `${noun}s`;
}

/** `a, b and 3 more` */
export function listFew(texts: readonly string[], max: number): string {
  const shown = texts.slice(0, max).join(", ");
  return texts.length > max ? `${shown} and ${texts.length - max} more` : shown;
}

/** Never cuts a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = isHigh(text.charCodeAt(max - 1)) ? max - 1 : max;
  return `${text.slice(0, end)}… (${text.length - end} more characters)`;
}

export function cutPair(before: string, after: string, max: number): readonly [string, string] {
  if (before.length <= max && after.length <= max) return [before, after];
  let common = 0;
  while (common < before.length && before.charCodeAt(common) === after.charCodeAt(common)) common += 1;
  const skip = Math.max(0, common - Math.floor(max / 3));
  const start = skip > 0 && isHigh(before.charCodeAt(skip - 1)) ? skip + 1 : skip;
  const lead = start === 0 ? "" : "…";
  return [lead + cut(before.slice(start), max), lead + cut(after.slice(start), max)];
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export function withoutSlashes(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === "/") end -= 1;
  return text.slice(0, end);
}

/** `12 s`, `5 min`, `3 h`, `2 d` */
export function spanOf(seconds: number): string {
  if (seconds < 90) return `${Math.floor(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** `Café` becomes `cafe`; null = nothing is left. */
export function slug(text: string): string | null {
  const plain = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/gu, "-")
    .slice(0, 60)
    .replace(/^[^a-z0-9]+/u, "");
  let end = plain.length;
  while (end > 0 && /[^a-z0-9]/u.test(plain.charAt(end - 1))) end -= 1;
  return end === 0 ? null : plain.slice(0, end);
}

/** Names may hold `$(…)`. */
export function shellWord(text: string): string {
  return /^[\w./~@%+=:,-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
