import type { LineIndex } from "./line-index.js";

/** A line that opens such a member, in block or flow style, and what follows the colon. */
const member =
  /^(\s*(?:- +)*).*?(?:secret|private_?key|password|passwd|token|api_?key|credential)[\w-]*["']?\s*:(.*)$/iu;

/** What may follow: the start of a reference, or nothing. */
const reference = /^\s*(?:\{\s*(?:env|file)\s*:[^,{}]*\}[\s,}\]]*)?(?:#.*)?$/u;

/**
 * The lines of a file that may show a secret, found from the text alone: it must work for files that can't be parsed.
 * Prefers hiding a harmless line to showing a secret.
 */
export function* secretLines(lines: LineIndex): Generator<number> {
  let key = false;
  let inside = -1;
  for (let number = 1; number <= lines.count; number++) {
    const line = lines.line(number);
    const indent = line.search(/\S/u);
    if (/-----BEGIN [A-Z ]*PRIVATE KEY/u.test(line)) key = true;
    if (inside >= 0 && indent >= 0 && indent <= inside) inside = -1;
    const held = inside >= 0 && indent > inside && !/^\s*(?:env|file)\s*:/u.test(line);
    const found = member.exec(line);
    const inline = found !== null && !reference.test(found[2] ?? "");
    if (found !== null && inside < 0) inside = (found[1] ?? "").length;
    if (key || held || inline) yield number;
    if (/-----END [A-Z ]*PRIVATE KEY/u.test(line)) key = false;
  }
}
