import { secretNamePattern as names } from "../secret-names.js";
import type { LineIndex } from "./line-index.js";

/** A line that opens a member that may be secret, in block or flow style, and what follows the colon. */
const member = new RegExp(`^(\\s*(?:- +)*).*?${names}[\\w-]{0,64}["']?\\s{0,64}:(.*)$`, "iu");

/** A line that begins with such a name and forgets the colon. */
const withoutColon = new RegExp(`^(\\s*(?:- +)*)["']?[\\w-]{0,64}${names}[\\w-]{0,64}["']?(\\s+[^\\s:#].*)$`, "iu");

/** The module that takes a secret: what stands in it under another name may be just that. */
const module = /^(\s*)["']?webhook_verification["']?\s*:\s*(?:#.*)?$/iu;

/** Credentials as an `Authorization` header has them, under whatever name. */
const credentials = /\b(?:bearer|basic)\s+\S*[\d+/=._~-]/iu;

/** What is known to be harmless in there. */
const harmless = /^\s*["']?(?:env|file|provider|enabled)["']?\s*:[^,{}]*$/u;

/** What may follow: the start of a reference, or nothing. */
const reference = /^\s*(?:\{\s*(?:env|file)\s*:[^,{}]*\}[\s,}\]]*)?(?:#.*)?$/u;

/**
 * The lines of a file that may show a secret, found from the text alone: it must work for files that can't be parsed.
 * Prefers hiding a harmless line to showing a secret.
 */
export function* secretLines(lines: LineIndex): Generator<number> {
  let key = false;
  let inside = -1;
  // The value of a member that ends its line stands on the next one, wherever that begins.
  let next = false;
  for (let number = 1; number <= lines.count; number++) {
    const line = lines.line(number);
    const indent = line.search(/\S/u);
    if (/-----BEGIN [A-Z ]*PRIVATE KEY/u.test(line)) key = true;
    if (inside >= 0 && indent >= 0 && indent <= inside) inside = -1;
    const held = (next || (inside >= 0 && indent > inside)) && !harmless.test(line);
    const found = member.exec(line) ?? withoutColon.exec(line);
    const named = found !== null && reference.test(found[2] ?? "");
    const opened = found ?? module.exec(line);
    if (indent >= 0) next = found !== null && /^\s*(?:#.*)?$/u.test(found[2] ?? "");
    if (opened !== null && inside < 0) inside = (opened[1] ?? "").length;
    if (key || (held && !named) || (found !== null && !named) || credentials.test(line)) yield number;
    if (/-----END [A-Z ]*PRIVATE KEY/u.test(line)) key = false;
  }
}
