import type { Clock, TraceEvent } from "./client.js";

/** Permission to send one request. It must be released exactly once. */
export interface Ticket {
  /** @param pause after a 429 (`limited`): it starts before another request gets permission */
  release(outcome: "ok" | "limited" | "failed", pause?: Pause): void;
}

/** Nothing is sent for a while. */
export interface Pause {
  readonly ms: number;
  /** Whether earlier pauses did not help, so that the limit must be one per minute. */
  readonly persistent: boolean;
}

/** Why there is no permission: the run was stopped, or its deadline comes before the request's turn. */
export type Denial = "stopped" | "deadline";

export interface RateLimiterOptions {
  /** Requests in flight at most. */
  readonly concurrency: number;
  readonly requestsPerMinute: number | null;
  readonly clock: Clock;
  /** ms since the epoch, or Infinity. */
  readonly deadlineAt: number;
  readonly signal: AbortSignal;
  readonly trace: (event: TraceEvent) => void;
}

type Waiter = (turn: Ticket | Denial) => void;

/**
 * Decides when each request of the client may be sent: first come first served, within a limit in flight and one per
 * minute. A 429 halves how many may be in flight (once for all that were sent before it) and pauses everything; the
 * number grows back with each success.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #window: RequestWindow;
  readonly #waiting = new Fifo<Waiter>();
  #inFlight = 0;
  #allowed: number;
  /** Grows with each decrease: a 429 for a ticket of an earlier generation is no news. */
  #generation = 0;
  #pausedUntil = 0;
  #asleep = false;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#allowed = options.concurrency;
    this.#window = new RequestWindow(options.requestsPerMinute);
    options.signal.addEventListener("abort", () => this.#refuseAll("stopped"), { once: true });
  }

  /** How many requests may be in flight now, at least 1. */
  get concurrency(): number {
    return Math.max(1, Math.floor(this.#allowed));
  }

  /** Waits for the turn of one request. */
  acquire(): Promise<Ticket | Denial> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#admit();
    });
  }

  #pause({ ms: pauseMs, persistent }: Pause): void {
    const now = this.#options.clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs);
    if (persistent) this.#window.learn(now);
    this.#options.trace({
      type: "limited",
      concurrency: this.concurrency,
      pauseMs,
      requestsPerMinute: this.#window.ceiling,
    });
  }

  #admit(): void {
    const { clock, signal, deadlineAt } = this.#options;
    if (signal.aborted) {
      this.#refuseAll("stopped");
      return;
    }
    while (this.#waiting.size > 0 && this.#inFlight < this.concurrency) {
      const now = clock.now();
      const free = Math.max(this.#pausedUntil, this.#window.freeAt(now));
      if (free >= deadlineAt || now >= deadlineAt) {
        this.#refuseAll("deadline");
        return;
      }
      if (free > now) {
        this.#wake(free, now);
        return;
      }
      this.#window.record(now);
      this.#inFlight += 1;
      this.#waiting.shift()?.(this.#ticket());
    }
  }

  /** Admits again at `free`. One timer is enough, as that sets the next. */
  #wake(free: number, now: number): void {
    if (this.#asleep) return;
    this.#asleep = true;
    void this.#sleep(free - now);
  }

  async #sleep(ms: number): Promise<void> {
    await this.#options.clock.sleep(ms, this.#options.signal);
    this.#asleep = false;
    this.#admit();
  }

  #ticket(): Ticket {
    const generation = this.#generation;
    return {
      release: (outcome, pause) => {
        this.#inFlight -= 1;
        if (outcome === "limited" && generation === this.#generation) {
          this.#generation += 1;
          this.#allowed = Math.max(1, this.concurrency / 2);
        } else if (outcome === "ok") {
          this.#allowed = Math.min(this.#options.concurrency, this.#allowed + 1 / this.concurrency);
        }
        if (pause !== undefined) this.#pause(pause);
        this.#admit();
      },
    };
  }

  #refuseAll(denial: Denial): void {
    for (let waiter = this.#waiting.shift(); waiter !== undefined; waiter = this.#waiting.shift()) waiter(denial);
  }
}

/** A minute and a second, as the time that requests take to reach the service varies. */
const windowMs = 61_000;
/** A service that refuses after fewer requests in a minute doesn't have a limit per minute. */
const fewestToLearn = 30;

/** Counts the requests of the last minute, to know when the next one may be sent. */
export class RequestWindow {
  readonly #sent = new Fifo<number>();
  #ceiling: number | null;

  /** @param ceiling how many may be sent in any minute; null = no limit */
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
    for (let oldest = this.#sent.at(0); oldest !== undefined && oldest + windowMs <= now; oldest = this.#sent.at(0)) {
      this.#sent.shift();
    }
  }
}

/** A queue whose `shift` takes constant time (amortized), unlike that of an array. */
class Fifo<T> {
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
