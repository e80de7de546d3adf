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
 */
export function* safeJsonParts(object: object): Generator<string> {
  let part = "";
  let opening = "{\n";
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined) continue;
    part += `${opening}  ${indented(name, 1)}: `;
    opening = ",\n";
    if (!Array.isArray(member) || member.length === 0) {
      part += indented(member, 1);
      continue;
    }
    for (const [index, item] of member.entries()) {
      part += `${index === 0 ? "[\n" : ",\n"}    ${indented(item, 2)}`;
      if (part.length < partLength) continue;
      yield part;
      part = "";
    }
    part += "\n  ]";
  }
  yield `${part}${opening === "{\n" ? "{}" : "\n}"}\n`;
}

/** A part of a document as {@link safeJson} writes it at some depth. */
function indented(value: unknown, depth: number): string {
  const text = escapeActive(JSON.stringify(value ?? null, null, 2), jsonEscape);
  return text.replaceAll("\n", `\n${"  ".repeat(depth)}`);
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
