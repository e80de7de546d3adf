import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Writes changes as they come, so that nothing has to be confirmed that could be lost. A write that waits for the disk
 * costs the same for one change and for many: those that come while one is under way share the next.
 */
export class GroupedWriter {
  readonly #write: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  /** Whether something is not written yet. */
  #isUnsaved = false;
  #closed = false;
  /** The write that will hold all changes up to now; null once it has begun. */
  #next: Promise<void> | null = null;
  #running: Promise<void> | null = null;

  constructor(write: () => Promise<void>, onError: (error: unknown) => void) {
    this.#write = write;
    this.#onError = onError;
  }

  /** Call this after every change. */
  changed(): void {
    this.#isUnsaved = true;
    if (this.#closed || this.#next !== null) return;
    this.#next = this.#writeNext();
    // Whoever asks for it with saved() learns of the failure; nobody has to ask.
    this.#next.catch(() => {});
  }

  /** As saved(), but a write that has failed is tried again first. */
  confirmed(): Promise<void> {
    if (this.#isUnsaved && this.#running === null) this.changed();
    return this.saved();
  }

  /** Resolves when all changes up to now are written; rejects when that fails. They stay to be written with the next. */
  saved(): Promise<void> {
    return this.#next ?? this.#running ?? Promise.resolve();
  }

  /** Writes changes that are not written yet; throws when that fails. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.saved().catch(() => {});
    if (!this.#isUnsaved) return;
    await this.#write();
    this.#isUnsaved = false;
  }

  async #writeNext(): Promise<void> {
    await this.#running?.catch(() => {});
    // Requests that have arrived by now are answered first, and share this write.
    await nextTurn();
    this.#next = null;
    this.#isUnsaved = false;
    this.#running = this.#write();
    try {
      await this.#running;
    } catch (error) {
      this.#isUnsaved = true;
      this.#onError(error);
      throw error;
    } finally {
      this.#running = null;
    }
  }
}
