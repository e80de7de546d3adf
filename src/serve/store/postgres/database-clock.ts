import type { Clock } from "../../../api/client.js";
import { systemClock } from "../../../api/system-clock.js";

/**
 * The time of the database, which all processes share. Between measurements it goes on by a clock that nobody sets, so the
 * clocks of the machines don't matter. It is never ahead of the database: a pause that ends at a time of the database is
 * never too short here, however slowly the database answers.
 */
export class DatabaseClock implements Clock {
  #offset: number | null = null;

  /** Milliseconds since 1970, at the database. */
  now(): number {
    return Math.floor((this.#offset ?? performance.timeOrigin) + performance.now());
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }

  /**
   * The database looked at its clock after it was asked and before the answer came. So the answer gives the least and the
   * most that the two clocks can be apart, and the most careful of all that fits is kept.
   * @param time what the database said, in milliseconds since 1970
   * @param sent when it was asked, and when the answer came, by `performance.now()`
   */
  measure(time: number, { received, sent }: { readonly sent: number; readonly received: number }): void {
    const [least, most] = [time - received, time - sent];
    // Above the most: somebody has set the database's clock back.
    if (this.#offset === null || this.#offset < least || this.#offset > most) this.#offset = least;
  }
}
