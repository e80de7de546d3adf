import { type Dirent, type Stats, realpathSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { NotReadable, readBoundedSync } from "../files/read-bounded.js";
import { limits } from "../core/limits.js";
import { FileProblem, type FileTree, type TreeFile, maxFileBytes, refuseHidden } from "./file-tree.js";
import { readSecretFile, secretFileAccessAt } from "./read-secret-file.js";

/**
 * The files below a directory of this machine.
 * @param root absolute
 */
export function diskTree(root: string): FileTree {
  let realRoot: string | undefined;

  /** The real path of a path below the root, with links resolved. */
  const confined = (path: string): string => {
    realRoot ??= real(root, root);
    const found = real(join(root, path), path);
    const inside = relative(realRoot, found).split(sep).join("/");
    if (inside === ".." || inside.startsWith("../")) {
      throw new FileProblem("file-outside", `"${path}" is a link that leads out of the root directory`, {
        remedy: "Move the file itself below the root.",
      });
    }
    refuseHidden(inside, path);
    return found;
  };

  /** Every file below a directory. Linked directories come last, and each directory once: links may form loops. */
  const walk = async (start: string): Promise<readonly TreeFile[]> => {
    const found: TreeFile[] = [];
    const seen = new Set<string>();
    const pending = [start];
    const linked: string[] = [];
    let walked = 0;
    for (let next = pending.pop(); next !== undefined; next = pending.pop() ?? linked.shift()) {
      const here = confined(next);
      if (seen.has(here)) continue;
      seen.add(here);
      const inside = await entries(here, next);
      walked += inside.length;
      if (walked > limits.directoryEntries) {
        const shown = start === "" ? "." : start;
        const message = `"${shown}" holds more than ${limits.directoryEntries} files and directories`;
        const remedy = "Name the directories of the manifests more precisely.";
        throw new FileProblem("file-too-many", message, { remedy });
      }
      for (const entry of inside) {
        if (entry.name.startsWith(".")) continue;
        const path = next === "" ? entry.name : `${next}/${entry.name}`;
        const isLink = entry.isSymbolicLink();
        const kind = isLink ? kindOf(join(root, path)) : entry;
        if (kind?.isDirectory() === true) (isLink ? linked : pending).push(path);
        // A broken link is listed, so that reading it reports the problem.
        else if (kind === null) found.push({ path, identity: path });
        else if (kind.isFile())
          found.push({ path, identity: isLink ? real(join(root, path), path) : join(here, entry.name) });
      }
    }
    return found;
  };

  return {
    root,
    async stat(path) {
      const kind = kindOf(join(root, path));
      if (kind === null) return null;
      confined(path);
      return kind.isDirectory() ? "directory" : "file";
    },
    list: async (directory) =>
      (await walk(directory)).toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
    identity: async (path) => confined(path),
    read: async (path) => readRegular(confined(path), path),
    readSecret: readSecretFile,
    secretAccess: secretFileAccessAt,
  };
}

/** The bytes of a regular file. @param file its real path */
function readRegular(file: string, path: string): Buffer {
  const check = (stats: Stats): void => {
    if (!stats.isFile()) throw new FileProblem("file-missing", `"${path}" is not a file`);
    if (stats.size > maxFileBytes) throw tooLarge(path, `has ${stats.size} bytes`);
  };
  try {
    return readBoundedSync(file, maxFileBytes, check);
  } catch (cause) {
    if (cause instanceof NotReadable) throw tooLarge(path, "is being changed while it is read");
    throw cause instanceof FileProblem ? cause : unreadable(path, cause);
  }
}

function tooLarge(path: string, what: string): FileProblem {
  return new FileProblem("file-too-large", `"${path}" ${what}, more than the limit of ${maxFileBytes}`);
}

function kindOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

async function entries(path: string, shown: string): Promise<readonly Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch((cause: unknown) => {
    throw unreadable(shown, cause);
  });
}

function real(path: string, shown: string): string {
  try {
    return realpathSync.native(path);
  } catch (cause) {
    throw unreadable(shown, cause);
  }
}

function unreadable(path: string, cause: unknown): FileProblem {
  const code = cause instanceof Error && "code" in cause ? cause.code : "";
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new FileProblem("file-missing", `there is no file "${path}"`, {
      remedy: "Put it there, or correct the path, which is relative to the manifest.",
    });
  }
  return new FileProblem("file-unreadable", `"${path}" can't be read (${String(code)})`, { cause });
}
