import { randomUUID } from "node:crypto";
import {
  type Stats,
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, appendFile, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { hasCode, unwritable, unwritableBecause } from "./file-errors.js";
import { ownUid } from "./others-access.js";
import { NotFollowed, followLinks, isInside, isOpenFile, workTreeOf } from "./real-path.js";

/** Links in there may come from a pull request. */
export type Workplace = Readonly<{
  cwd: string;
  root?: string;
}>;

export type WriteTarget = Readonly<{
  /** Without links; or an open file like `/dev/stdout`. */
  path: string;
  existing: Stats | null;
}>;

/** `private` = for the owner alone; `ordinary` = as before, or by the umask. */
export type Audience = "private" | "ordinary";

/** A link in the root, the working directory or their work tree must stay there. */
export function writeTarget(file: string, { cwd, root = cwd }: Workplace): WriteTarget {
  try {
    const full = resolve(cwd, file);
    if (isOpenFile(full)) return { path: full, existing: null };
    const roots = [root, cwd, ...[root, cwd].map((directory) => workTreeOf(directory) ?? directory)];
    if (!roots.some((each) => isInside(each, full))) refuseForeign(full);
    const path = followLinks(full, roots);
    refuseForeign(path);
    return isOpenFile(path) ? { path, existing: null } : { path, existing: statsOf(path) };
  } catch (cause) {
    if (cause instanceof NotFollowed) throw unwritable(file, cause.message, cause.remedy, cause);
    throw unwritableBecause(file, cause);
  }
}

export function fileTarget(file: string, place: Workplace): WriteTarget {
  const target = writeTarget(file, place);
  const { existing } = target;
  if (existing?.isDirectory() === true) throw unwritable(file, "it is a directory", "Name a file inside it.");
  if (file.endsWith("/")) throw unwritable(file, "a trailing slash names a directory", "Name a file inside it.");
  if (existing === null || existing.isFile() || existing.isFIFO() || existing.isCharacterDevice()) return target;
  throw unwritable(file, "it is a block device or a socket", "Use a regular file.");
}

function statsOf(path: string): Stats | null {
  return lstatSync(path, { throwIfNoEntry: false }) ?? null;
}

/** Another user could read it, or let it lead to your own. */
function refuseForeign(path: string): void {
  const [found, uid] = [statsOf(path), ownUid()];
  if (found === null || uid === null || found.isDirectory() || found.isCharacterDevice()) return;
  const directory = lstatSync(dirname(path));
  if ((directory.mode & 0o002) === 0) return;
  const what = found.isSymbolicLink() ? "the symbolic link" : "the file";
  const remedy = "Use a directory of your own.";
  // The directory's owner can replace it anyway.
  if (found.uid !== uid && found.uid !== directory.uid)
    throw new NotFollowed(`${what} belongs to another user, in a directory shared by all`, remedy);
  if (found.isFile() && found.nlink > 1)
    throw new NotFollowed("the file has another name (a hard link), in a directory shared by all", remedy);
}

/** Atomically, but to pipes, devices, and what is mounted and can't be replaced. */
export async function writeFile(file: string, text: string, place: Workplace, audience: Audience): Promise<void> {
  const { existing, path } = fileTarget(file, place);
  try {
    if (isOpenFile(path) || existing?.isFile() === false) await appendFile(path, text);
    else replace(path, existing, text, audience);
  } catch (cause) {
    throw unwritableBecause(file, cause);
  }
}

/** An apply must not end with a result that it can't write. */
export function checkWritable(file: string, place: Workplace): void {
  const { existing, path } = fileTarget(file, place);
  if (isOpenFile(path)) return;
  try {
    accessSync(existing === null || existing.isFile() ? dirname(path) : path, constants.W_OK);
  } catch (cause) {
    throw unwritableBecause(file, cause);
  }
}

/** Synchronous, so that no signal handler leaves the temporary file behind. */
function replace(path: string, existing: Stats | null, text: string, audience: Audience): void {
  const temporary = join(dirname(path), `.edgewise-${randomUUID()}.tmp`);
  const usual = existing === null ? 0o666 : existing.mode & 0o777;
  try {
    const descriptor = openSync(temporary, "wx", audience === "private" ? 0o600 : usual);
    try {
      // A CI runner reads what a container wrote as root.
      if (existing !== null && ownUid() === 0) fchownSync(descriptor, existing.uid, existing.gid);
      if (existing !== null && audience === "ordinary") fchmodSync(descriptor, usual);
      writeFileSync(descriptor, text);
      // Otherwise the name may reach the disk before the content does.
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    // A mounted file can't be replaced.
    if (existing === null || !hasCode(error, "EBUSY")) throw error;
    writeFileSync(path, text);
  }
}

/** It becomes its owner's alone. */
export async function openForAppending(file: string, place: Workplace): Promise<FileHandle> {
  const { path } = fileTarget(file, place);
  try {
    const handle = await open(path, "a+", 0o600);
    if ((await handle.stat()).isFile()) await handle.chmod(0o600);
    return handle;
  } catch (cause) {
    throw unwritableBecause(file, cause);
  }
}

/** Its parent must exist: a mistyped path must not become a tree. */
export function makeDirectory(directory: string, place: Workplace, mode = 0o777): void {
  const { existing, path } = writeTarget(directory, place);
  if (existing?.isDirectory() === true) return;
  if (existing !== null) throw unwritable(directory, "it is a file, not a directory", "Use the path of a directory.");
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    throw unwritableBecause(directory, cause);
  }
}
