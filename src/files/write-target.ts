import { type Stats, lstatSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { unwritable, unwritableBecause } from "./file-errors.js";
import {
  NotFollowed,
  type Root,
  followLinks,
  isInside,
  isOpenFile,
  isShared,
  realDirectory,
  rootAt,
  workTreeOf,
} from "./follow-links.js";
import { octalMode, ownUid } from "./others-access.js";

/** Where edgewise runs: symbolic links in there may come from a pull request. */
export interface Workplace {
  /** Absolute; paths of files are relative to it. */
  readonly cwd: string;
  /** The configuration's directory; absent when no configuration is read. */
  readonly root?: string;
  /** The user who called `sudo`: root trusts them. */
  readonly sudoUid?: number;
}

/** The real place of a file to be written. */
export interface WriteTarget {
  /** Absolute and without symbolic links; or the name of an open file like `/dev/stdout`, see {@link isOpenFile}. */
  readonly path: string;
  /** The file that is there already; null = none, or an open file. */
  readonly existing: Stats | null;
}

/**
 * {@link writeTarget} for a file: also refuses a directory, and what can't be written like a file.
 * @throws EdgewiseError `io`
 */
export function fileTarget(file: string, place: Workplace): WriteTarget {
  const target = writeTarget(file, place);
  if (target.existing?.isDirectory() === true)
    throw unwritable(file, "it is a directory", "Give the path of a file inside it.");
  if (/[\\/]$/.test(file) && (sep === "\\" || file.endsWith("/"))) {
    throw unwritable(file, "a trailing slash names a directory", "Give the path of a file inside it.");
  }
  const { existing } = target;
  if (existing === null || existing.isFile() || existing.isFIFO() || existing.isCharacterDevice()) return target;
  throw unwritable(file, "it is a block device or a socket", "Use a regular file.");
}

/**
 * Finds where a path leads, and refuses what someone else may have created, or could replace at any time:
 * - A link inside the configuration's root, the working directory or their Git work tree (a pull request can commit one)
 *   must stay in there, and must not lead to anything hidden, like `.git`.
 * - A link anywhere else must belong to this user or to root, and so must every link in a directory that everyone may
 *   write to, like /tmp. A file of someone else in such a directory is refused, too.
 * - Every directory in the path must belong to this user or to root, and no one else may replace files in it. Directories
 *   above the configuration are not checked: anyone who can replace something there can replace the configuration.
 * @param file absolute, or relative to the working directory
 * @throws EdgewiseError `io`, also when a directory in the path does not exist
 */
export function writeTarget(file: string, place: Workplace): WriteTarget {
  try {
    const full = resolve(place.cwd, file);
    if (isOpenFile(full)) return { path: full, existing: null };
    const roots = rootsOf(place);
    const uid = ownUid();
    const { path, existing } = followLinks(full, {
      uid,
      rootOf: (directory) => roots.find((root) => isInside(root.path, directory)) ?? null,
      isHidden: (name) => name.startsWith("."),
      checkDirectory: (directory, stats) => {
        const aroundRoot = roots.some(({ path: root }) => isInside(root, directory) || isInside(directory, root));
        if (uid !== null && !aroundRoot) refuseDirectory(directory, stats, trusted(uid, roots, place));
      },
    });
    refuseForeign(file, path, existing, uid);
    return { path, existing };
  } catch (cause) {
    if (cause instanceof NotFollowed) throw unwritable(file, cause.message, cause.remedy, cause);
    throw unwritableBecause(file, cause);
  }
}

/** The innermost first: a link in the configuration's root must stay in that root, not only in the work tree. */
function rootsOf({ cwd, root = cwd }: Workplace): readonly Root[] {
  const inner = [root, cwd].map(realDirectory);
  return [...inner, ...inner.map((path) => workTreeOf(path) ?? path)]
    .map(rootAt)
    .filter((found): found is Root => found !== null);
}

/**
 * The users whose directories may be written to. In a container root works for the owner of the checkout, and the
 * runner's own directories belong to the same user.
 */
function trusted(uid: number, roots: readonly Root[], { sudoUid }: Workplace): readonly number[] {
  if (uid !== 0) return [uid, 0];
  return [0, ...roots.map((root) => root.uid), ...(sudoUid === undefined ? [] : [sudoUid])];
}

/** Anyone who may rename files in a directory could redirect the write, or replace what was written. */
function refuseDirectory(directory: string, stats: Stats, owners: readonly number[]): void {
  if (!owners.includes(stats.uid)) {
    throw new NotFollowed(
      `the directory ${directory} belongs to another user (uid ${stats.uid}), who could replace files in it`,
      "Use a file in a directory of your own.",
    );
  }
  // With the sticky bit, as on /tmp, everyone may create files, and only a file's owner may remove it.
  if (isShared(stats) && (stats.mode & 0o1000) === 0) {
    throw new NotFollowed(
      `every user can replace files in the directory ${directory} (mode ${octalMode(stats.mode)})`,
      "Use a file in a directory of your own, or protect this one with `chmod o-w` or `chmod +t`.",
    );
  }
}

/** A file of someone else in a shared directory may be read by them, or be a hard link to a file of your own. */
function refuseForeign(file: string, path: string, existing: Stats | null, uid: number | null): void {
  if (existing === null || uid === null || existing.isDirectory() || existing.isCharacterDevice()) return;
  const directory = lstatSync(dirname(path));
  if (!isShared(directory)) return;
  // The owner of the directory can replace every file in it anyway.
  if (existing.uid !== uid && existing.uid !== directory.uid) {
    throw unwritable(
      file,
      "the file belongs to another user, and its directory is shared by all users",
      "Use a file in a directory of your own, or remove this one.",
    );
  }
  if (existing.isFile() && existing.nlink > 1) {
    throw unwritable(
      file,
      "the file has another name elsewhere (a hard link), and its directory is shared by all users",
      "Use a file in a directory of your own, or remove this one.",
    );
  }
}
