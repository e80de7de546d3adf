import { type Stats, existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";

/** Why a path is not followed, as the end of a sentence that names it, and what to do. */
export class NotFollowed extends Error {
  override readonly name = "NotFollowed";
  readonly remedy: string;

  constructor(why: string, remedy: string) {
    super(why);
    this.remedy = remedy;
  }
}

/** A directory that links in it must not lead out of, and who owns it. */
export interface Root {
  readonly path: string;
  readonly uid: number;
}

/** What is followed, and what isn't. */
export interface FollowRules {
  /** This user; null where files have no owners. */
  readonly uid: number | null;
  /** What a link in this directory must not lead out of; null = it may lead anywhere. */
  readonly rootOf: (directory: string) => Root | null;
  /** Whether a link must not lead to, or through, what is called so. Its root's path is not asked about. */
  readonly isHidden: (name: string) => boolean;
  /** Looks at every directory on the way; what it throws is thrown on. */
  readonly checkDirectory?: (directory: string, stats: Stats) => void;
}

/** Where a path leads. */
export interface Followed {
  /** Absolute, without a symbolic link; or the name of an open file, like `/dev/stdout`, as {@link isOpenFile} knows it. */
  readonly path: string;
  /** What is there; null = nothing, or an open file. */
  readonly existing: Stats | null;
  /** Whether a link was followed that a root holds. */
  readonly confined: boolean;
}

/** As many links as Linux follows. */
const mostLinks = 40;

/**
 * Finds where a path leads, and refuses links that somebody else may have put there: one in a root must stay in it and
 * away from what is hidden, one elsewhere must belong to this user or to root.
 * @param full absolute
 * @throws NotFollowed; what the system throws
 */
export function followLinks(full: string, { checkDirectory, isHidden, rootOf, uid }: FollowRules): Followed {
  const base = parse(full).root;
  const pending = parts(full.slice(base.length));
  /** What the links that were followed must not lead out of. */
  const confines: { readonly root: string; readonly link: string }[] = [];
  let path = base;
  let existing: Stats | null = lstatSync(base);
  for (let links = 0, part = pending.shift(); part !== undefined; part = pending.shift()) {
    if (existing === null) throw missingDirectory(path);
    if (!existing.isDirectory()) throw new NotFollowed(`${path} is not a directory`, "Name a file in a directory.");
    checkDirectory?.(path, existing);
    const directory = existing;
    const here = path;
    path = part === ".." ? dirname(path) : join(path, part);
    existing = lstatSync(path, { throwIfNoEntry: false }) ?? null;
    if (existing === null || !existing.isSymbolicLink()) continue;
    links += 1;
    if (links > mostLinks) throw new NotFollowed("symbolic links lead in a circle", "Name another file.");
    const root = rootOf(here);
    if (!mayFollow(existing, directory, root, uid)) throw foreignLink(path);
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
  for (const { root, link } of confines) refuseEscape(path, root, link, isHidden);
  return { path, existing, confined: confines.length > 0 };
}

/** A directory as a {@link Root}; null when it is not there, or is the whole file system, which confines nothing. */
export function rootAt(path: string): Root | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined || dirname(path) === path ? null : { path, uid: found.uid };
}

/** A directory without a symbolic link on the way. */
export function realDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return resolve(directory);
  }
}

/** The Git work tree that a directory is part of; null without one. */
export function workTreeOf(directory: string): string | null {
  for (let above = directory; ; above = dirname(above)) {
    if (existsSync(join(above, ".git"))) return above;
    if (dirname(above) === above) return null;
  }
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Whether everybody may make files in a directory. */
export function isShared({ mode }: Stats): boolean {
  return (mode & 0o002) !== 0;
}

function parts(path: string): string[] {
  return path.split(sep).filter((part) => part !== "" && part !== ".");
}

/**
 * A container may work on a checkout that belongs to another user, links included: those are followed inside of it.
 * Where everybody may write, everybody may have put the link there.
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
    `A pull request could have added the link. Remove it, or name the file that you mean: ${path}.`,
  );
}

function foreignLink(link: string): NotFollowed {
  return new NotFollowed(
    `the symbolic link ${link} belongs to another user, who could lead it anywhere`,
    "Name the file that you mean, without the link.",
  );
}

function missingDirectory(directory: string): NotFollowed {
  return new NotFollowed(
    `the directory ${directory} does not exist`,
    `Create it first: mkdir -p ${shellWord(directory)}`,
  );
}

function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Names of what this program has open or of no file at all: they lead nowhere else, whatever the links look like. */
const openFileNames = /^\/(?:dev\/(?:stdin|stdout|stderr|null|tty|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Whether a path names an open file of this program, or a terminal or device that everybody has. */
export function isOpenFile(path: string): boolean {
  return openFileNames.test(path);
}

/** The standard stream that a path names, or null. */
export function standardStream(path: string): "stdout" | "stderr" | null {
  if (/^\/dev\/stdout$|\/fd\/1$/.test(path) && isOpenFile(path)) return "stdout";
  if (/^\/dev\/stderr$|\/fd\/2$/.test(path) && isOpenFile(path)) return "stderr";
  return null;
}
