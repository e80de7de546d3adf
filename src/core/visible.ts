/** Line breaks and tabs stay. */
export function visible(text: string): string {
  if (harmless.test(text)) return text;
  return text.replace(unsafe, (character) =>
    character === "\n" || character === "\t" ? character : codePointEscape(character),
  );
}

/** On one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/gu, (character) => (character === "\n" ? "\\n" : "\\t"));
}

/** For CI runners. Applied last: layout decides what starts a line. */
export function guardRunner(output: string): string {
  return output.replace(lineCommand, "$1\\u003a").replace(inlineCommand, "\\u0023");
}

/** Whether a terminal or a runner could act upon something in a text. */
export function isActive(text: string): boolean {
  return /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{E0100}-\u{E01EF}]|^[^\S\n\r\u2028\u2029]*::|##\w{0,64}\[/mu.test(
    text,
  );
}

/** For JSON or YAML whose every active character is inside a string. */
export function escapeActive(text: string, escaped: (character: string) => string): string {
  return text
    .replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{E0100}-\u{E01EF}]/gu, escaped)
    .replace(inlineCommand, "\\u0023");
}

/** Control and format characters, line separators, lone surrogates, invisible variation selectors. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{E0100}-\u{E01EF}]/gu;

const harmless = /^[\x20-\x7e]*$/;

// Runners read the output of their job: `::command::` at the start of a line (after blanks), `##[command]` and similar
// anywhere in it. Colour codes may precede the former.
// eslint-disable-next-line no-control-regex
const lineCommand = /^((?:[^\S\n\r\u2028\u2029]|\u001b\[[0-9;]*m)*):(?=:)/gm;
const inlineCommand = /#(?=#\w{0,64}\[)/g;

function codePointEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** The same data for every parser. */
export function safeJson(value: unknown): string {
  return `${escapeActive(JSON.stringify(value, null, 2), jsonEscape)}\n`;
}

export function safeJsonLine(value: unknown): string {
  return `${escapeActive(JSON.stringify(value), jsonEscape)}\n`;
}

/** For texts in quotes in YAML and in Terraform's language. */
export function unicodeEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : jsonEscape(character);
}

/** `\u001b`, or two escapes for a surrogate pair. */
export function jsonEscape(character: string): string {
  let text = "";
  for (let index = 0; index < character.length; index += 1)
    text += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  return text;
}
