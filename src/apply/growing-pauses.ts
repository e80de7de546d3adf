import type { Clock } from "../api/client.js";

const firstPauseMs = 500;
const longestPauseMs = 8_000;

/**
 * Pauses between looks at lists that may lag behind writes: up to half a second, then twice as long each time, up to
 * eight. Looks that go on side by side come at the same moments, multiples of these times, so that they share their lists.
 * @param settleMs how long to go on looking, in milliseconds from now
 * @returns gives the next pause in milliseconds, or null when the last look began after all of the time: a look may take
 * longer than the lists lag, and shows what they were when it began
 */
export function growingPauses(clock: Pick<Clock, "now">, settleMs: number): (lookBegan: number) => number | null {
  const until = clock.now() + settleMs;
  const last = roundedUp(until, Math.max(1, Math.min(firstPauseMs, settleMs)));
  let next = firstPauseMs;
  return (lookBegan) => {
    if (lookBegan >= until) return null;
    const now = clock.now();
    const look = Math.min(roundedUp(now + 1, next), last);
    next = Math.min(2 * next, longestPauseMs);
    return Math.max(0, Math.ceil(look - now));
  };
}

function roundedUp(time: number, step: number): number {
  return Math.ceil(time / step) * step;
}
