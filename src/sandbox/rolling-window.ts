import type { Rate } from "./fault.js";

/** Counts requests in a rolling window of time. */
export class RateWindow {
  #times: number[] = [];

  constructor(readonly rate: Rate) {}

  /**
   * Takes one request in, or says how long until there is room.
   * @param now milliseconds that never go back
   * @returns milliseconds to wait; 0 = taken. What is turned away does not count.
   */
  enter(now: number): number {
    const oldest = now - this.rate.windowMs;
    if ((this.#times[0] ?? now) <= oldest) this.#times = this.#times.filter((time) => time > oldest);
    const first = this.#times[this.#times.length - this.rate.requests];
    if (first !== undefined) return first - oldest;
    this.#times.push(now);
    return 0;
  }
}
