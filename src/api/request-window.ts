/** A minute and a second, as the time that requests take to reach the service varies. */
const windowMs = 61_000;
/** A service that refuses after fewer requests in a minute doesn't have a limit per minute. */
const fewestToLearn = 30;

/** Requests of the last minute and pauses: when the next one may be sent. Limiters may share it. */
export class RequestWindow {
  ceiling: number | null = null;
  readonly #sent: number[] = [];
  #others = { count: 0, until: 0 };
  #pausedUntil = 0;

  freeAt(now: number): number {
    return Math.max(now, this.#pausedUntil, this.#roomAt(now));
  }

  pause(now: number, ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now + ms);
  }

  #roomAt(now: number): number {
    const sent = this.sentLately(now);
    if (this.ceiling === null) return now;
    const left = this.ceiling - (this.#others.until > now ? this.#others.count : 0);
    if (left <= 0) return this.#others.until;
    return sent < left ? now : (this.#sent[sent - left] ?? now) + windowMs;
  }

  sentLately(now: number): number {
    const first = this.#sent.findIndex((at) => at + windowMs > now);
    this.#sent.splice(0, first === -1 ? this.#sent.length : first);
    return this.#sent.length;
  }

  /** Other processes sent so many requests in the last minute: they count for another one. */
  countOthers(count: number, now: number): void {
    this.#others = { count, until: now + windowMs };
  }

  record(now: number): void {
    this.#sent.push(now);
  }

  /** When the service refuses in spite of pauses, nine tenths of what was sent in the last minute become the ceiling. */
  learn(now: number): void {
    const sent = this.sentLately(now);
    if (sent >= fewestToLearn) this.ceiling = Math.min(this.ceiling ?? Infinity, Math.floor(sent * 0.9));
  }
}
