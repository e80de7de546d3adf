import { type Random, randomFrom } from "../../../../src/sandbox/sandbox-environment.ts";

/** Random numbers that are the same for the same seed. */
export class Dice {
  readonly #seed: string;
  readonly #random: Random;

  constructor(seed: string) {
    this.#seed = seed;
    this.#random = randomFrom(seed);
  }

  /** From 0 to below 1. */
  readonly next = (): number => this.#random();

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new RangeError("there is nothing to pick from");
    return item;
  }

  /** A random part of the items, in their order. */
  some<T>(items: readonly T[], probability: number): readonly T[] {
    return items.filter(() => this.chance(probability));
  }

  /** An independent generator: using it doesn't change the sequence of this one. */
  fork(label: string): Dice {
    return new Dice(`${this.#seed}/${label}`);
  }
}
