import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "./has-code.js";
import { holdDirectory, type HeldDirectory } from "./hold-directory.js";
import { ownUid } from "./own-uid.js";
import { isOpenFile } from "./open-files.js";
import { unwritableBecause } from "./unwritable.js";
import { waitForReader, writePipe } from "./write-pipe.js";
import { fileTarget, type Workplace, type WriteTarget } from "./write-target.js";

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
