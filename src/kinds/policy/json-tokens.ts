/** Whether two JSON texts have the same strings and numbers, white space, order and spelling of strings apart. */
export function sameTokens(a: string, b: string): boolean {
  return sameItems(tokens(a).toSorted(), tokens(b).toSorted());
}

/**
 * Whether two JSON texts whose documents are the same hold the same: a number of too many digits, or a member that
 * stands there twice, is lost when it is read. Only where something is lost the texts themselves count, in their order.
 */
export function holdTheSame(a: string, b: string): boolean {
  if (losesNothing(a) && losesNothing(b)) return true;
  return sameItems(plainNumbers(tokens(a)), plainNumbers(tokens(b)));
}

function losesNothing(text: string): boolean {
  const read = JSON.stringify(JSON.parse(text));
  return sameItems(plainNumbers(tokens(text)).toSorted(), plainNumbers(tokens(read)).toSorted());
}

function sameItems(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function tokens(text: string): readonly string[] {
  const found = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[^\s"]/gu) ?? [];
  return found.map((token) => (token.startsWith('"') ? `"${String(JSON.parse(token))}` : token));
}

/** Numbers as they are read, where that loses nothing: `1.0` is `1`, and one of too many digits stays what it is. */
function plainNumbers(found: readonly string[]): readonly string[] {
  return found.map((token) => {
    if (!/^-?\d/u.test(token)) return token;
    const [mantissa = token] = token.split(/e/iu);
    const digits = mantissa.replaceAll(/[-.]/gu, "").replace(/^0+/u, "");
    return digits.length <= 15 && Number.isFinite(Number(token)) ? String(Number(token)) : token;
  });
}
