/**
 * How long the service asks to wait, in ms; null when it does not say or can't be understood.
 * A date is counted from the answer's own `Date` when it has one, so that a clock that is off does no harm.
 * @param header `Retry-After`: seconds or an HTTP date
 * @param date the answer's `Date` header
 * @param now ms since the epoch
 */
export function retryAfter(header: string | null, date: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/[A-Za-z]/.test(text)) return null;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return null;
  const said = date === null ? Number.NaN : Date.parse(date);
  return Math.max(0, until - (Number.isNaN(said) ? now : said));
}
