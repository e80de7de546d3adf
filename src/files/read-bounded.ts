import { type Stats, closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { hasCode } from "./file-errors.js";

/** Why a file is not read, as the end of a sentence that names it. */
export class NotReadable extends Error {
  override readonly name = "NotReadable";
}

/** How a file is read. */
export interface Bounds {
  /** The most bytes that it may have. */
  readonly most: number;
  /** Whether it may be a pipe that ends, as `<(pass show key)` is. Absent = only regular files are read. */
  readonly pipe?: PipeWaits;
  /** Looks at what was opened before it is read; what it throws is thrown on. */
  readonly check?: (stats: Stats) => void;
}

/** How long a pipe is waited for, in milliseconds. */
export interface PipeWaits {
  /** While nobody has it open for writing. */
  readonly writerMs: number;
  /** While somebody has it open and writes nothing. */
  readonly dataMs: number;
}

/** A person may have to type a passphrase before a password manager writes. */
export const patience: PipeWaits = { writerMs: 3000, dataMs: 60_000 };

/** How often a pipe is looked at, in milliseconds. */
const lookEveryMs = 20;

// Without O_NONBLOCK opening a pipe that nobody writes to would never come back.
const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Reads a whole file that may be anything: what never ends, never begins or is too large is refused, before or at the
 * bound. What is checked is what is read, whatever the path leads to a moment later.
 * @throws NotReadable; what opening and reading throws
 */
export async function readBounded(path: string, { most, pipe, check }: Bounds): Promise<Buffer> {
  const file = await open(path, flags);
  try {
    const stats = await file.stat();
    check?.(stats);
    if (pipe !== undefined && stats.isFIFO()) return await readPipe(file, most, pipe);
    refuse(stats, most);
    const chunks = new Chunks(most);
    for (;;) {
      const { bytesRead } = await file.read(chunks.space, 0, chunks.space.length, null);
      if (!chunks.take(bytesRead)) return chunks.whole();
    }
  } finally {
    await file.close();
  }
}

/** The same at once, for a regular file. */
export function readBoundedSync(path: string, most: number): Buffer {
  const file = openSync(path, flags);
  try {
    refuse(fstatSync(file), most);
    const chunks = new Chunks(most);
    while (chunks.take(readSync(file, chunks.space)));
    return chunks.whole();
  } finally {
    closeSync(file);
  }
}

function refuse(stats: Stats, most: number): void {
  if (stats.isDirectory()) throw new NotReadable("it is a directory");
  if (stats.isFIFO()) throw new NotReadable("it is a pipe");
  if (!stats.isFile()) throw new NotReadable("it is a device or socket, and no file");
  if (stats.size > most) throw tooLarge(most);
}

function tooLarge(most: number): NotReadable {
  return new NotReadable(`it has more than ${most} bytes`);
}

async function readPipe(file: FileHandle, most: number, { dataMs, writerMs }: PipeWaits): Promise<Buffer> {
  const chunks = new Chunks(most);
  let waitedMs = 0;
  for (;;) {
    const read = await file.read(chunks.space, 0, chunks.space.length, null).catch(nothingYet);
    if (read !== null && read.bytesRead > 0) {
      chunks.take(read.bytesRead);
      waitedMs = 0;
      continue;
    }
    // Its end, unless the writer is yet to come.
    if (read !== null && (chunks.length > 0 || waitedMs >= writerMs)) {
      if (chunks.length > 0) return chunks.whole();
      throw new NotReadable("it is a pipe that nobody writes to");
    }
    if (waitedMs >= dataMs) throw new NotReadable("it is a pipe whose writer writes nothing");
    await sleep(lookEveryMs);
    waitedMs += lookEveryMs;
  }
}

/** Somebody has the pipe open for writing, and it is empty. */
function nothingYet(error: unknown): null {
  if (hasCode(error, "EAGAIN")) return null;
  throw error;
}

/** What was read, and no more than may be. */
class Chunks {
  readonly space: Buffer;
  readonly #most: number;
  readonly #taken: Buffer[] = [];
  #length = 0;

  constructor(most: number) {
    this.#most = most;
    this.space = Buffer.alloc(Math.min(most + 1, 65_536));
  }

  get length(): number {
    return this.#length;
  }

  /** Keeps the first bytes of the space. False at the end. @throws NotReadable when there are too many */
  take(count: number): boolean {
    this.#length += count;
    if (this.#length > this.#most) throw tooLarge(this.#most);
    if (count > 0) this.#taken.push(Buffer.from(this.space.subarray(0, count)));
    return count > 0;
  }

  whole(): Buffer {
    return Buffer.concat(this.#taken);
  }
}

/** Bytes as text, without a byte order mark; null when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
