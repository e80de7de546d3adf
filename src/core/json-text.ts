/** Whether a JSON text can be read and written again without losing a digit or a member that stands there twice. */
export function losesNothing(text: string): boolean {
  return (
    tokensOf(text).toSorted().join("\n") ===
    tokensOf(JSON.stringify(JSON.parse(text)))
      .toSorted()
      .join("\n")
  );
}

/** The strings and numbers of a JSON text, as they are read where that loses nothing: `1.0` is `1`. */
function tokensOf(text: string): readonly string[] {
  const found = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[^\s"]/gu) ?? [];
  return found.map((token) => {
    if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
    if (!/^-?\d/u.test(token)) return token;
    const digits = (token.split(/e/iu, 1)[0] ?? "").replaceAll(/[-.]/gu, "").replace(/^0+/u, "");
    return digits.length <= 15 && Number.isFinite(Number(token)) ? String(Number(token)) : token;
  });
}
