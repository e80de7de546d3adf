import { randomUUID } from "node:crypto";
import {
  type Stats,
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
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
import { type HeldDirectory, holdDirectory, isSameInode } from "./hold-directory.js";
import { ownUid } from "./others-access.js";
import { patience, pipePollMs } from "./read-bounded.js";
import { type Workplace, type WriteTarget, fileTarget } from "./write-target.js";

/**
 * Who may read the file: `private` = the owner alone, whatever its mode was before; `ordinary` = as before, or by the
 * umask.
 */
export type Audience = "private" | "ordinary";

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDWR, O_WRONLY } = constants;

/**
 * Writes a file atomically: it has its old content or all of the new. Pipes and devices are written to directly, and so
 * is a file that is mounted and can't be replaced. The directory must exist; links are followed as in
 * {@link writeTarget}.
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
 * Throws if {@link writeFile} would: an apply must not end with a result that it can't write. Waits for the reader of a
 * pipe, and keeps the pipe open until the file is written.
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

/** Calls `write` with a name of the file that no one can redirect; with null for one of this program's open files. */
async function holding(
  file: string,
  target: WriteTarget,
  write: (held: HeldDirectory | null) => Promise<void>,
): Promise<void> {
  const held = isOpenFile(target.path) ? null : holdDirectory(file, target);
  try {
    await write(held);
  } catch (cause) {
    throw unwritableBecause(file, cause);
  } finally {
    held?.close();
  }
}

/**
 * Writes a temporary file beside the file and renames it. Synchronous, so that no signal handler can interrupt it and
 * leave the temporary file behind.
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
      // Otherwise the name may reach the disk before the content does.
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, held.file);
  } catch (error) {
    rmSync(temporary, { force: true });
    // A file that is mounted into a container without its directory can't be replaced.
    if (held.existing === null || !hasCode(error, "EBUSY")) throw error;
    overwrite(held.file, held.existing, text, audience);
  }
}

function overwrite(path: string, before: Stats, text: string, audience: Audience): void {
  const descriptor = openSync(path, O_WRONLY | O_NOFOLLOW);
  try {
    if (!isSameInode(fstatSync(descriptor), before)) throw new Error("it was replaced by another file meanwhile");
    if (audience === "private") fchmodSync(descriptor, 0o600);
    ftruncateSync(descriptor);
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** When root writes, the file keeps its owner: a CI runner must be able to read what a container wrote for it. */
function keepOwner(descriptor: number, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  if (ownUid() === 0 && uid !== 0) fchownSync(descriptor, uid, gid);
}

/** Open files and devices can't be replaced, and their content is not ours to remove. */
async function writeThrough(path: string, text: string): Promise<void> {
  const handle = await open(path, O_WRONLY | O_APPEND);
  try {
    await handle.appendFile(text);
  } finally {
    await handle.close();
  }
}

/** How long a pipe is waited for, in milliseconds. */
export interface ReaderWaits {
  /** While no process has it open for reading. */
  readonly readerMs: number;
  /** While a process has it open, and it is full. */
  readonly spaceMs: number;
}

const pipeWaits: ReaderWaits = { readerMs: patience.writerMs, spaceMs: patience.dataMs };

/**
 * Pipes that {@link checkWritable} opened, by device and inode. They stay open, because a reader takes a closed pipe for
 * the end of the file. One that is never written is closed when the program ends.
 */
const keptPipes = new Map<string, number>();

/** Waits until a process reads the pipe. @throws the system's ENXIO when none does */
export async function waitForReader(path: string, { readerMs } = pipeWaits): Promise<void> {
  const name = pipeId(lstatSync(path));
  if (!keptPipes.has(name)) keptPipes.set(name, await openPipe(path, readerMs));
}

/** Writes a whole text to a pipe as fast as it is read. @throws the system's ENXIO, EPIPE or EAGAIN when it isn't */
export async function writePipe(path: string, text: string, { readerMs, spaceMs } = pipeWaits): Promise<void> {
  const name = pipeId(lstatSync(path));
  const descriptor = keptPipes.get(name) ?? (await openPipe(path, readerMs));
  keptPipes.delete(name);
  try {
    let rest = Buffer.from(text);
    for (let waitedMs = 0; rest.length > 0;) {
      const written = writeSome(descriptor, rest, waitedMs >= spaceMs);
      rest = rest.subarray(written);
      waitedMs = written > 0 ? 0 : waitedMs + pipePollMs;
      if (written === 0) await sleep(pipePollMs);
    }
  } finally {
    closeSync(descriptor);
  }
}

// Without O_NONBLOCK opening a pipe that no process reads would never return, and no signal would end it.
async function openPipe(path: string, readerMs: number): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += pipePollMs) {
    try {
      const descriptor = openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
      if (fstatSync(descriptor).isFIFO()) return descriptor;
      closeSync(descriptor);
      throw new Error("it is no longer a pipe");
    } catch (error) {
      if (!hasCode(error, "ENXIO") || waitedMs >= readerMs) throw error;
    }
    await sleep(pipePollMs);
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
 * Opens a file to read its end and to append to it. It is created if it doesn't exist, and only its owner may read it
 * from then on. The directory must exist; links are followed as in {@link writeTarget}.
 * @throws EdgewiseError `io`
 */
export async function openForAppending(file: string, place: Workplace): Promise<FileHandle> {
  const target = fileTarget(file, place);
  if (isOpenFile(target.path)) return openHandle(file, target.path, O_RDWR | O_APPEND);
  const held = holdDirectory(file, target);
  try {
    const { existing } = held;
    if (existing === null) return await openHandle(file, held.file, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW);
    const handle = await openHandle(file, held.file, O_RDWR | O_APPEND | O_NOFOLLOW);
    try {
      const now = await handle.stat();
      // A file that replaced the checked one was not checked.
      if (!isSameInode(now, existing)) {
        throw unwritable(file, "it was replaced while it was being opened", "Use a file that no one else writes to.");
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
