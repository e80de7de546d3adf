import { type Stats, realpathSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { limits } from "../core/limits.js";
import type { SecretValue } from "../core/secret.js";
import { ownUid, secretFileAccess } from "../files/others-access.js";
import { NotReadable, decodeUtf8, readBounded } from "../files/read-bounded.js";
import { slashedWay } from "../files/real-path.js";
import { FileProblem, type FileTree, type SecretFiles, leavesRoot, refuseHidden, walkFiles } from "./file-tree.js";

export function diskTree(root: string): FileTree {
  let realRoot: string | undefined;

  /** The real path, with `/`. Every access to a file goes through it. */
  const confined = (path: string): string => {
    realRoot ??= real(root, root);
    const found = real(join(root, path), path);
    const inside = slashedWay(realRoot, found);
    if (leavesRoot(inside))
      throw new FileProblem("file-outside", `"${path}" is a link that leads out of the root directory`);
    refuseHidden(inside, path);
    return found.split(sep).join("/");
  };

  const kindAt = (path: string) => kindOf(statsOf(join(root, path)));

  return {
    root,
    async stat(path) {
      const kind = kindAt(path);
      if (kind === null) return null;
      confined(path);
      return kind === "directory" ? kind : "file";
    },
    list: async (directory) => walkFiles(directory, { real: confined, entries, follow: kindAt }),
    identity: async (path) => confined(path),
    async read(path) {
      try {
        return readBounded(confined(path), { most: limits.fileBytes });
      } catch (cause) {
        if (!(cause instanceof NotReadable)) throw cause instanceof FileProblem ? cause : unreadable(path, cause);
        throw new FileProblem(
          cause.isTooLarge ? "file-too-large" : "file-missing",
          `"${path}" can't be read: ${cause.message}`,
        );
      }
    },
    ...diskSecrets,
  };
}

function statsOf(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function kindOf(stats: Pick<Stats, "isDirectory" | "isFile"> | null): "file" | "directory" | "other" | null {
  if (stats === null) return null;
  return stats.isDirectory() ? "directory" : stats.isFile() ? "file" : "other";
}

async function entries(directory: string, shown: string) {
  const found = await readdir(directory, { withFileTypes: true }).catch((cause: unknown) => {
    throw unreadable(shown, cause);
  });
  return found.map((entry) => ({
    name: entry.name,
    kind: entry.isSymbolicLink() ? ("link" as const) : (kindOf(entry) ?? "other"),
  }));
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
  if (code === "ENOENT" || code === "ENOTDIR")
    return new FileProblem("file-missing", `there is no file "${path}"`, {
      remedy: "Put it there, or correct the path, which is relative to the manifest.",
    });
  return new FileProblem("file-unreadable", `"${path}" can't be read (${String(code)})`, { cause });
}

/** They show the environment of this process, too. */
const systemDirectories = ["/proc/", "/sys/", "/dev/"];

/** Synchronous: a secret is read when it is first needed. */
export const diskSecrets: SecretFiles = {
  readSecret(path) {
    const missing = (reason: string): SecretValue => ({ available: false, reason });
    try {
      const file = realpathSync(path);
      if (systemDirectories.some((directory) => file.startsWith(directory))) return missing("it is not a regular file");
      const text = decodeUtf8(readBounded(file, { most: limits.secretBytes }));
      return text === null ? missing("it is not UTF-8 text") : { available: true, text };
    } catch (error) {
      if (error instanceof NotReadable) return missing(error.message);
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
      return missing(code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`);
    }
  },
  secretAccess(path) {
    const stats = statsOf(path);
    return stats?.isFile() === true ? secretFileAccess(stats, ownUid()) : { error: null, warning: null };
  },
};
