/** What waits to be saved with others. */
interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** So much is saved at once; the rest follows. */
const most = 500;

/**
 * Gathers what is to be saved in the same moment, or while earlier saves are on their way, so that one statement saves it:
 * each statement waits for the server's disk, and the looks of a pass end together. What is gathered is saved as a whole or
 * not at all, in the order of the calls.
 */
export class GatheredSaves<K, T> {
  readonly #save: (key: K, items: readonly T[]) => Promise<void>;
  /** By key: what waits. Missing = nothing does, and nothing is on its way. */
  readonly #waiting = new Map<K, Waiting<T>[]>();

  /** @param save saves what belongs together */
  constructor(save: (key: K, items: readonly T[]) => Promise<void>) {
    this.#save = save;
  }

  /** Resolves when it is saved. Rejects with what kept it, and all that was gathered with it, from being saved. */
  add(key: K, item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      const one = { item, resolve, reject };
      const waiting = this.#waiting.get(key);
      if (waiting !== undefined) {
        waiting.push(one);
        return;
      }
      const gathered = [one];
      this.#waiting.set(key, gathered);
      // What begins in the same moment comes before this.
      setImmediate(() => void this.#saveAll(key, gathered));
    });
  }

  async #saveAll(key: K, waiting: Waiting<T>[]): Promise<void> {
    while (waiting.length > 0) {
      const part = waiting.splice(0, most);
      try {
        await this.#save(
          key,
          part.map(({ item }) => item),
        );
        for (const { resolve } of part) resolve();
      } catch (error) {
        for (const { reject } of part) reject(error);
      }
    }
    this.#waiting.delete(key);
  }
}
