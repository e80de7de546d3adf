/**
 * Writes soon after each change, never twice at the same time, and once more at the end. Changes in quick succession
 * share one write, because each write writes everything.
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

  /** Call this after every change. */
  changed(): void {
    this.#dirty = true;
    this.#schedule();
  }

  /** Writes changes that are not written yet; throws when that fails. */
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
      // Still dirty, so that close() tries again and throws.
      this.#onError(error);
      this.#running = null;
      this.#dirty = true;
      return;
    }
    this.#running = null;
    if (this.#dirty) this.#schedule();
  }
}
