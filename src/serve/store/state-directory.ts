import { chmodSync, existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { unwritableBecause } from "../../files/file-errors.js";
import { makeDirectory } from "../../files/write-file.js";
import { octalMode, othersAccess, ownUid } from "../../files/others-access.js";
import { type LockTimes, type ProcessLock, holderWords, takeProcessLock } from "../../files/process-lock.js";
import type { Workplace } from "../../files/write-file.js";
import { readIfThere } from "./record-files.js";
import { type Disk, replaceFile } from "./state-disk.js";
import { directoryFormat, parseState, renderState } from "./state-formats.js";

/** The directories in a state directory; `sources` belongs to who fetches. */
const folders = ["stacks", "accounts", "followed", "plans", "told", "history", "sources"];

const formatFile = "format.json";

/** What begins the name of everything else that may be in there. */
const ownNames = /^(?:lock(?:\.|$)|format\.json)/;

/** A state directory that this process holds. */
export interface HeldState {
  /** Absolute. */
  readonly path: string;
  readonly lock: ProcessLock;
}

/**
 * Makes a state directory unless it is there, for its owner alone, and takes it for this process.
 * @throws EdgewiseError `io` when another process holds it, others may write to it, it is something else, or a later
 *   version of edgewise has used it
 */
export async function holdState(
  directory: string,
  place: Workplace,
  { disk, token, lockTimes }: { readonly disk: Disk; readonly token: string; readonly lockTimes: LockTimes },
): Promise<HeldState> {
  const path = resolve(place.cwd, directory);
  secure(path, directory, place);
  const lock = await takeProcessLock(join(path, "lock"), lockTimes);
  if (!lock.taken) {
    throw unusable(
      directory,
      `another \`edgewise serve\` holds it${holderWords(lock.holder)}`,
      `Stop that one, or name another directory with --state. If it no longer runs, remove ${join(path, "lock")}.`,
    );
  }
  try {
    await prepare(path, disk, token);
    return { path, lock };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Whoever could replace a file in there could make edgewise forget what it must not do. */
function secure(path: string, directory: string, place: Workplace): void {
  makeParents(path, directory, place);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true)
    throw unusable(directory, "it is a symbolic link", "Use the path of the directory itself.");
  makeDirectory(path, place, 0o700);
  const stats = lstatSync(path);
  const uid = ownUid();
  if (uid !== null && stats.uid !== uid) {
    throw unusable(
      directory,
      `it belongs to another user (uid ${stats.uid})`,
      "Name a directory of your own with --state: in a mounted volume, one below its top.",
    );
  }
  const access = othersAccess(stats, uid);
  const writes = found === undefined ? null : (access.everybodyWrites ?? access.groupWrites);
  if (writes !== null)
    throw unusable(directory, `it ${writes}`, "Look at what is in there, then close it with `chmod 700`.");
  if (!isState(path)) {
    throw unusable(
      directory,
      "it is not empty, and not a state directory",
      "Name an empty directory with --state, or one that doesn't exist.",
    );
  }
  if (octalMode(stats.mode) === "0700") return;
  try {
    chmodSync(path, 0o700);
  } catch (cause) {
    throw unwritableBecause(directory, cause);
  }
}

/** Makes the directories above a state directory that are not there, for their owner alone. */
function makeParents(path: string, directory: string, place: Workplace): void {
  const missing: string[] = [];
  let above = dirname(path);
  for (; !existsSync(above) && above !== dirname(above); above = dirname(above)) missing.unshift(above);
  if (statSync(above, { throwIfNoEntry: false })?.isDirectory() === false)
    throw unusable(directory, `${above} is a file, not a directory`, "Name another directory with --state.");
  for (const each of missing) makeDirectory(each, place, 0o700);
}

/** Whether a directory has been used by this program alone. */
function isState(path: string): boolean {
  const names = readdirSync(path);
  return names.includes(formatFile) || names.every((name) => folders.includes(name) || ownNames.test(name));
}

async function prepare(path: string, disk: Disk, token: string): Promise<void> {
  const file = join(path, formatFile);
  const text = await readIfThere(file);
  // A damaged one says nothing that the records don't say as well.
  if (text === null || parseState(text, file, directoryFormat) === null)
    await replaceFile(disk, file, Buffer.from(renderState({}, directoryFormat)), token);
  for (const folder of folders) {
    const inner = join(path, folder);
    try {
      await disk.makeDirectory(inner);
    } catch (cause) {
      throw unwritableBecause(inner, cause);
    }
    if (!lstatSync(inner).isDirectory())
      throw unusable(inner, "it is not a directory", "Move it away: it is made again.");
    // What a killed process has left half written.
    for (const name of folder === "sources" ? [] : readdirSync(inner))
      if (name.endsWith(".tmp")) await disk.remove(join(inner, name));
  }
  await disk.syncDirectory(path);
}

function unusable(directory: string, why: string, remedy: string): EdgewiseError {
  return new EdgewiseError("io", `the state directory ${directory} can't be used: ${why}`, { remedy });
}
