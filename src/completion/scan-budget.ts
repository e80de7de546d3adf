/** How much is read for one press of the Tab key. */
export interface ScanLimits {
  /** Milliseconds. */
  readonly ms: number;
  /** Bytes of all manifests. */
  readonly bytes: number;
  /** Manifests, and entries of one directory. */
  readonly count: number;
  /** Comparisons of patterns with paths. */
  readonly globSteps: number;
}

/** People wait for it with a finger on the key: better some names now than all of them later. */
export const tabLimits: ScanLimits = { ms: 250, bytes: 32 * 1024 * 1024, count: 20_000, globSteps: 20_000_000 };

/** What is left of the limits. */
export class ScanBudget {
  readonly #until: number;
  #bytes = 0;

  /** @param now milliseconds */
  constructor(
    readonly limits: ScanLimits,
    private readonly now: () => number,
  ) {
    this.#until = now() + limits.ms;
  }

  /** Counts what was read. */
  spend(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Whether half of the time is used up. The search for files ends then, so that some of them can still be read. */
  get halfSpent(): boolean {
    return this.now() > this.#until - this.limits.ms / 2;
  }

  /** Whether time or bytes are used up. */
  get spent(): boolean {
    return this.#bytes > this.limits.bytes || this.now() > this.#until;
  }
}
