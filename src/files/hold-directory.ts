import { type Stats, closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { unwritable, unwritableBecause } from "./file-errors.js";
import { type Workplace, type WriteTarget, writeTarget } from "./write-target.js";

/** A directory that is written to. */
export interface HeldDirectory {
  /** A name of the directory that leads to it whatever becomes of its path. */
  readonly path: string;
  /** The file, by that name. */
  readonly file: string;
  /** What is there now: nothing or what was checked. */
  readonly existing: Stats | null;
  close(): void;
}

/** Opens a directory for the names in it alone, for which nobody needs the right to list it. Linux has it, Node doesn't. */
const O_PATH = 0o10000000;

/**
 * Opens the directory of a file that was checked, so that nobody can exchange it, or what is above it, before the file
 * is written: on Linux the names in it are then looked up in what is open. Elsewhere by its path.
 * @param file as the operator named it
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
    // The system says where the open directory is: had a link been followed, it would be somewhere else.
    if (descriptor !== null && readlinkSync(held) !== directory) throw exchanged(file);
    const here = join(held, basename(path));
    const now = lstatSync(here, { throwIfNoEntry: false }) ?? null;
    if (now?.ino !== existing?.ino || now?.dev !== existing?.dev) throw exchanged(file);
    return { path: held, file: here, existing: now, close };
  } catch (cause) {
    close();
    throw unwritableBecause(file, cause);
  }
}

/** Null where open files have no names. */
function openDirectory(file: string, directory: string): number | null {
  if (lstatSync("/proc/self/fd", { throwIfNoEntry: false }) === undefined) return null;
  try {
    return openSync(directory, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (cause) {
    throw unwritableBecause(file, cause);
  }
}

function exchanged(file: string): Error {
  return unwritable(
    file,
    "somebody exchanged it, or a directory on the way to it, just now",
    "Name a file in a directory that nobody else writes to.",
  );
}

/**
 * Makes a directory unless it is there. The one above it must exist: a mistyped path must not become a tree.
 * Links are followed as {@link writeTarget} says.
 * @throws EdgewiseError `io`
 */
export function makeDirectory(directory: string, place: Workplace): void {
  const target = writeTarget(directory, place);
  const { existing } = target;
  if (existing?.isDirectory() === true) return;
  if (existing !== null) throw unwritable(directory, "it is a file, not a directory", "Name a directory.");
  const held = holdDirectory(directory, target);
  try {
    mkdirSync(held.file);
  } catch (cause) {
    throw unwritableBecause(directory, cause);
  } finally {
    held.close();
  }
}
