import type { Clock } from "../api/client.js";

const firstPauseMs = 500;
const longestPauseMs = 8_000;

/** How long lists may lag behind writes, in milliseconds, when nothing else is configured. */
export const defaultSettleMs = 30_000;

/**
 * Pauses between looks at lists that may lag behind writes: half a second, then twice as long each time, up to eight.
 * @param settleMs how long to go on looking, in milliseconds from now
 * @returns gives the next pause in milliseconds; null once the time is over. The last pause ends with the time, so that
 * one look comes after all of it.
 */
export function growingPauses(clock: Pick<Clock, "now">, settleMs: number): () => number | null {
  const until = clock.now() + settleMs;
  let next = firstPauseMs;
  return () => {
    const left = Math.ceil(until - clock.now());
    if (left <= 0) return null;
    const pause = Math.min(next, left);
    next = Math.min(2 * next, longestPauseMs);
    return pause;
  };
}
