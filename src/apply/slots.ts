import TinyQueue from "tinyqueue";

interface Waiter {
  readonly order: number;
  readonly resolve: () => void;
}

/** A fixed number of places. Who waits for one gets it in the order of a number: that of the operation in the plan. */
export class Slots {
  #free: number;
  readonly #waiting = new TinyQueue<Waiter>([], (a, b) => a.order - b.order);

  /** @param count how many there are, at least 1 */
  constructor(count: number) {
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`concurrency ${count} is not at least 1`);
    this.#free = count;
  }

  /** Resolves when a place is had; {@link give} must follow. */
  take(order: number): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push({ order, resolve });
    });
  }

  /** Gives a place back. */
  give(): void {
    const next = this.#waiting.pop();
    if (next === undefined) this.#free += 1;
    else next.resolve();
  }
}
