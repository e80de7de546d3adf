/**
 * Everything that a terminal, a browser or a reader's eye could be fooled by: control and format characters (ANSI
 * escapes, bidirectional overrides, zero-width characters, tags), line separators, lone surrogates and the invisible
 * variation selectors of the supplementary plane.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{E0100}-\u{E01EF}]/gu;

/** What most texts are made of: nothing of the above. */
const harmless = /^[\x20-\x7e]*$/;

/** A character as text that means it: `\u001b`, `\u{e0041}`. */
export function codePointEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** `text` with everything invisible or active made visible; line breaks and tabs stay. */
export function visible(text: string): string {
  if (harmless.test(text)) return text;
  return text.replace(unsafe, (character) =>
    character === "\n" || character === "\t" ? character : codePointEscape(character),
  );
}

/** Like {@link visible}, on one line: line breaks are made visible too. */
export function visibleLine(text: string): string {
  if (harmless.test(text)) return text;
  return text.replace(unsafe, (character) =>
    character === "\n" ? "\\n" : character === "\t" ? "\\t" : codePointEscape(character),
  );
}

// Runners read their job's output: `::command::` at the start of a line (after blanks), `##[command]` and its
// relatives anywhere in it. Colour codes may stand before the former.
// eslint-disable-next-line no-control-regex
const lineCommand = /^((?:[^\S\n\r\u2028\u2029]|\u001b\[[0-9;]*m)*):(?=:)/gm;
const inlineCommand = /#(?=#\w{0,64}\[)/g;

/**
 * Makes finished output harmless for a continuous-integration runner that reads it. Applied last, to whole reports,
 * as wrapping and layout decide what starts a line.
 */
export function guardRunner(output: string): string {
  return output.replace(lineCommand, "$1\\u003a").replace(inlineCommand, "\\u0023");
}
