import type { ClientOptions } from "./client.js";
import { RequestWindow } from "./request-window.js";

/** Released exactly once. */
export interface Ticket {
  release(outcome: "ok" | "limited" | "failed", pause?: Pause): void;
}

type Pause = Readonly<{
  ms: number;
  /** Earlier pauses did not help: the limit must be one per minute. */
  persistent: boolean;
}>;

export type Denial = "stopped" | "deadline";

export interface RateLimiterOptions
  extends
    Pick<ClientOptions, "window">,
    Required<Pick<ClientOptions, "concurrency" | "requestsPerMinute" | "clock" | "signal" | "trace">> {
  readonly deadlineAt: number;
}

type Waiter = (turn: Ticket | Denial) => void;

/** First come first served. A 429 halves how many may be in flight and pauses everything; each success lets it grow. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #window: RequestWindow;
  #waiting: Waiter[] = [];
  #inFlight = 0;
  #allowed: number;
  /** A 429 for a ticket from before the last decrease is no news. */
  #generation = 0;
  #asleep = false;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#allowed = options.concurrency;
    this.#window = options.window ?? new RequestWindow();
    this.#window.ceiling = options.requestsPerMinute;
    options.signal.addEventListener("abort", () => this.#refuseAll("stopped"), { once: true });
  }

  get concurrency(): number {
    return Math.max(1, Math.floor(this.#allowed));
  }

  acquire(stop?: AbortSignal): Promise<Ticket | Denial> {
    if (stop?.aborted === true) return Promise.resolve("stopped");
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        resolve("stopped");
      };
      const waiter: Waiter = (turn) => {
        stop?.removeEventListener("abort", giveUp);
        resolve(turn);
      };
      stop?.addEventListener("abort", giveUp, { once: true });
      this.#waiting.push(waiter);
      this.#admit();
    });
  }

  #admit(): void {
    const { clock, deadlineAt, signal } = this.#options;
    if (signal.aborted) this.#refuseAll("stopped");
    while (this.#waiting.length > 0 && this.#inFlight < this.concurrency) {
      const now = clock.now();
      const free = this.#window.freeAt(now);
      if (free >= deadlineAt) this.#refuseAll("deadline");
      else if (free > now) return void this.#sleep(free - now);
      else this.#waiting.shift()?.(this.#permit(now));
    }
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#asleep) return;
    this.#asleep = true;
    // Of limiters that share a window the least busy goes first: the one that renews the lock.
    await this.#options.clock.sleep(ms + 5 * this.#inFlight, this.#options.signal);
    this.#asleep = false;
    this.#admit();
  }

  #permit(now: number): Ticket {
    this.#window.record(now);
    this.#inFlight += 1;
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

  #pause({ ms: pauseMs, persistent }: Pause): void {
    const { clock, trace } = this.#options;
    const now = clock.now();
    this.#window.pause(now, pauseMs);
    if (persistent) this.#window.learn(now);
    trace({ type: "limited", concurrency: this.concurrency, pauseMs, requestsPerMinute: this.#window.ceiling });
  }

  #refuseAll(denial: Denial): void {
    for (const waiter of this.#waiting.splice(0)) waiter(denial);
  }
}
