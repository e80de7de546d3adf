import { setTimeout } from "node:timers/promises";
import type { Clock } from "./client.js";

/** Real time since the epoch, which setting the machine's clock does not move. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: abortableDelay,
};

/** Ends after `ms` milliseconds, or at once when the signal aborts. Never throws: ask the signal. */
export async function abortableDelay(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}
