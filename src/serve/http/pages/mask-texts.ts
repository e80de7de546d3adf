/**
 * A copy of a value in which secrets are hidden in every text. It comes before a text is escaped for a page, after which
 * a secret with `<` or `&` in it would not be found any more.
 */
export function maskTexts<T>(value: T, redact: (text: string) => string): T;
export function maskTexts(value: unknown, redact: (text: string) => string): unknown {
  const known = new Map<string, string>();
  const hidden = (text: string): string => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const after = redact(text);
    known.set(text, after);
    return after;
  };
  const copy = (each: unknown): unknown => {
    if (typeof each === "string") return hidden(each);
    if (Array.isArray(each)) return each.map(copy);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, member]) => [name, copy(member)]));
  };
  return copy(value);
}
