import type { PartIndex } from "./part-index.js";

/** To look for the pieces of more secrets would take longer than the search that they spare. In units. */
const mostUnits = 256;

/** To look for more spellings, likewise. */
export const mostStarts = 64;

/**
 * Pieces of secrets of which every text that has anything to mask contains at least one, if it doesn't look
 * {@link mayBeEncoded}: of all spellings the first characters, and of every part some, as it is and in Base64. Null when
 * there are too many. They are texts and no pattern, because profiles show the source of every pattern.
 * @param starts the first characters of all spellings
 */
export function quickPieces(starts: readonly string[], parts: PartIndex): readonly string[] | null {
  if (parts.size > mostUnits || starts.length > mostStarts) return null;
  const pieces = new Set(starts);
  for (const stretch of parts.stretches()) {
    // Of eight units that follow each other, five that begin at one of every four are always there.
    for (const piece of every(4, 5, stretch)) pieces.add(piece);
    // Digits are read as bytes. Of the ten digits that eight bytes determine, six at one of every five are always there.
    for (const bytes of stretch.match(byteStretch) ?? []) {
      for (const digits of inBase64(bytes)) {
        for (const piece of every(5, 6, digits)) for (const spelt of inAnyAlphabet(piece)) pieces.add(spelt);
      }
    }
  }
  return pieces.size > 2 * mostUnits ? null : [...pieces];
}

/** Whether a text has the first character of an escape, or so many hexadecimal digits as eight bytes take. */
export function mayBeEncoded(text: string): boolean {
  return /[\\%&\u200b]|[0-9A-Fa-f]{16}/.test(text);
}

/** Pieces of a text that begin at every so many units of it. */
function* every(stride: number, length: number, text: string): Generator<string> {
  for (let at = 0; at + length <= text.length; at += stride) yield text.slice(at, at + length);
}

/** As many bytes in a row as a part has, or more. */
// eslint-disable-next-line no-control-regex
const byteStretch = /[\u0000-\u00ff]{8,}/g;

/** The digits that bytes determine, for each of the three ways in which they may be grouped. */
function inBase64(bytes: string): readonly string[] {
  return [0, 1, 2].map((skipped) => {
    const padded = Buffer.from("\0".repeat(skipped) + bytes, "latin1");
    return padded.toString("base64").slice(Math.ceil((skipped * 8) / 6), Math.floor((padded.length * 8) / 6));
  });
}

/** Digits of Base64 with each digit that differs in one of the two alphabets. */
function inAnyAlphabet(digits: string): readonly string[] {
  let spelt = [""];
  for (const digit of digits) {
    const same = digit === "+" ? ["+", "-"] : digit === "/" ? ["/", "_"] : [digit];
    spelt = spelt.flatMap((before) => same.map((each) => before + each));
  }
  return spelt;
}
