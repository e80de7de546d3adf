/** `*` = any characters, `one` = any one. At most quadratic. */
export function matchesWildcards(pattern: string, text: string, one?: string): boolean {
  let [at, from] = [0, 0];
  let star = -1;
  for (let index = 0; index < text.length;) {
    const wanted = pattern[at];
    if (wanted === "*") {
      star = at;
      from = index;
      at += 1;
    } else if (wanted !== undefined && (wanted === text[index] || wanted === one)) {
      at += 1;
      index += 1;
    } else if (star !== -1) {
      from += 1;
      index = from;
      at = star + 1;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
