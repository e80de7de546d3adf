import type { Clock } from "../../../api/client.js";
import { systemClock } from "../../../api/system-clock.js";

/** A measurement that took longer says too little, in milliseconds. */
const longestMs = 1000;

/**
 * The time of the database, which all processes share. Between measurements it goes on by a clock that nobody sets, so the
 * clocks of the machines don't matter.
 */
export class DatabaseClock implements Clock {
  #offset: number | null = null;

  /** Milliseconds since 1970, at the database. */
  now(): number {
    return Math.round((this.#offset ?? performance.timeOrigin) + performance.now());
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }

  /**
   * @param time what the database said, in milliseconds since 1970
   * @param sent when it was asked, and when the answer came, by `performance.now()`
   */
  measure(time: number, { received, sent }: { readonly sent: number; readonly received: number }): void {
    if (this.#offset === null || received - sent <= longestMs) this.#offset = time - (sent + received) / 2;
  }
}
