import { randomUUID } from "node:crypto";
import {
  type Stats,
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasCode, unwritable, unwritableBecause } from "./file-errors.js";
import { isOpenFile } from "./follow-links.js";
import { type HeldDirectory, holdDirectory } from "./hold-directory.js";
import { ownUid } from "./others-access.js";
import { patience } from "./read-bounded.js";
import { type Workplace, type WriteTarget, fileTarget } from "./write-target.js";

/**
 * Who may read what is written: `private` = the owner alone, whatever the file was before; `ordinary` = as the file was
 * before, or as the umask has it.
 */
export type Audience = "private" | "ordinary";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Writes a file so that it is either as it was or complete. Pipes and devices are written as they are, and so is a file
 * that is mounted and can't be replaced.
 * The directory must exist; links are followed as {@link writeTarget} says.
 * @param file absolute, or relative to the working directory
 * @throws EdgewiseError `io`
 */
export async function writeFile(file: string, text: string, place: Workplace, audience: Audience): Promise<void> {
  const target = fileTarget(file, place);
  await holding(file, target, async (held) => {
    if (held === null) return writeThrough(target.path, text);
    if (held.existing?.isCharacterDevice() === true) return writeThrough(held.file, text);
    if (held.existing?.isFIFO() === true) return writePipe(held.file, text);
    replace(held, text, audience);
  });
}

/**
 * Finds out beforehand what {@link writeFile} would refuse: an apply must not end with a result that it can't write.
 * The reader of a pipe is waited for, and kept until the file is written.
 * @throws EdgewiseError `io`
 */
export async function checkWritable(file: string, place: Workplace): Promise<void> {
  await holding(file, fileTarget(file, place), async (held) => {
    if (held === null) return;
    const { existing } = held;
    accessSync(existing === null || existing.isFile() ? held.path : held.file, constants.W_OK);
    if (existing?.isFIFO() === true) await waitForReader(held.file);
  });
}

/** Does something with a file, by a name that nobody can lead elsewhere. Null = one of the program's open files. */
async function holding(
  file: string,
  target: WriteTarget,
  work: (held: HeldDirectory | null) => Promise<void>,
): Promise<void> {
  const held = isOpenFile(target.path) ? null : holdDirectory(file, target);
  try {
    await work(held);
  } catch (cause) {
    throw unwritableBecause(file, cause);
  } finally {
    held?.close();
  }
}

/**
 * Writes beside the file and renames. Synchronous: no signal handler runs in the middle, so an interrupted program
 * leaves nothing behind.
 */
function replace(held: HeldDirectory, text: string, audience: Audience): void {
  const temporary = join(held.path, `.edgewise-${randomUUID()}.tmp`);
  const mode = audience === "private" ? 0o600 : 0o666;
  const descriptor = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    try {
      if (held.existing !== null) keepOwner(descriptor, held.existing);
      if (audience === "private") fchmodSync(descriptor, 0o600);
      else if (held.existing !== null) fchmodSync(descriptor, held.existing.mode & 0o777);
      writeFileSync(descriptor, text);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, held.file);
  } catch (error) {
    rmSync(temporary, { force: true });
    // A container's file that its host mounted alone, without the directory, has its place and keeps it.
    if (held.existing === null || !hasCode(error, "EBUSY")) throw error;
    overwrite(held.file, held.existing, text, audience);
  }
}

function overwrite(path: string, { dev, ino }: Stats, text: string, audience: Audience): void {
  const descriptor = openSync(path, O_WRONLY | O_NOFOLLOW);
  try {
    const now = fstatSync(descriptor);
    if (now.dev !== dev || now.ino !== ino) throw new Error("somebody exchanged it just now");
    if (audience === "private") fchmodSync(descriptor, 0o600);
    ftruncateSync(descriptor);
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Root writes for the one who owns the file: a CI runner must be able to read what a container wrote for it. */
function keepOwner(descriptor: number, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  if (ownUid() === 0 && uid !== 0) fchownSync(descriptor, uid, gid);
}

/** What is no ordinary file can't be replaced, and what it holds is not ours to remove. */
async function writeThrough(path: string, text: string): Promise<void> {
  const handle = await open(path, O_WRONLY | O_APPEND);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

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

/**
 * Opens a file to read its end and to add to it. An ordinary file is made when there is none, and only its owner may
 * read it from then on. The directory must exist; links are followed as {@link writeTarget} says.
 * @throws EdgewiseError `io`
 */
export async function openForAppending(file: string, place: Workplace): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants;
  const target = fileTarget(file, place);
  if (isOpenFile(target.path)) return openHandle(file, target.path, O_RDWR | O_APPEND);
  const held = holdDirectory(file, target);
  try {
    const { existing } = held;
    if (existing === null) return await openHandle(file, held.file, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW);
    const handle = await openHandle(file, held.file, O_RDWR | O_APPEND | O_NOFOLLOW);
    try {
      const now = await handle.stat();
      // Whoever exchanged the file meanwhile has not passed the checks.
      if (now.ino !== existing.ino || now.dev !== existing.dev) {
        throw unwritable(file, "it was replaced by another file just now", "Name a file that nobody else writes.");
      }
      if (now.isFile() && (now.mode & 0o077) !== 0) await handle.chmod(0o600);
      return handle;
    } catch (cause) {
      await handle.close();
      throw unwritableBecause(file, cause);
    }
  } finally {
    held.close();
  }
}

async function openHandle(file: string, path: string, flags: number): Promise<FileHandle> {
  return open(path, flags, 0o600).catch((cause: unknown) => {
    throw unwritableBecause(file, cause);
  });
}
