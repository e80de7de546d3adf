import type { LineIndex } from "./line-index.js";
import { secretMember } from "./secret-member.js";

/** The module that takes a secret: what stands in it under another name may be just that. */
const webhookModule = /^(\s*)["']?webhook_verification["']?\s*:\s*(?:#.*)?$/iu;

/** Credentials as an `Authorization` header has them, under whatever name. */
const credentials = /\b(?:bearer|basic)\s+\S*[\d+/=._~-]/iu;

/** What is known to be harmless in there. */
const harmless = /^\s*["']?(?:env|file|provider|enabled)["']?\s*:[^,{}]*$/u;

/** What may follow: the start of a reference, or nothing. */
const reference = /^\s*(?:\{\s*(?:env|file)\s*:[^,{}]*\}[\s,}\]]*)?(?:#.*)?$/u;

/**
 * The lines of a file that may show a secret, found from the text alone: it must work for files that can't be parsed.
 * Prefers hiding a harmless line to showing a secret. Takes time in proportion to the length of the file.
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
    const found = secretMember(line);
    const named = found !== null && reference.test(found.rest);
    const opened = found?.indent ?? webhookModule.exec(line)?.[1]?.length;
    if (indent >= 0) next = found !== null && /^\s*(?:#.*)?$/u.test(found.rest);
    if (opened !== undefined && inside < 0) inside = opened;
    if (key || (held && !named) || (found !== null && !named) || credentials.test(line)) yield number;
    if (/-----END [A-Z ]*PRIVATE KEY/u.test(line)) key = false;
  }
}
