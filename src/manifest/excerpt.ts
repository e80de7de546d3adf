/** The widest line that is shown. */
const width = 160;

/** The longest message. What a manifest says may be quoted in it, and a manifest may say a lot. */
const messageLength = 600;

/** Controls, direction marks and what else is invisible could rewrite what a terminal or a review shows. Tabs stay. */
const unsafe = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

function withoutInvisible(text: string): string {
  return text.replace(unsafe, (character) => "\ufffd".repeat(character.length));
}

/** A source line as it may be shown, as long as the column is in it; null when there is nothing to show. */
export function excerptOf(line: string, column: number): string | null {
  if (column > width || line.trim() === "") return null;
  return withoutInvisible(line.slice(0, width));
}

/** A message on one line, without control characters, of a sane length. */
export function plainText(text: string): string {
  const cut = text.length > messageLength ? `${text.slice(0, messageLength)}…` : text;
  return withoutInvisible(cut.replace(/\s+/gu, (blanks) => (/[\r\n]/u.test(blanks) ? " " : blanks)));
}
