import { escapeActive } from "./visible.js";

/**
 * JSON on several lines, in which everything that a terminal or a runner could act upon is written as `\uXXXX`:
 * the same data for every parser.
 */
export function safeJson(value: unknown): string {
  return `${escapeActive(JSON.stringify(value, null, 2), jsonEscape)}\n`;
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
