import { mayHoldExpression, parseExpressions } from "../manifest/variables.js";

/** Longer texts are not offered, in characters. */
const longest = 500;

/** The values of `${{ vars.NAME }}` and of `${{ env.NAME }}`; undefined = not set, or not to be shown. */
export interface FillIns {
  readonly vars: (name: string) => unknown;
  readonly env: (name: string) => unknown;
}

/**
 * A text with the variables in it filled in; null when one has no value that can be part of a text, or when it becomes
 * too long to be offered. Unlike loading a manifest, it reports nothing: a file with thousands of unset variables costs
 * no search for similar names.
 */
export function filledIn(text: string, values: FillIns): string | null {
  if (!mayHoldExpression(text)) return text;
  if (text.length > longest) return null;
  let filled = "";
  for (const piece of parseExpressions(text)) {
    if ("malformed" in piece) return null;
    const value = "text" in piece ? piece.text : values[piece.from](piece.name);
    if (!["string", "number", "boolean"].includes(typeof value)) return null;
    filled += String(value);
    if (filled.length > longest) return null;
  }
  return filled;
}
