import type { Strings } from "./recipes.ts";

/** Replaces every expression in a value. */
export function evaluate(text: string, values: Strings): string {
  return text.replace(/\$\{\{\s*([\w.-]+)\s*\}\}/g, (_, name: string) => values[name] ?? "");
}

export function evaluateAll(strings: Strings | undefined, values: Strings): Strings {
  return Object.fromEntries(Object.entries(strings ?? {}).map(([name, text]) => [name, evaluate(text, values)]));
}

/**
 * Whether a step or job runs: its condition holds, and everything before it succeeded, unless it says `always()`. Knows
 * comparisons of names with texts or names, `startsWith`, `&&`, `||` and parentheses.
 */
export function holds(condition: string | undefined, values: Strings, succeeded: boolean): boolean {
  const always = condition?.includes("always()") === true;
  if (!succeeded && !always) return false;
  const terms = (condition ?? "true")
    .replace("always()", "true")
    .replace(/startsWith\(([\w.]+), ('[^']*')\)/g, (_, name: string, start: string) =>
      String((values[name] ?? "").startsWith(start.slice(1, -1))),
    );
  const code = terms.replace(/'[^']*'|[A-Za-z_][\w.-]*|==|!=/g, (token) => {
    if (token === "==" || token === "!=") return `${token}=`;
    if (token.startsWith("'") || token === "true" || token === "false") return token;
    return JSON.stringify(values[token] ?? "");
  });
  // oxlint-disable-next-line no-implied-eval -- the conditions are the repository's own
  return Boolean(new Function(`return (${code});`)());
}

/** As GitHub matches: `**` is any path, `*` any name. */
export function matchesGlob(path: string, pattern: string): boolean {
  const source = pattern
    .replaceAll(".", "\\.")
    .replaceAll("**/", "(?:.+/)?")
    .replaceAll("**", ".+")
    .replaceAll(/(?<![.)])\*/g, "[^/]*");
  return new RegExp(`^${source}$`).test(path);
}
