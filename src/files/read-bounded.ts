import { isUtf8 } from "node:buffer";
import { type Stats, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { hasCode } from "./file-errors.js";

/** A file that is not read. The message ends a sentence that names the file. */
export class NotReadable extends Error {
  override readonly name = "NotReadable";
}

/** How a file is read. */
export interface Bounds {
  /** The largest size, in bytes. */
  readonly most: number;
  /** Allows a pipe that ends, like `<(pass show key)`. Absent = only regular files are read. */
  readonly pipe?: PipeWaits;
  /** Called with the opened file before it is read; what it throws is rethrown. */
  readonly check?: (stats: Stats) => void;
}

/** How long a pipe is waited for, in milliseconds. */
export interface PipeWaits {
  /** While no process has it open for writing. */
  readonly writerMs: number;
  /** While a process has it open and writes nothing. */
  readonly dataMs: number;
}

/** A person may have to type a passphrase before a password manager writes. */
export const patience: PipeWaits = { writerMs: 3000, dataMs: 60_000 };

/** How long to wait between attempts to read or write a pipe, in milliseconds. */
export const pipePollMs = 20;

// Without O_NONBLOCK opening a pipe that no process writes to would never return.
const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Reads a whole file. Refuses files that never end, never start or are too large. What is checked is what is read,
 * whatever the path leads to a moment later.
 * @throws NotReadable, and what opening and reading throws
 */
export async function readBounded(path: string, { most, pipe, check }: Bounds): Promise<Buffer> {
  const file = await open(path, flags);
  try {
    const stats = await file.stat();
    check?.(stats);
    if (pipe !== undefined && stats.isFIFO()) return await readPipe(file, new Chunks(most), pipe);
    refuse(stats, most);
    const chunks = new Chunks(most, stats.size);
    for (;;) {
      const { bytesRead } = await file.read(chunks.space, 0, chunks.space.length, null);
      if (!chunks.take(bytesRead)) return chunks.whole();
    }
  } finally {
    await file.close();
  }
}

/** Synchronous version, for regular files. */
export function readBoundedSync(path: string, most: number, { check }: Pick<Bounds, "check"> = {}): Buffer {
  const file = openSync(path, flags);
  try {
    const stats = fstatSync(file);
    check?.(stats);
    refuse(stats, most);
    const chunks = new Chunks(most, stats.size);
    while (chunks.take(readSync(file, chunks.space)));
    return chunks.whole();
  } finally {
    closeSync(file);
  }
}

function refuse(stats: Stats, most: number): void {
  if (stats.isDirectory()) throw new NotReadable("it is a directory");
  if (stats.isFIFO()) throw new NotReadable("it is a pipe");
  if (!stats.isFile()) throw new NotReadable("it is a device or socket, not a file");
  if (stats.size > most) throw tooLarge(most);
}

function tooLarge(most: number): NotReadable {
  return new NotReadable(`it has more than ${most} bytes`);
}

async function readPipe(file: FileHandle, chunks: Chunks, { dataMs, writerMs }: PipeWaits): Promise<Buffer> {
  let waitedMs = 0;
  for (;;) {
    const read = await file.read(chunks.space, 0, chunks.space.length, null).catch(nothingYet);
    if (read !== null && read.bytesRead > 0) {
      chunks.take(read.bytesRead);
      waitedMs = 0;
      continue;
    }
    // The pipe has ended, or no process has opened it for writing yet.
    if (read !== null && (chunks.length > 0 || waitedMs >= writerMs)) {
      if (chunks.length > 0) return chunks.whole();
      throw new NotReadable("it is a pipe that no process writes to");
    }
    if (waitedMs >= dataMs) throw new NotReadable("it is a pipe whose writer sends nothing");
    await sleep(pipePollMs);
    waitedMs += pipePollMs;
  }
}

/** A process has the pipe open for writing, and it is empty. */
function nothingYet(error: unknown): null {
  if (hasCode(error, "EAGAIN")) return null;
  throw error;
}

/** What was read, up to the bound. */
class Chunks {
  readonly space: Buffer;
  readonly #most: number;
  readonly #expected: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;

  /** @param expected how many bytes there probably are */
  constructor(most: number, expected = Infinity) {
    this.#most = most;
    this.#expected = expected;
    this.space = Buffer.alloc(Math.min(most + 1, Math.max(expected + 1, 512), 65_536));
  }

  get length(): number {
    return this.#length;
  }

  /** Keeps the first bytes of `space`. False when that is all. @throws NotReadable when there are too many */
  take(count: number): boolean {
    this.#length += count;
    if (this.#length > this.#most) throw tooLarge(this.#most);
    if (count > 0) this.#pieces.push(Buffer.from(this.space.subarray(0, count)));
    return count > 0 && this.#length !== this.#expected;
  }

  whole(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

/** Bytes as text, without a byte order mark; null when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes)) return null;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
