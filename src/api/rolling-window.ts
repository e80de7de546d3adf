import { Fifo } from "./fifo.js";

/** A minute and a second: a burst may reach the service later than it was sent, and the next one sooner. */
const windowMs = 61_000;
/** A service that refuses after fewer in a minute has another limit than one by the minute. */
const fewest = 30;

/** Counts the requests of the last minute, and tells when the next one may go. */
export class RequestWindow {
  readonly #sent = new Fifo<number>();
  #ceiling: number | null;

  /** @param ceiling how many any minute may hold; null = as many as like */
  constructor(ceiling: number | null) {
    this.#ceiling = ceiling;
  }

  get ceiling(): number | null {
    return this.#ceiling;
  }

  /** When the next request may be sent: now, or later. */
  freeAt(now: number): number {
    this.#forget(now);
    if (this.#ceiling === null || this.#sent.size < this.#ceiling) return now;
    return (this.#sent.at(this.#sent.size - this.#ceiling) ?? now) + windowMs;
  }

  record(now: number): void {
    this.#sent.push(now);
  }

  /**
   * The service goes on refusing although nobody hurries: nine tenths of what went through in the last minute
   * become the ceiling. Returns whether that changed anything.
   */
  learn(now: number): boolean {
    this.#forget(now);
    const learned = Math.floor(this.#sent.size * 0.9);
    if (this.#sent.size < fewest || learned >= (this.#ceiling ?? Infinity)) return false;
    this.#ceiling = learned;
    return true;
  }

  #forget(now: number): void {
    for (let oldest = this.#sent.at(0); oldest !== undefined && oldest + windowMs <= now; oldest = this.#sent.at(0)) {
      this.#sent.shift();
    }
  }
}
