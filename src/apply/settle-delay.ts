const firstDelayMs = 500;
const longestDelayMs = 8_000;

/**
 * How long to wait before trying again what the service refused, in milliseconds: doubled each time, from half a
 * second to eight, less up to a half by chance so that many don't come back at once.
 * @param attempt how many tries there were, at least 1
 * @param random between 0 and 1
 */
export function consistencyRetryDelay(attempt: number, random: number): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempt - 1, 10));
  return Math.round(ceiling * (1 - random / 2));
}
