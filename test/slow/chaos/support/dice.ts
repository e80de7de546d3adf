import { type Random, randomFrom } from "../../../../src/sandbox/sandbox-environment.ts";

export class Dice {
  readonly #seed: string;
  readonly #random: Random;

  constructor(seed: string) {
    this.#seed = seed;
    this.#random = randomFrom(seed);
  }

  readonly next = (): number => this.#random();

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
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
    return new Dice(`${this.#seed}/${label}`);
  }
}
