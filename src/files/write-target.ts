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
import { ownUid } from "./others-access.js";

/** Where a run takes place: symbolic links in there may come from a pull request. */
export interface Workplace {
  /** Absolute; the paths of files are relative to it. */
  readonly cwd: string;
  /** The configuration's directory; absent when no configuration is read. */
  readonly root?: string;
  /** The user who called `sudo`: root trusts them. */
  readonly sudoUid?: number;
}

/** Where a file really is to be written. */
export interface WriteTarget {
  /** Absolute, without a symbolic link; or the name of an open file, like `/dev/stdout`, as {@link isOpenFile} knows it. */
  readonly path: string;
  /** What is there already; null = nothing, or an open file. */
  readonly existing: Stats | null;
}

/**
 * {@link writeTarget} for a file: a directory, or what can't be written like a file, is refused, too.
 * @throws EdgewiseError `io`
 */
export function fileTarget(file: string, place: Workplace): WriteTarget {
  const target = writeTarget(file, place);
  if (target.existing?.isDirectory() === true) throw unwritable(file, "it is a directory", "Name a file in it.");
  if (/[\\/]$/.test(file) && (sep === "\\" || file.endsWith("/"))) {
    throw unwritable(file, "a name that ends in a slash is a directory's", "Name a file in it.");
  }
  const { existing } = target;
  if (existing === null || existing.isFile() || existing.isFIFO() || existing.isCharacterDevice()) return target;
  throw unwritable(file, "it is a block device or a socket", "Name a file.");
}

/**
 * Finds where a path leads, and refuses what somebody else may have put there, or could exchange at any time:
 * - A link inside the configuration's root, the working directory or their Git work tree (a pull request can commit one)
 *   must stay in there, and must not lead to anything hidden, like `.git`.
 * - A link anywhere else must belong to this user or to root, and so must every link in a directory that everybody may
 *   write to, like /tmp. A file of somebody else in such a directory is refused, too.
 * - So must every directory on the way; only root and its owner may exchange what is in it. The way to the configuration
 *   is taken as it is: whoever can exchange something there can exchange the configuration.
 * @param file absolute, or relative to the working directory
 * @throws EdgewiseError `io`, also when a directory on the way does not exist
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
        const onTheWay = roots.some(({ path: root }) => isInside(root, directory) || isInside(directory, root));
        if (uid !== null && !onTheWay) refuseDirectory(directory, stats, trusted(uid, roots, place));
      },
    });
    refuseForeign(file, path, existing, uid);
    return { path, existing };
  } catch (cause) {
    if (cause instanceof NotFollowed) throw unwritable(file, cause.message, cause.remedy, cause);
    throw unwritableBecause(file, cause);
  }
}

/** The innermost first: a link in the configuration's root must stay in there, and not only in the work tree. */
function rootsOf({ cwd, root = cwd }: Workplace): readonly Root[] {
  const inner = [root, cwd].map(realDirectory);
  return [...inner, ...inner.map((path) => workTreeOf(path) ?? path)]
    .map(rootAt)
    .filter((found): found is Root => found !== null);
}

/**
 * Whose directories are written to. In a container root works for the owner of the checkout, and the runner's own
 * directories belong to the same user.
 */
function trusted(uid: number, roots: readonly Root[], { sudoUid }: Workplace): readonly number[] {
  if (uid !== 0) return [uid, 0];
  return [0, ...roots.map((root) => root.uid), ...(sudoUid === undefined ? [] : [sudoUid])];
}

/** Whoever may rename what is in a directory could lead the write elsewhere, or exchange what was written. */
function refuseDirectory(directory: string, stats: Stats, owners: readonly number[]): void {
  if (!owners.includes(stats.uid)) {
    throw new NotFollowed(
      `the directory ${directory} belongs to another user (uid ${stats.uid}), who could exchange what is in it`,
      "Name a file in a directory of your own.",
    );
  }
  // The sticky bit, as /tmp has it: everybody makes files, and only a file's owner removes it.
  if (isShared(stats) && (stats.mode & 0o1000) === 0) {
    throw new NotFollowed(
      `every user can exchange what is in the directory ${directory} (mode ${(stats.mode & 0o7777).toString(8).padStart(4, "0")})`,
      "Name a file in a directory of your own, or close this one with `chmod o-w` or `chmod +t`.",
    );
  }
}

/** What somebody else put into a shared directory may be read by them, or be another name of one's own file. */
function refuseForeign(file: string, path: string, existing: Stats | null, uid: number | null): void {
  if (existing === null || uid === null || existing.isDirectory() || existing.isCharacterDevice()) return;
  const directory = lstatSync(dirname(path));
  if (!isShared(directory)) return;
  // The owner of the directory can replace every file in it anyway.
  if (existing.uid !== uid && existing.uid !== directory.uid) {
    throw unwritable(
      file,
      "the file belongs to another user, and its directory is shared by all users",
      "Name a file in a directory of your own, or remove this one.",
    );
  }
  if (existing.isFile() && existing.nlink > 1) {
    throw unwritable(
      file,
      "the file has another name elsewhere (a hard link), and its directory is shared by all users",
      "Name a file in a directory of your own, or remove this one.",
    );
  }
}
