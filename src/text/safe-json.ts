import { escapeActive } from "./visible.js";

/**
 * JSON on several lines, in which everything that a terminal or a runner could act upon is written as `\uXXXX`:
 * the same data for every parser.
 */
export function safeJson(value: unknown): string {
  return `${escapeActive(JSON.stringify(value, null, 2), jsonEscape)}\n`;
}

/** How much text {@link safeJsonParts} gives at once, in UTF-16 units; one item of a list may be longer. */
const partLength = 65_536;

/**
 * The text of {@link safeJson} for an object, part by part: an object with very long lists is never in memory as text.
 * @param mask applied to each member, and to each item of a member that is a list; must leave JSON as JSON
 */
export function* safeJsonParts(object: object, mask: (json: string) => string = (json) => json): Generator<string> {
  let part = "";
  let opening = "{\n";
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined) continue;
    part += `${opening}  ${maskedPart(name, 1, mask)}: `;
    opening = ",\n";
    if (!Array.isArray(member) || member.length === 0) {
      part += maskedPart(member, 1, mask);
      continue;
    }
    for (const [index, item] of member.entries()) {
      part += `${index === 0 ? "[\n" : ",\n"}    ${maskedPart(item, 2, mask)}`;
      if (part.length < partLength) continue;
      yield part;
      part = "";
    }
    part += "\n  ]";
  }
  yield `${part}${opening === "{\n" ? "{}" : "\n}"}\n`;
}

/** A part of a document as {@link safeJson} writes it at some depth. */
function maskedPart(value: unknown, depth: number, mask: (json: string) => string): string {
  const text = escapeActive(JSON.stringify(value ?? null, null, 2), jsonEscape);
  // Masking takes a list for JSON, but not a number.
  return mask(`[${text}]`)
    .slice(1, -1)
    .replaceAll("\n", `\n${"  ".repeat(depth)}`);
}

/**
 * An object with each member masked, and each item of a member that is a list: as {@link safeJsonParts} would write them.
 * The same object when nothing was masked.
 */
export function maskedMembers<T extends object>(object: T, mask: (json: string) => string): T {
  let isMasked = false;
  const masked = (value: unknown): unknown => {
    const text = safeJson([value ?? null]);
    const shown = mask(text);
    if (shown === text) return value;
    isMasked = true;
    const [item]: unknown[] = JSON.parse(shown);
    return item;
  };
  const members = Object.entries(object).map(([name, member]): [string, unknown] => [
    String(masked(name)),
    Array.isArray(member) ? member.map(masked) : member === undefined ? member : masked(member),
  ]);
  // Masking only changes texts.
  return isMasked ? (Object.fromEntries(members) as T) : object;
}

/** The same on one line, with its newline: for logs. */
export function safeJsonLine(value: unknown): string {
  return `${escapeActive(JSON.stringify(value), jsonEscape)}\n`;
}

/** A character as texts in quotes escape it in YAML and in Terraform's language: `\u001b`, `\U000e0041`. */
export function unicodeEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : jsonEscape(character);
}

/** A character as JSON escapes it: `\u001b`, or two escapes for a surrogate pair. */
export function jsonEscape(character: string): string {
  let text = "";
  for (let index = 0; index < character.length; index += 1) {
    text += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return text;
}
