/** Where one of several writes its messages. */
export interface StackOutput {
  stderr(text: string): void;
}

/**
 * Puts what is made side by side into order: messages and results of each appear when those of all before it have. The
 * messages of the first that is not done appear at once.
 */
export class OrderedOutput<Result> {
  readonly #entries: readonly Entry<Result>[];
  readonly #stderr: (text: string) => void;
  readonly #write: (result: Result) => Promise<void>;
  #first = 0;
  #writing: Promise<void> = Promise.resolve();

  /** @param write writes a result; called for one after the other */
  constructor(size: number, stderr: (text: string) => void, write: (result: Result) => Promise<void>) {
    this.#entries = Array.from({ length: size }, () => ({ texts: [], done: null }));
    this.#stderr = stderr;
    this.#write = write;
  }

  /** All results, once each is {@link done}. */
  get finished(): readonly Result[] {
    return this.#entries.flatMap(({ done }) => (done === null ? [] : [done.result]));
  }

  /** The output of one of them. */
  of(index: number): StackOutput {
    const entry = this.#entries[index];
    if (entry === undefined) throw new RangeError(`there is no ${index}`);
    return {
      stderr: (text) => {
        entry.texts.push(text);
        this.#flush(entry);
      },
    };
  }

  /** Takes the result of one of them. Resolves when everything that can be written is. */
  async done(index: number, result: Result): Promise<void> {
    const entry = this.#entries[index];
    if (entry === undefined) throw new RangeError(`there is no ${index}`);
    entry.done = { result };
    this.#writing = this.#writing.then(async () => this.#advance());
    await this.#writing;
  }

  async #advance(): Promise<void> {
    for (let entry = this.#entries[this.#first]; entry !== undefined; entry = this.#entries[this.#first]) {
      this.#flush(entry);
      if (entry.done === null) return;
      await this.#write(entry.done.result);
      this.#first += 1;
    }
  }

  #flush(entry: Entry<Result>): void {
    if (entry !== this.#entries[this.#first]) return;
    for (const text of entry.texts.splice(0)) this.#stderr(text);
  }
}

interface Entry<Result> {
  readonly texts: string[];
  done: { readonly result: Result } | null;
}
