import { readKnownFile, readKnownFileSync } from "../files/read-known-file.js";

/** How files of known real paths are read. Both return null for a file that is not what it was when it was listed. */
export interface KnownFileCalls {
  readonly now: (path: string) => Buffer | null;
  readonly later: (path: string) => Promise<Buffer | null>;
  /** Milliseconds. */
  readonly clock: () => number;
}

export const knownFileCalls: KnownFileCalls = {
  now: readKnownFileSync,
  later: readKnownFile,
  clock: () => performance.now(),
};

/** How many files are open or held at a time while the disk is slow; of each at most 256 KiB are held. */
const mostAhead = 16;

/** A disk is slow when its last files took more than this on average, in milliseconds: several times a cached file. */
const slowMs = 0.3;

/** A single file counts as this many milliseconds at most: another process may have had the processor meanwhile. */
const mostMs = 1;

/** After this many files a slow disk is tried again, and a file that nobody has asked for gives up its place. */
const patience = 64;

/**
 * Reads many small files whose real paths are known, each once and in an announced order.
 *
 * A file in the system's cache takes 10 µs when this thread waits for it, and 100 µs when other threads read it. So files
 * are read when they are asked for, until the disk turns out to be slow: then the next ones are read ahead.
 */
export class ReadAhead {
  readonly #realPaths = new Map<string, string>();
  readonly #started = new Map<string, { readonly content: Promise<Buffer | null>; readonly since: number }>();
  #announced: readonly string[] = [];
  #unread = new Set<string>();
  #next = 0;
  #reads = 0;
  #averageMs = 0;
  #slowUntil = 0;

  constructor(private readonly calls: KnownFileCalls) {}

  /** Notes the real path of a regular file. @param path as it will be asked for */
  know(path: string, realPath: string): void {
    this.#realPaths.set(path, realPath);
  }

  /** Forgets a path that is no regular file any more. */
  forget(path: string): void {
    this.#realPaths.delete(path);
  }

  /** Takes the files that will be read next, in their order. Reads nothing yet. */
  announce(paths: readonly string[]): void {
    this.#announced = paths;
    this.#unread = new Set(paths);
    this.#next = 0;
  }

  /** A file's bytes; null when its real path isn't known, or it is not what it was: then it needs every check. */
  async read(path: string): Promise<Buffer | null> {
    this.#unread.delete(path);
    this.#reads += 1;
    const started = this.#started.get(path);
    if (started !== undefined) {
      this.#started.delete(path);
      if (this.#isSlow()) this.#startMore();
      return started.content;
    }
    const real = this.#realPaths.get(path);
    if (real === undefined) return null;
    if (!this.#isSlow()) return this.#readNow(real);
    const content = this.calls.later(real);
    this.#startMore();
    return content;
  }

  #isSlow(): boolean {
    return this.#reads < this.#slowUntil;
  }

  #readNow(real: string): Buffer | null {
    const { clock, now } = this.calls;
    const from = clock();
    const content = now(real);
    this.#averageMs += (Math.min(clock() - from, mostMs) - this.#averageMs) / 8;
    if (this.#averageMs > slowMs) this.#slowUntil = this.#reads + patience;
    return content;
  }

  #startMore(): void {
    for (const [path, { since }] of this.#started) {
      if (since + patience > this.#reads) break;
      this.#started.delete(path);
    }
    while (this.#started.size < mostAhead && this.#next < this.#announced.length) {
      const path = this.#announced[this.#next] ?? "";
      this.#next += 1;
      const real = this.#unread.has(path) ? this.#realPaths.get(path) : undefined;
      if (real !== undefined) this.#started.set(path, { content: this.calls.later(real), since: this.#reads });
    }
  }
}
