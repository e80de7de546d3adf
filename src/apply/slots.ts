import { PriorityQueue } from "../priority-queue.js";

/** A fixed number of places. Who waits for one gets it in the order of a number: that of the operation in the plan. */
export class Semaphore {
  #free: number;
  readonly #waiting = new PriorityQueue<() => void>();

  /** @param count how many there are, at least 1 */
  constructor(count: number) {
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`concurrency ${count} is not at least 1`);
    this.#free = count;
  }

  /** Resolves when a place is had; {@link release} must follow. */
  acquire(order: number): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.add(order, resolve);
    });
  }

  /** Gives a place back. */
  release(): void {
    const next = this.#waiting.take();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
