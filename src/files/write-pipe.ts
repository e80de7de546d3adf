import { closeSync, constants, fstatSync, lstatSync, openSync, writeSync, type Stats } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { hasCode } from "./has-code.js";
import { patience } from "./read-bounded.js";

/** How long a pipe is waited for, in milliseconds. */
export interface ReaderWaits {
  /** While nobody has it open for reading. */
  readonly readerMs: number;
  /** While somebody has it open, and it is full. */
  readonly spaceMs: number;
}

const pipeWaits: ReaderWaits = { readerMs: patience.writerMs, spaceMs: patience.dataMs };

/** How often a pipe is looked at, in milliseconds. */
const lookEveryMs = 20;

/**
 * Pipes whose reader was waited for, by device and inode. They stay open: closing one tells its reader that everything
 * was written. What is never written is closed when the program ends.
 */
const keptPipes = new Map<string, number>();

/** Waits until somebody reads a pipe. @throws the system's ENXIO when nobody comes */
export async function waitForReader(path: string, { readerMs } = pipeWaits): Promise<void> {
  const name = pipeId(lstatSync(path));
  if (!keptPipes.has(name)) keptPipes.set(name, await openPipe(path, readerMs));
}

/** Writes a whole text to a pipe, as fast as it is read. @throws the system's ENXIO, EPIPE or EAGAIN when nobody reads */
export async function writePipe(path: string, text: string, { readerMs, spaceMs } = pipeWaits): Promise<void> {
  const name = pipeId(lstatSync(path));
  const descriptor = keptPipes.get(name) ?? (await openPipe(path, readerMs));
  keptPipes.delete(name);
  try {
    let rest = Buffer.from(text);
    for (let waitedMs = 0; rest.length > 0;) {
      const written = writeSome(descriptor, rest, waitedMs >= spaceMs);
      rest = rest.subarray(written);
      waitedMs = written > 0 ? 0 : waitedMs + lookEveryMs;
      if (written === 0) await sleep(lookEveryMs);
    }
  } finally {
    closeSync(descriptor);
  }
}

// Without O_NONBLOCK opening a pipe that nobody reads would never come back, and no signal would end it.
async function openPipe(path: string, readerMs: number): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    try {
      const descriptor = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
      if (fstatSync(descriptor).isFIFO()) return descriptor;
      closeSync(descriptor);
      throw new Error("it is no longer a pipe");
    } catch (error) {
      if (!hasCode(error, "ENXIO") || waitedMs >= readerMs) throw error;
    }
    await sleep(lookEveryMs);
  }
}

/** How many bytes the pipe took: none when it is full. */
function writeSome(descriptor: number, bytes: Buffer, isLast: boolean): number {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if (isLast || !hasCode(error, "EAGAIN")) throw error;
    return 0;
  }
}

function pipeId({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}
