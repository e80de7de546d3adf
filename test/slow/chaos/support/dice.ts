import { createHash } from "node:crypto";

/** The same numbers for the same seed, by Mulberry32. */
export class Dice {
  #state: number;

  constructor(readonly seed: string) {
    this.#state = createHash("sha256").update(seed).digest().readUInt32LE(0);
  }

  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new RangeError("there is nothing to pick from");
    return item;
  }

  some<T>(items: readonly T[], probability: number): readonly T[] {
    return items.filter(() => this.chance(probability));
  }

  /** An independent generator: using it doesn't change the sequence of this one. */
  fork(label: string): Dice {
    return new Dice(`${this.seed}/${label}`);
  }
}
