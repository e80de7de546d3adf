const units: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Timers can't wait longer than 2³¹ − 1 ms; a day is plenty. */
const longest = 24 * 3_600_000;

/** `500ms`, `30s`, `1.5m`, `1h` in milliseconds; null for what is none, is nothing, or is more than a day. */
export function parseDuration(text: string): number | null {
  const [, number, unit] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Math.round(Number(number) * (units[unit ?? ""] ?? Number.NaN));
  return ms > 0 && ms <= longest ? ms : null;
}
