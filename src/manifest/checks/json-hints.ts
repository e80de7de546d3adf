/** What a text that is not JSON most likely lacks. */
export interface JsonHint {
  /** In characters (UTF-16) from the start of the text. */
  readonly index: number;
  /** Continues "it is not JSON:". Quotes nothing of the text, which may be a secret. */
  readonly message: string;
  readonly remedy: string;
}

/** Mistakes outside of strings, of which only the first and the last character are left: U+0001 and U+0002. */
const hints: readonly (readonly [pattern: RegExp, message: string, remedy: string])[] = [
  [/,(?=\s*[\]}])/u, "a comma follows the last item", "Remove the comma."],
  // eslint-disable-next-line no-control-regex -- the ends of strings
  [/([\u0002\]}\w]\s*)[\u0001[{]/u, "a comma is missing before this", "Put a comma after the item before it."],
  [/"/u, "this quote is not closed before the end of its line", "Close it, or write \\n for a line break."],
  [/'/u, "JSON has no single quotes", 'Write double quotes: ".'],
  [/\/[/*]|#/u, "JSON has no comments", "Remove the comment, or write the value as YAML, which has them."],
  [
    /(?<![\w.])(?!(?:true|false|null)\b)[A-Za-z_$]/u,
    "this is neither in quotes nor true, false or null",
    "Put double quotes around it, or write one of these.",
  ],
];

/** The first mistake that can be recognized in a text that is not JSON; null = none. */
export function jsonHint(text: string): JsonHint | null {
  if (text.trim() === "") return { index: 0, message: "it is empty", remedy: "Write the value." };
  const bare = text.replaceAll(/"(?:[^"\\\r\n]|\\[^\r\n])*("?)/gu, (found: string, end: string) =>
    end === "" ? found : `\u0001${" ".repeat(found.length - 2)}\u0002`,
  );
  const found = hints.flatMap(([pattern, message, remedy]) => {
    const match = pattern.exec(bare);
    // What a pattern captures lies before the mistake.
    return match === null ? [] : [{ index: match.index + (match[1] ?? "").length, message, remedy }];
  });
  return found.toSorted((a, b) => a.index - b.index)[0] ?? bracketHint(bare);
}

function bracketHint(bare: string): JsonHint | null {
  const open: { readonly bracket: string; readonly close: string; readonly index: number }[] = [];
  for (const { 0: bracket, index } of bare.matchAll(/[[\]{}]/gu)) {
    if (bracket === "[" || bracket === "{") {
      open.push({ bracket, close: bracket === "[" ? "]" : "}", index });
      continue;
    }
    const last = open.pop();
    if (last === undefined) return { index, message: `this ${bracket} closes nothing`, remedy: "Remove it." };
    if (last.close !== bracket)
      return { index, message: `a ${last.close} is missing before this`, remedy: `Write ${last.close} before it.` };
  }
  const last = open.at(-1);
  if (last === undefined) return null;
  return { index: last.index, message: `this ${last.bracket} is never closed`, remedy: `Close it with ${last.close}.` };
}
