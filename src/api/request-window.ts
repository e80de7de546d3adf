/** A second more than a minute, as requests take their time. */
const windowMs = 61_000;
/** After fewer a 429 is no limit per minute. */
const fewestToLearn = 30;

/** Limiters may share it. */
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

  /** Other processes' requests of the last minute count for another one. */
  countOthers(count: number, now: number): void {
    this.#others = { count, until: now + windowMs };
  }

  record(now: number): void {
    this.#sent.push(now);
  }

  /** Nine tenths of what was sent in the last minute become the ceiling. */
  learn(now: number): void {
    const sent = this.sentLately(now);
    if (sent >= fewestToLearn) this.ceiling = Math.min(this.ceiling ?? Infinity, Math.floor(sent * 0.9));
  }
}
