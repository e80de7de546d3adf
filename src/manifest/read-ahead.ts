import { join } from "node:path";
import { type KnownDirectory, openKnownDirectory, readKnownFile } from "../files/read-known-file.js";

/** How files of known real paths are read. All return null for a file that is not what it was when it was listed. */
export interface KnownFileCalls {
  /** Opens a directory for files that this thread waits for. */
  readonly directory: (path: string) => KnownDirectory | null;
  readonly later: (path: string) => Promise<Buffer | null>;
  /** Milliseconds. */
  readonly clock: () => number;
}

export const knownFileCalls: KnownFileCalls = {
  directory: openKnownDirectory,
  later: readKnownFile,
  clock: () => performance.now(),
};

/** How many files other threads read at a time; of each at most 256 KiB are held. */
const mostAhead = 16;

/** With a file, this thread reads so many others at most, until they have so many bytes. */
const mostTogether = { files: 64, bytes: 256 * 1024 };

/** A disk is slow when its last files took more than this on average, in milliseconds: several times a cached file. */
const slowMs = 0.3;

/** A single file counts as this many milliseconds at most: another process may have had the processor meanwhile. */
const mostMs = 1;

/** After this many files a slow disk is tried again, and a file that nobody has asked for gives up its place. */
const patience = 64;

/**
 * Reads many small files of which the real paths of the directories are known, each once and in an announced order.
 *
 * A file in the system's cache takes 10 µs when this thread waits for it, and 100 µs when other threads read it. So this
 * thread reads a file when it is asked for, and with it those that follow in the same directory, whose place is looked at
 * only once for them. When the disk turns out to be slow, other threads read the next files ahead.
 */
export class ReadAhead {
  /** The real path of each file's directory. */
  readonly #directories = new Map<string, string>();
  /** What was read with a file that was asked for. */
  readonly #held = new Map<string, Buffer | null>();
  readonly #started = new Map<string, { readonly content: Promise<Buffer | null>; readonly since: number }>();
  #announced: readonly string[] = [];
  /** The first announced file that was neither read nor sent for. */
  #next = 0;
  /** Files that were asked for before their turn. */
  readonly #early = new Set<string>();
  #reads = 0;
  #averageMs = 0;
  #slowUntil = 0;

  constructor(private readonly calls: KnownFileCalls) {}

  /**
   * Notes a regular file that is no link.
   * @param path as it will be asked for
   * @param directory the real path of the directory that it is in
   */
  know(path: string, directory: string): void {
    this.#directories.set(path, directory);
  }

  /** Forgets a path that is no regular file any more. */
  forget(path: string): void {
    this.#directories.delete(path);
  }

  /** Takes the files that will be read next, in their order. Reads nothing yet. */
  announce(paths: readonly string[]): void {
    this.#announced = paths;
    this.#next = 0;
    this.#early.clear();
    this.#held.clear();
  }

  /**
   * A file's bytes; null when its directory isn't known, or it is not what it was: then it needs every check. It is there at
   * once, unless the disk is slow.
   */
  read(path: string): Buffer | null | Promise<Buffer | null> {
    this.#reads += 1;
    const held = this.#held.get(path);
    if (held !== undefined) {
      this.#held.delete(path);
      return held;
    }
    const started = this.#started.get(path);
    if (started !== undefined) {
      this.#started.delete(path);
      if (this.#isSlow()) this.#startMore();
      return started.content;
    }
    const next = this.#nextFile();
    if (next === path) this.#next += 1;
    else if (next !== undefined) this.#early.add(path);
    const directory = this.#directories.get(path);
    if (directory === undefined) return null;
    if (!this.#isSlow()) return this.#readNow(path, directory, next === path);
    const content = this.calls.later(join(directory, nameOf(path)));
    this.#startMore();
    return content;
  }

  /** The file whose turn is next, unless somebody asked for it before. */
  #nextFile(): string | undefined {
    let next = this.#announced[this.#next];
    while (next !== undefined && this.#early.has(next)) next = this.#announced[++this.#next];
    return next;
  }

  #isSlow(): boolean {
    return this.#reads < this.#slowUntil;
  }

  /** @param isNext whether the file is asked for in its turn */
  #readNow(path: string, directory: string, isNext: boolean): Buffer | null {
    const opened = this.calls.directory(directory);
    if (opened === null) return null;
    try {
      const { clock } = this.calls;
      const began = clock();
      const content = opened.read(nameOf(path));
      let ended = this.#noteTime(began, clock());
      if (!isNext) return content;
      // Nobody will ask for what was not asked for in its turn.
      this.#held.clear();
      const { bytes, files } = mostTogether;
      for (let held = 0; this.#held.size < files && held < bytes && ended - began < mostMs;) {
        const next = this.#nextFile();
        if (next === undefined || this.#directories.get(next) !== directory) break;
        this.#next += 1;
        const together = opened.read(nameOf(next));
        this.#held.set(next, together);
        held += together?.length ?? 0;
        ended = this.#noteTime(ended, clock());
      }
      return content;
    } finally {
      opened.close();
    }
  }

  /** Notes how long a file took. @returns when it ended */
  #noteTime(from: number, to: number): number {
    this.#averageMs += (Math.min(to - from, mostMs) - this.#averageMs) / 8;
    if (this.#averageMs > slowMs) this.#slowUntil = this.#reads + patience;
    return to;
  }

  #startMore(): void {
    for (const [path, { since }] of this.#started) {
      if (since + patience > this.#reads) break;
      this.#started.delete(path);
    }
    while (this.#started.size < mostAhead) {
      const path = this.#nextFile();
      if (path === undefined) break;
      this.#next += 1;
      const directory = this.#directories.get(path);
      if (directory === undefined) continue;
      this.#started.set(path, { content: this.calls.later(join(directory, nameOf(path))), since: this.#reads });
    }
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
