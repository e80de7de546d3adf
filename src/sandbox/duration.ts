/** Milliseconds of `200ms`, `2s`, `1m`; null when the text is no such thing. */
export function durationMs(text: string): number | null {
  const match = /^(\d{1,7})(ms|s|m)$/.exec(text);
  if (match === null) return null;
  return Number(match[1]) * (match[2] === "ms" ? 1 : match[2] === "s" ? 1000 : 60_000);
}
