import { matchesWildcards } from "../core/wildcards.js";
/** Whether a pattern is more than a plain path. */
export function isGlob(pattern: string): boolean {
  return /[*?{]/u.test(pattern);
}

/**
 * A pattern with its braces expanded: one pattern for each choice of `{a,b}`. Braces may be nested; one that isn't
 * closed is an ordinary character.
 * @returns null when there would be more than `most`
 */
export function expandBraces(pattern: string, most: number): readonly string[] | null {
  const results: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const brace = next.indexOf("{");
    const parts = brace === -1 ? null : alternatives(next, brace);
    if (parts === null) results.push(next);
    else {
      const [before, after] = [next.slice(0, brace), next.slice(parts.end)];
      open.push(...parts.options.map((option) => before + option + after).reverse());
    }
    // Each open one gives at least one result.
    if (results.length + open.length > most) return null;
  }
  return results;
}

function alternatives(
  pattern: string,
  open: number,
): { readonly options: readonly string[]; readonly end: number } | null {
  const options: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "{") depth++;
    else if (character === "," && depth === 1) {
      options.push(pattern.slice(start, at));
      start = at + 1;
    } else if (character === "}" && --depth === 0) {
      options.push(pattern.slice(start, at));
      return { options, end: at + 1 };
    }
  }
  return null;
}

/** The leading directories without wildcards: `edge/*.yaml` gives `edge`. */
export function staticPrefix(pattern: string): string {
  const segments = pattern.split("/");
  const first = segments.findIndex(isGlob);
  return segments.slice(0, first === -1 ? segments.length : first).join("/");
}

/** Whether a path matches a pattern without braces. `**` matches any number of directories, also none. */
export function matchesGlob(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  // reachable[i]: the segments of the pattern so far can match the first i segments of the path
  let reachable = [true, ...given.map(() => false)];
  for (const segment of wanted) {
    const next = reachable.map(() => false);
    if (segment === "**") {
      let open = false;
      reachable.forEach((is, index) => {
        open ||= is;
        next[index] = open;
      });
    } else {
      given.forEach((name, index) => {
        if (reachable[index] === true && matchesWildcards(segment, name, "?")) next[index + 1] = true;
      });
    }
    reachable = next;
  }
  return reachable[given.length] === true;
}
