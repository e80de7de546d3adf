/** A minute and a second, as the time that requests take to reach the service varies. */
const windowMs = 61_000;
/** A service that refuses after fewer requests in a minute doesn't have a limit per minute. */
const fewestToLearn = 30;

/** Counts the requests of the last minute and keeps pauses, to know when the next one may be sent. Limiters may share it. */
export class RequestWindow {
  readonly #sent = new Fifo<number>();
  #others = { count: 0, until: 0 };
  #ceiling: number | null = null;
  #pause = { since: 0, until: 0 };

  /** From now on so many may be sent in any minute; null = no limit. What was learned is forgotten. */
  limitTo(ceiling: number | null): void {
    this.#ceiling = ceiling;
  }

  get ceiling(): number | null {
    return this.#ceiling;
  }

  /** When the next request may be sent: now, or later. */
  freeAt(now: number): number {
    return Math.max(this.#pauseEnd(now), this.#roomAt(now));
  }

  /** Nothing is sent for so many milliseconds from now on. An earlier pause that ends later stays. */
  pause(now: number, ms: number): void {
    this.#pause = { since: now, until: Math.max(this.#pauseEnd(now), now + ms) };
  }

  /** A clock that was set back must not make a pause last. */
  #pauseEnd(now: number): number {
    return now < this.#pause.since ? now : this.#pause.until;
  }

  #roomAt(now: number): number {
    this.#forget(now);
    if (this.#ceiling === null) return now;
    const left = this.#ceiling - this.#others.count;
    if (left <= 0) return this.#others.until;
    if (this.#sent.size < left) return now;
    return (this.#sent.at(this.#sent.size - left) ?? now) + windowMs;
  }

  /** How many requests were sent in the last minute. */
  sentLately(now: number): number {
    this.#forget(now);
    return this.#sent.size;
  }

  /** Other processes sent so many requests in the last minute: they count for another one. */
  countOthers(count: number, now: number): void {
    this.#others = { count, until: now + windowMs };
  }

  record(now: number): void {
    this.#sent.push(now);
  }

  /**
   * Call it when the service still refuses after pauses: nine tenths of what was sent in the last minute become the
   * ceiling. Returns whether that changed anything.
   */
  learn(now: number): boolean {
    this.#forget(now);
    const learned = Math.floor(this.#sent.size * 0.9);
    if (this.#sent.size < fewestToLearn || learned >= (this.#ceiling ?? Infinity)) return false;
    this.#ceiling = learned;
    return true;
  }

  #forget(now: number): void {
    if (this.#others.until <= now) this.#others = { count: 0, until: 0 };
    for (let oldest = this.#sent.at(0); oldest !== undefined && oldest + windowMs <= now; oldest = this.#sent.at(0)) {
      this.#sent.shift();
    }
  }
}

/** A queue whose `shift` takes constant time (amortized), unlike that of an array. */
export class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The item at an index, counted from the front; undefined when there is none. */
  at(index: number): T | undefined {
    return this.#items[this.#head + index];
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#head += 1;
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
