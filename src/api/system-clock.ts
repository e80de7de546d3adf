import type { Clock } from "./client.js";

/** Real time since the epoch, which setting the machine's clock does not move. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: abortableDelay,
};

/** Ends after `ms` milliseconds, or at once when the signal aborts. Never throws: ask the signal. */
export function abortableDelay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}
