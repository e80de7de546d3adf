/** A piece of a string that may hold expressions. */
export type TextPiece =
  | { readonly text: string }
  | { readonly from: "vars" | "env"; readonly name: string }
  /** What stands between the marks, when it is no expression; null when they aren't closed. */
  | { readonly malformed: string | null };

/** Whether a string needs {@link parseExpressions} at all. */
export function mayHoldExpression(text: string): boolean {
  return text.includes("${{");
}

/** Splits a string at its expressions: `${{ vars.NAME }}`, `${{ env.NAME }}`; `$${{` is a literal `${{`. */
export function parseExpressions(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("${{", at);
    if (open === -1) break;
    if (open > at && text[open - 1] === "$") {
      plain += `${text.slice(at, open - 1)}\${{`;
      at = open + 3;
      continue;
    }
    plain += text.slice(at, open);
    if (plain !== "") pieces.push({ text: plain });
    plain = "";
    const close = text.indexOf("}}", open);
    if (close === -1) return [...pieces, { malformed: null }];
    pieces.push(parseExpression(text.slice(open + 3, close)));
    at = close + 2;
  }
  plain += text.slice(at);
  if (plain !== "") pieces.push({ text: plain });
  return pieces;
}

function parseExpression(inner: string): TextPiece {
  const match = /^\s*(vars|env)\.([A-Za-z_][\w-]*)\s*$/u.exec(inner);
  const [, from, name] = match ?? [];
  if (name === undefined) return { malformed: inner.trim() };
  return { from: from === "vars" ? "vars" : "env", name };
}
