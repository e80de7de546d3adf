/** A record, and the version of its row. */
export interface Versioned<T> {
  readonly record: T;
  readonly version: number;
}

/**
 * The rows of one sort that this process knows, by name. Answers may overtake each other: what is older than what is known
 * already says nothing.
 */
export class KnownRows<T> {
  readonly #rows = new Map<string, Versioned<T>>();
  readonly #saves = new Map<string, number>();

  get(name: string): Versioned<T> | undefined {
    return this.#rows.get(name);
  }

  /** @returns whether it is news */
  learn(name: string, row: Versioned<T>): boolean {
    const known = this.#rows.get(name);
    if (known !== undefined && known.version >= row.version) return false;
    this.#rows.set(name, row);
    return true;
  }

  /** Saves a row: until that is over, nobody knows whether what is read is what this process writes. */
  async during<S>(name: string, save: () => Promise<S>): Promise<S> {
    this.#saves.set(name, (this.#saves.get(name) ?? 0) + 1);
    try {
      return await save();
    } finally {
      const left = (this.#saves.get(name) ?? 1) - 1;
      if (left > 0) this.#saves.set(name, left);
      else this.#saves.delete(name);
    }
  }

  isBeingSaved(name: string): boolean {
    return this.#saves.has(name);
  }

  forget(name: string): void {
    this.#rows.delete(name);
  }

  clear(): void {
    this.#rows.clear();
  }
}
