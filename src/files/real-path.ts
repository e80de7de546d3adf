import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { shellWord } from "../core/text.js";
import { hasCode } from "./file-errors.js";

/** The message ends a sentence that names the path. */
export class NotFollowed extends Error {
  override readonly name = "NotFollowed";

  constructor(
    why: string,
    readonly remedy: string,
  ) {
    super(why);
  }
}

/**
 * The path, of a file that may be missing, without links. Those inside a root, which a pull request could have added, must
 * stay in it and not lead to anything hidden.
 * @param roots the innermost first: a checkout, or the directory of a configuration
 */
export function followLinks(full: string, roots: readonly string[]): string {
  const path = realPath(full);
  const root = roots.find((each) => isInside(each, full));
  if (root === undefined) return path;
  const realRoot = realOrItself(root);
  const inside = isInside(realRoot, path);
  if (path === join(realRoot, relative(root, full))) return path;
  if (inside && !relative(realRoot, path).split(sep).some(isHidden)) return path;
  throw new NotFollowed(
    inside
      ? `a symbolic link leads to the hidden file or directory ${path}`
      : `a symbolic link leads to ${path}, which is outside of ${realRoot}`,
    `Remove the link, or use the file itself: ${path}.`,
  );
}

/** Kubernetes links a ConfigMap's files by way of `..data`. */
function isHidden(name: string): boolean {
  return /^\.(?!\.)/.test(name);
}

function realPath(full: string): string {
  try {
    return realpathSync(full);
  } catch (cause) {
    if (hasCode(cause, "ELOOP"))
      throw new NotFollowed("there are too many levels of symbolic links", "Use another file.");
    if (!hasCode(cause, "ENOENT") && !hasCode(cause, "ENOTDIR")) throw cause;
  }
  const directory = dirname(full);
  if (!existsSync(directory))
    throw new NotFollowed(`the directory ${directory} does not exist`, `Create it: mkdir -p ${shellWord(directory)}`);
  if (!statSync(directory).isDirectory())
    throw new NotFollowed(`${directory} is not a directory`, "Use a file in a directory.");
  if (lstatSync(full, { throwIfNoEntry: false }) === undefined) return join(realpathSync(directory), basename(full));
  throw new NotFollowed(`the symbolic link ${full} leads to no file`, "Remove the link, or use the file itself.");
}

export function realOrItself(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export function workTreeOf(directory: string): string | null {
  for (let above = directory; ; above = dirname(above)) {
    if (existsSync(join(above, ".git"))) return above;
    if (dirname(above) === above) return null;
  }
}

export function slashedWay(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

const openFileNames = /^\/(?:dev\/(?:stdin|stdout|stderr|null|tty|fd\/\d+)|proc\/self\/fd\/\d+)$/;

export function isOpenFile(path: string): boolean {
  return openFileNames.test(path);
}

export function standardStream(path: string): "stdout" | "stderr" | null {
  if (/^\/dev\/stdout$|\/fd\/1$/.test(path) && isOpenFile(path)) return "stdout";
  if (/^\/dev\/stderr$|\/fd\/2$/.test(path) && isOpenFile(path)) return "stderr";
  return null;
}
