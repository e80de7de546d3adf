/**
 * Whether two JSON texts whose documents are the same hold the same: a number of too many digits, or a member that
 * stands there twice, is lost when it is read. Only where something is lost the texts themselves count, in their order.
 */
export function holdTheSame(a: string, b: string): boolean {
  return (losesNothing(a) && losesNothing(b)) || tokensOf(a).join("\n") === tokensOf(b).join("\n");
}

/** Whether a JSON text can be read and written again without losing a digit or a member that stands there twice. */
export function losesNothing(text: string): boolean {
  const read = JSON.stringify(JSON.parse(text));
  return tokensOf(text).toSorted().join("\n") === tokensOf(read).toSorted().join("\n");
}

/** The strings and numbers of a JSON text in their order, as they are read where that loses nothing: `1.0` is `1`. */
export function tokensOf(text: string): readonly string[] {
  const found = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[^\s"]/gu) ?? [];
  return found.map((token) => {
    if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
    if (!/^-?\d/u.test(token)) return token;
    const digits = (token.split(/e/iu, 1)[0] ?? "").replaceAll(/[-.]/gu, "").replace(/^0+/u, "");
    return digits.length <= 15 && Number.isFinite(Number(token)) ? String(Number(token)) : token;
  });
}
