import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ownUid } from "./own-uid.js";
import { isOpenFile } from "./open-files.js";
import { unwritableBecause } from "./unwritable.js";
import { fileTarget, type Workplace, type WriteTarget } from "./write-target.js";

/**
 * Who may read what is written: `private` = the owner alone, whatever the file was before; `ordinary` = as the file was
 * before, or as the umask has it.
 */
export type Audience = "private" | "ordinary";

/**
 * Writes a file so that it is either as it was or complete. Pipes and devices are written as they are.
 * The directory must exist; links are followed as {@link writeTarget} says.
 * @param file absolute, or relative to the working directory
 * @throws EdgewiseError `io`
 */
export async function writeFile(file: string, text: string, place: Workplace, audience: Audience): Promise<void> {
  const target = fileTarget(file, place);
  const { existing, path } = target;
  if (isOpenFile(path) || existing?.isFile() === false) return writeThrough(file, path, text);
  try {
    replace(target, text, audience);
  } catch (cause) {
    throw unwritableBecause(file, cause);
  }
}

/**
 * Finds out beforehand what {@link writeFile} would refuse: an apply must not end with a result that it can't write.
 * @throws EdgewiseError `io`
 */
export function checkWritable(file: string, place: Workplace): void {
  const { existing, path } = fileTarget(file, place);
  if (isOpenFile(path)) return;
  try {
    accessSync(existing === null || existing.isFile() ? dirname(path) : path, constants.W_OK);
  } catch (cause) {
    throw unwritableBecause(file, cause);
  }
}

/**
 * Writes beside the file and renames. Synchronous: no signal handler runs in the middle, so an interrupted program
 * leaves nothing behind.
 */
function replace({ path, existing }: WriteTarget, text: string, audience: Audience): void {
  const temporary = join(dirname(path), `.edgewise-${randomUUID()}.tmp`);
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const descriptor = openSync(
    temporary,
    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
    audience === "private" ? 0o600 : 0o666,
  );
  try {
    try {
      if (existing !== null) keepOwner(descriptor, existing);
      if (audience === "private") fchmodSync(descriptor, 0o600);
      else if (existing !== null) fchmodSync(descriptor, existing.mode & 0o777);
      writeFileSync(descriptor, text);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Root writes for the one who owns the file: a CI runner must be able to read what a container wrote for it. */
function keepOwner(descriptor: number, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  if (ownUid() === 0 && uid !== 0) fchownSync(descriptor, uid, gid);
}

/** What is no ordinary file can't be replaced, and what it holds is not ours to remove. */
async function writeThrough(file: string, path: string, text: string): Promise<void> {
  try {
    const handle = await open(path, constants.O_WRONLY | constants.O_APPEND);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw unwritableBecause(file, cause);
  }
}
