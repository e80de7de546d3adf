import { type Stats, closeSync, constants, fstatSync, openSync, readSync, readlinkSync, realpathSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { limits } from "../limits.js";

/**
 * Larger files are not read here. Their time is in their bytes, so they gain nothing, and a bound of bytes for each file
 * bounds what is read ahead.
 */
const largest = Math.min(256 * 1024, limits.fileBytes);

/** A file that was replaced by a link is not followed, and one that was replaced by a pipe is not waited for. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Reads a small regular file whose real path is known from the listing of its directory, with no look at the path itself:
 * the opened file is asked for its type and size, and where it is. A file, or a directory above it, that was replaced by
 * a link after the listing is not read, wherever the link leads.
 * @param path real: without links
 * @returns null for whatever is not as expected. The caller then reads the file with every check, which reports why.
 */
export function readKnownFileSync(path: string): Buffer | null {
  return readNow(path, (file) => isAt(file, path));
}

/** A directory that is open for reading its files. */
export interface KnownDirectory {
  /** As {@link readKnownFileSync}. @param name of a file of this directory */
  read(name: string): Buffer | null;
  close(): void;
}

/**
 * Opens a directory to read several of its files as {@link readKnownFileSync} does. On Linux the place of the open directory
 * is looked at, instead of that of each file: whatever is opened through it is in it, wherever its path leads by then.
 * @param path real: without links
 * @returns null when another directory, or none, is at its path
 */
export function openKnownDirectory(path: string): KnownDirectory | null {
  let directory: number;
  try {
    directory = openSync(path, flags | constants.O_DIRECTORY);
  } catch {
    return null;
  }
  const close = (): void => closeSync(directory);
  const place = placeOf(directory);
  if (place === path) return { read: (name) => readNow(`/proc/self/fd/${directory}/${name}`, isInPlace), close };
  if (place === null) return { read: (name) => readKnownFileSync(join(path, name)), close };
  close();
  return null;
}

const isInPlace = (): boolean => true;

/** @param isExpected whether the opened file is where it was expected */
function readNow(path: string, isExpected: (descriptor: number) => boolean): Buffer | null {
  let file: number | null = null;
  try {
    file = openSync(path, flags);
    const space = spaceFor(fstatSync(file));
    if (space === null || !isExpected(file)) return null;
    return whole(space, readSync(file, space, 0, space.length, null));
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** {@link readKnownFileSync} for a disk that lets its readers wait. Never rejects. */
export async function readKnownFile(path: string): Promise<Buffer | null> {
  try {
    const file = await open(path, flags);
    try {
      const space = spaceFor(await file.stat());
      if (space === null || !isAt(file.fd, path)) return null;
      return whole(space, (await file.read(space, 0, space.length, null)).bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}

/** A buffer with one byte more than the file, so that a single read shows whether it grew; null for another file. */
function spaceFor(stats: Stats): Buffer | null {
  return stats.isFile() && stats.size <= largest ? Buffer.allocUnsafe(stats.size + 1) : null;
}

function whole(space: Buffer, bytesRead: number): Buffer | null {
  return bytesRead === space.length - 1 ? space.subarray(0, bytesRead) : null;
}

/**
 * Whether an open file is where its path says. Linux knows the place of the open file itself. Elsewhere its directory
 * is looked up after the file was opened: there, only a directory that was replaced and put back in between goes unnoticed.
 */
function isAt(descriptor: number, path: string): boolean {
  const place = placeOf(descriptor);
  if (place !== null) return place === path;
  const directory = dirname(path);
  return realpathSync.native(directory) === directory;
}

/** Where an open file is; null on a system that doesn't say. */
function placeOf(descriptor: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return null;
  }
}
