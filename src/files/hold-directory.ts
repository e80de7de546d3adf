import { type Stats, closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { unwritable, unwritableBecause } from "./file-errors.js";
import { type Workplace, type WriteTarget, writeTarget } from "./write-target.js";

/** An open directory that is written to. */
export interface HeldDirectory {
  /** A name that keeps leading to this directory, whatever happens to its path. */
  readonly path: string;
  /** The path of the file through that name. */
  readonly file: string;
  /** The file there now: the one that was checked, or null. */
  readonly existing: Stats | null;
  close(): void;
}

/** Opens a directory for lookups only, which needs no permission to list it. Linux has this flag, Node doesn't name it. */
const O_PATH = 0o10000000;

/**
 * Opens the directory of a file that was checked, so that no one can replace it, or a directory above it, before the
 * file is written: on Linux, names are then looked up in the open directory. Elsewhere by its path.
 * @param file as the user named it
 * @throws EdgewiseError `io` when the directory or the file is no longer what was checked
 */
export function holdDirectory(file: string, { existing, path }: WriteTarget): HeldDirectory {
  const directory = dirname(path);
  const descriptor = openDirectory(file, directory);
  const close = (): void => {
    if (descriptor !== null) closeSync(descriptor);
  };
  try {
    const held = descriptor === null ? directory : `/proc/self/fd/${descriptor}`;
    // The system knows where the open directory is: somewhere else, if a link was followed.
    if (descriptor !== null && readlinkSync(held) !== directory) throw replaced(file);
    const here = join(held, basename(path));
    const now = lstatSync(here, { throwIfNoEntry: false }) ?? null;
    if (!isSameInode(now, existing)) throw replaced(file);
    return { path: held, file: here, existing: now, close };
  } catch (cause) {
    close();
    throw unwritableBecause(file, cause);
  }
}

/** Null where open files have no names in the file system. */
function openDirectory(file: string, directory: string): number | null {
  if (lstatSync("/proc/self/fd", { throwIfNoEntry: false }) === undefined) return null;
  try {
    return openSync(directory, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    throw unwritableBecause(file, cause);
  }
}

/** Whether two looks at a path found the same file, or none. */
export function isSameInode(now: Stats | null, before: Stats | null): boolean {
  return now?.ino === before?.ino && now?.dev === before?.dev;
}

function replaced(file: string): Error {
  return unwritable(
    file,
    "it, or a directory in its path, was replaced meanwhile",
    "Use a file in a directory that no one else writes to.",
  );
}

/**
 * Creates a directory unless it exists. Its parent must exist: a mistyped path must not become a tree. Links are followed
 * as in {@link writeTarget}.
 * @param mode of a new one, less the umask
 * @throws EdgewiseError `io`
 */
export function makeDirectory(directory: string, place: Workplace, mode = 0o777): void {
  const target = writeTarget(directory, place);
  const { existing } = target;
  if (existing?.isDirectory() === true) return;
  if (existing !== null) throw unwritable(directory, "it is a file, not a directory", "Use the path of a directory.");
  const held = holdDirectory(directory, target);
  try {
    mkdirSync(held.file, { mode });
  } catch (cause) {
    throw unwritableBecause(directory, cause);
  } finally {
    held.close();
  }
}
