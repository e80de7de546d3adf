/**
 * JSON on several lines, in which everything that a terminal or a runner could act upon is written as `\uXXXX`:
 * the same data for every parser.
 */
export function safeJson(value: unknown): string {
  return `${escapeActive(JSON.stringify(value, null, 2))}\n`;
}

/** The same on one line, with its newline: for logs. */
export function safeJsonLine(value: unknown): string {
  return `${escapeActive(JSON.stringify(value))}\n`;
}

function escapeActive(json: string): string {
  return json
    .replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{E0100}-\u{E01EF}]/gu, unicodeEscapes)
    .replace(/#(?=#\w{0,64}\[)/g, "\\u0023");
}

function unicodeEscapes(character: string): string {
  let text = "";
  for (let index = 0; index < character.length; index += 1) {
    text += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return text;
}
