import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import type { Stats } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { isOpenFile } from "./open-files.js";
import { ownUid } from "./own-uid.js";
import { unwritable, unwritableBecause } from "./unwritable.js";

/** Where a run takes place: symbolic links in there may come from a pull request. */
export interface Workplace {
  /** Absolute; the paths of files are relative to it. */
  readonly cwd: string;
  /** The configuration's directory; absent when no configuration is read. */
  readonly root?: string;
}

/** Where a file really is to be written. */
export interface WriteTarget {
  /** Absolute, without a symbolic link; or the name of an open file, like `/dev/stdout`, as {@link isOpenFile} knows it. */
  readonly path: string;
  /** What is there already; null = nothing, or an open file. */
  readonly existing: Stats | null;
}

/** As many links as Linux follows. */
const mostLinks = 40;

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
 * Finds where a path leads, and refuses to follow a symbolic link that somebody else may have put there:
 * - A link inside the configuration's root, the working directory or their Git work tree (a pull request can commit one)
 *   must stay in there, and must not lead to anything hidden, like `.git`.
 * - A link anywhere else must belong to this user or to root, and so must every link in a directory that everybody may
 *   write to, like /tmp. A file of somebody else in such a directory is refused, too.
 * @param file absolute, or relative to the working directory
 * @throws EdgewiseError `io`, also when a directory on the way does not exist
 */
export function writeTarget(file: string, place: Workplace): WriteTarget {
  try {
    return follow(file, place);
  } catch (cause) {
    throw unwritableBecause(file, cause);
  }
}

function follow(file: string, place: Workplace): WriteTarget {
  const full = resolve(place.cwd, file);
  if (isOpenFile(full)) return { path: full, existing: null };
  const roots = rootsOf(place);
  const uid = ownUid();
  const base = parse(full).root;
  const pending = parts(full.slice(base.length));
  /** What the links that were followed must not lead out of. */
  const confines: { readonly root: string; readonly link: string }[] = [];
  let path = base;
  let existing: Stats | null = lstatSync(base);
  for (let links = 0, part = pending.shift(); part !== undefined; part = pending.shift()) {
    if (existing === null) throw missingDirectory(file, path);
    if (!existing.isDirectory()) {
      throw unwritable(file, `${path} is not a directory`, "Name a file in a directory.");
    }
    const directory = existing;
    const here = path;
    path = part === ".." ? dirname(path) : join(path, part);
    existing = lstatSync(path, { throwIfNoEntry: false }) ?? null;
    if (existing === null || !existing.isSymbolicLink()) continue;
    links += 1;
    if (links > mostLinks) throw unwritable(file, "symbolic links lead in a circle", "Name another file.");
    const root = roots.find((each) => isInside(each.path, here)) ?? null;
    if (!mayFollow(existing, directory, root, uid)) throw foreignLink(file, path);
    if (root !== null) confines.push({ root: root.path, link: path });
    const target = readlinkSync(path);
    const named = resolve(here, target, ...pending);
    if (isOpenFile(named)) {
      // Images link their log files to /dev/stdout; what that is linked to is no path.
      pending.length = 0;
      [path, existing] = [named, null];
      continue;
    }
    pending.unshift(...parts(isAbsolute(target) ? target.slice(parse(target).root.length) : target));
    path = isAbsolute(target) ? parse(target).root : here;
    existing = lstatSync(path);
  }
  for (const { root, link } of confines) refuseEscape(file, path, root, link);
  refuseForeign(file, path, existing, uid);
  return { path, existing };
}

/** A directory that links must not lead out of, and who owns it. */
interface Root {
  readonly path: string;
  readonly uid: number;
}

/** The innermost first: a link in the configuration's root must stay in there, and not only in the work tree. */
function rootsOf({ cwd, root = cwd }: Workplace): readonly Root[] {
  const inner = [root, cwd].map(real);
  return [...inner, ...inner.map(workTreeOf)].flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    // The whole file system confines nothing.
    return found === undefined || dirname(path) === path ? [] : [{ path, uid: found.uid }];
  });
}

function real(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return resolve(directory);
  }
}

/** The Git work tree that a directory is part of; the directory itself without one. */
function workTreeOf(directory: string): string {
  for (let above = directory; ; above = dirname(above)) {
    if (existsSync(join(above, ".git"))) return above;
    if (dirname(above) === above) return directory;
  }
}

function parts(path: string): string[] {
  return path.split(sep).filter((part) => part !== "" && part !== ".");
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * A container may work on a checkout that belongs to another user, links included: those are followed inside of it.
 * Where everybody may write, everybody may have put the link there.
 */
function mayFollow(link: Stats, directory: Stats, root: Root | null, uid: number | null): boolean {
  if (uid === null || link.uid === uid || link.uid === 0) return true;
  return root !== null && link.uid === root.uid && !isShared(directory);
}

/** Whether everybody may make files in a directory. */
function isShared({ mode }: Stats): boolean {
  return (mode & 0o002) !== 0;
}

function refuseEscape(file: string, path: string, root: string, link: string): void {
  if (!isInside(root, path)) {
    throw unwritable(
      file,
      `the symbolic link ${link} leads to ${path}, which is outside of ${root}`,
      `A pull request could have added the link. Remove it, or name the file that you mean: ${path}.`,
    );
  }
  if (parts(relative(root, path)).some((part) => part.startsWith("."))) {
    throw unwritable(
      file,
      `the symbolic link ${link} leads to the hidden file or directory ${path}`,
      `A pull request could have added the link. Remove it, or name the file that you mean: ${path}.`,
    );
  }
}

function foreignLink(file: string, link: string): Error {
  return unwritable(
    file,
    `the symbolic link ${link} belongs to another user, who could lead the write anywhere`,
    "Name the file that you mean, without the link.",
  );
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

function missingDirectory(file: string, directory: string): Error {
  return unwritable(
    file,
    `the directory ${directory} does not exist`,
    `Create it first: mkdir -p ${shellWord(directory)}`,
  );
}

function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
