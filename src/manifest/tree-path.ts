import { isAbsolute, relative, resolve, sep } from "node:path";
import { FileProblem } from "./file-tree.js";

/**
 * A path that somebody wrote, as a path of the tree: relative to `directory` (itself relative to the root), resolved.
 * @throws FileProblem when it leaves the root, or a component begins with a dot
 */
export function treePath(root: string, directory: string, written: string): string {
  if (written.includes("\0")) throw new FileProblem("file-missing", `${JSON.stringify(written)} is no file name`);
  const path = relative(root, resolve(root, directory, written))
    .split(sep)
    .join("/");
  if (path === ".." || path.startsWith("../") || isAbsolute(path)) {
    throw new FileProblem("file-outside", `${quote(written)} leads out of the root directory`, {
      remedy: "Move the file below the root (the directory of edgewise.yaml, or the working directory without one).",
    });
  }
  refuseHidden(path, written);
  return path;
}

/** @throws FileProblem when a component of `path` begins with a dot */
export function refuseHidden(path: string, shown: string): void {
  if (path.split("/").some((part) => part.startsWith("."))) {
    throw new FileProblem(
      "file-hidden",
      `${quote(shown)} has a part that begins with a dot, and such files are never read`,
      {
        remedy: "Rename or move the file: dot files hold settings and keys, not manifests.",
      },
    );
  }
}

function quote(path: string): string {
  return JSON.stringify(path);
}
