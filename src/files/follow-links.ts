import { type Stats, existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { shellWord } from "../core/shell-word.js";

/** A path that is not followed. The message ends a sentence that names the path. */
export class NotFollowed extends Error {
  override readonly name = "NotFollowed";
  readonly remedy: string;

  constructor(why: string, remedy: string) {
    super(why);
    this.remedy = remedy;
  }
}

/** A directory whose links must stay inside of it, and its owner. */
export interface Root {
  readonly path: string;
  readonly uid: number;
}

/** Which links are followed. */
export interface FollowRules {
  /** The current user; null where files have no owners. */
  readonly uid: number | null;
  /** The root that links in this directory must stay inside of; null = they may lead anywhere. */
  readonly rootOf: (directory: string) => Root | null;
  /** Whether links must not lead to or through this name. Not called for the path of the root itself. */
  readonly isHidden: (name: string) => boolean;
  /** Called for every directory in the path; what it throws is rethrown. */
  readonly checkDirectory?: (directory: string, stats: Stats) => void;
}

/** Where a path leads. */
export interface Followed {
  /** Absolute and without symbolic links; or the name of an open file like `/dev/stdout`, see {@link isOpenFile}. */
  readonly path: string;
  /** The file there; null = none, or an open file. */
  readonly existing: Stats | null;
  /** Whether a link inside of a root was followed. */
  readonly confined: boolean;
}

/** As many links as Linux follows. */
const mostLinks = 40;

/**
 * Finds where a path leads, and refuses links that someone else may have created: a link in a root must stay in it and
 * away from hidden files, a link elsewhere must belong to this user or to root.
 * @param full absolute
 * @throws NotFollowed, and what the system throws
 */
export function followLinks(full: string, { checkDirectory, isHidden, rootOf, uid }: FollowRules): Followed {
  const base = parse(full).root;
  const pending = parts(full.slice(base.length));
  /** The roots that the followed links must stay inside of. */
  const confines: { readonly root: string; readonly link: string }[] = [];
  let path = base;
  let existing: Stats | null = lstatSync(base);
  for (let links = 0, part = pending.shift(); part !== undefined; part = pending.shift()) {
    if (existing === null) throw missingDirectory(path);
    if (!existing.isDirectory()) throw new NotFollowed(`${path} is not a directory`, "Use a file in a directory.");
    checkDirectory?.(path, existing);
    const directory = existing;
    const here = path;
    path = part === ".." ? dirname(path) : join(path, part);
    existing = lstatSync(path, { throwIfNoEntry: false }) ?? null;
    if (existing === null || !existing.isSymbolicLink()) continue;
    links += 1;
    if (links > mostLinks) throw new NotFollowed("there are too many levels of symbolic links", "Use another file.");
    const root = rootOf(here);
    if (!mayFollow(existing, directory, root, uid)) throw foreignLink(path);
    if (root !== null) confines.push({ root: root.path, link: path });
    const target = readlinkSync(path);
    const named = resolve(here, target, ...pending);
    if (isOpenFile(named)) {
      // Container images link their log files to /dev/stdout, whose own link does not lead to a path.
      pending.length = 0;
      [path, existing] = [named, null];
      continue;
    }
    pending.unshift(...parts(isAbsolute(target) ? target.slice(parse(target).root.length) : target));
    path = isAbsolute(target) ? parse(target).root : here;
    existing = lstatSync(path);
  }
  for (const { root, link } of confines) refuseEscape(path, root, link, isHidden);
  return { path, existing, confined: confines.length > 0 };
}

/** A directory as a {@link Root}; null when it doesn't exist, or is the whole file system, which confines nothing. */
export function rootAt(path: string): Root | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined || dirname(path) === path ? null : { path, uid: found.uid };
}

/** The path of a directory with all symbolic links resolved. */
export function realDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return resolve(directory);
  }
}

/** The Git work tree that a directory is in; null when there is none. */
export function workTreeOf(directory: string): string | null {
  for (let above = directory; ; above = dirname(above)) {
    if (existsSync(join(above, ".git"))) return above;
    if (dirname(above) === above) return null;
  }
}

/** Whether a path is a directory, or lies below it. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Whether every user may create files in a directory. */
export function isShared({ mode }: Stats): boolean {
  return (mode & 0o002) !== 0;
}

function parts(path: string): string[] {
  return path.split(sep).filter((part) => part !== "" && part !== ".");
}

/**
 * A container may work on a checkout that belongs to another user, links included: links of that user are followed
 * inside of it. But not in a directory that everyone may write to, as anyone may have created the link.
 */
function mayFollow(link: Stats, directory: Stats, root: Root | null, uid: number | null): boolean {
  if (uid === null || link.uid === uid || link.uid === 0) return true;
  return root !== null && link.uid === root.uid && !isShared(directory);
}

function refuseEscape(path: string, root: string, link: string, isHidden: FollowRules["isHidden"]): void {
  const inside = isInside(root, path);
  if (inside && !parts(relative(root, path)).some(isHidden)) return;
  throw new NotFollowed(
    inside
      ? `the symbolic link ${link} leads to the hidden file or directory ${path}`
      : `the symbolic link ${link} leads to ${path}, which is outside of ${root}`,
    `A pull request could have added the link. Remove it, or use the file itself: ${path}.`,
  );
}

function foreignLink(link: string): NotFollowed {
  return new NotFollowed(
    `the symbolic link ${link} belongs to another user, who could point it anywhere`,
    "Use the path of the file itself, without the link.",
  );
}

function missingDirectory(directory: string): NotFollowed {
  return new NotFollowed(
    `the directory ${directory} does not exist`,
    `Create it first: mkdir -p ${shellWord(directory)}`,
  );
}

/** Names of this program's open files, or of no file at all. They are safe, whatever the links look like. */
const openFileNames = /^\/(?:dev\/(?:stdin|stdout|stderr|null|tty|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Whether a path names an open file of this program, or a terminal or device that every process has. */
export function isOpenFile(path: string): boolean {
  return openFileNames.test(path);
}

/** The standard stream that a path names, or null. */
export function standardStream(path: string): "stdout" | "stderr" | null {
  if (/^\/dev\/stdout$|\/fd\/1$/.test(path) && isOpenFile(path)) return "stdout";
  if (/^\/dev\/stderr$|\/fd\/2$/.test(path) && isOpenFile(path)) return "stderr";
  return null;
}
