import { matchesWildcards } from "../core/wildcards.js";

/** Whether a pattern is more than a plain path. */
export function isGlob(pattern: string): boolean {
  return /[*?{]/u.test(pattern);
}

/** The patterns that a pattern with `{a,b}` stands for, the innermost braces first; null when there would be more than `most`. */
export function expandBraces(pattern: string, most: number): readonly string[] | null {
  const results: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const end = next.indexOf("}", next.indexOf("{") + 1);
    const start = next.lastIndexOf("{", end);
    if (start === -1 || end === -1) results.push(next);
    else for (const option of next.slice(start + 1, end).split(",")) open.push(replaced(next, start, end, option));
    if (results.length + open.length > most) return null;
  }
  return results;
}

function replaced(text: string, start: number, end: number, by: string): string {
  return text.slice(0, start) + by + text.slice(end + 1);
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
