import TinyQueue from "tinyqueue";

type PermitRequest = Readonly<{
  order: number;
  resolve: () => void;
}>;

/** In the order of a number, or of coming. */
export class Semaphore {
  #free: number;
  #came = 0;
  readonly #waiting = new TinyQueue<PermitRequest>([], (a, b) => a.order - b.order);

  constructor(count: number) {
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`concurrency ${count} is not at least 1`);
    this.#free = count;
  }

  acquire(order: number = (this.#came += 1)): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push({ order, resolve });
    });
  }

  release(): void {
    const next = this.#waiting.pop();
    if (next === undefined) this.#free += 1;
    else next.resolve();
  }
}
