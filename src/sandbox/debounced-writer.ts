/**
 * Keeps writing what changes: soon after a change, never two writes at once, and once more at the end.
 * Changes that come quickly one after the other share one write, as each writes everything.
 */
export class DebouncedWriter {
  readonly #write: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #pauseMs: number;
  #dirty = false;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;

  constructor(write: () => Promise<void>, onError: (error: unknown) => void, pauseMs = 100) {
    this.#write = write;
    this.#onError = onError;
    this.#pauseMs = pauseMs;
  }

  /** Something changed. */
  changed(): void {
    this.#dirty = true;
    this.#schedule();
  }

  /** Writes what is not written yet; throws what the writing throws. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
    if (!this.#dirty) return;
    this.#dirty = false;
    await this.#write();
  }

  #schedule(): void {
    if (this.#closed || this.#timer !== null || this.#running !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#running = this.#writeNow();
    }, this.#pauseMs);
  }

  async #writeNow(): Promise<void> {
    this.#dirty = false;
    try {
      await this.#write();
    } catch (error) {
      // Kept as not written, so that close tries again and tells.
      this.#onError(error);
      this.#running = null;
      this.#dirty = true;
      return;
    }
    this.#running = null;
    if (this.#dirty) this.#schedule();
  }
}
