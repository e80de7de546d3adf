import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isInside, realDirectory } from "../files/follow-links.js";
import { readBoundedSync } from "../files/read-bounded.js";
import { readKnownFileSync } from "../files/read-known-file.js";
import { limits } from "../limits.js";
import { FileProblem, type FileTree, type TreeFile, refuseHidden } from "../manifest/file-tree.js";
import type { ScanBudget } from "./scan-budget.js";

/** The files below a directory, as far as a search for manifests needs them. */
export type QuickTree = Pick<FileTree, "root" | "stat" | "list" | "identity"> & {
  /** The bytes of a file; null when it can't be read. */
  readonly bytesOf: (path: string) => Buffer | null;
};

/**
 * The files below a directory of this machine, confined as those of `diskTree` are: links must stay inside, and no
 * component begins with a dot. It waits for each call, which is fastest for a few hundred files, and its lists end when
 * half of the time is spent.
 * @param root absolute
 */
export function quickTree(root: string, budget: ScanBudget): QuickTree {
  const realRoot = realDirectory(root);
  /** The real paths of listed files that are no links. */
  const listed = new Map<string, string>();

  /** @throws FileProblem when a path leads out of the root or to something hidden, and what the system throws */
  const confined = (path: string): string => {
    const real = realpathSync(join(root, path));
    if (!isInside(realRoot, real)) throw new FileProblem("file-outside", `"${path}" leads out of the root directory`);
    refuseHidden(real.slice(realRoot.length + 1), path);
    return real;
  };

  const walk = (start: string): readonly TreeFile[] => {
    const found: TreeFile[] = [];
    const seen = new Set<string>();
    const pending = [start];
    for (let directory = pending.pop(); directory !== undefined && !budget.halfSpent; directory = pending.pop()) {
      const here = orNull(() => confined(directory ?? ""));
      if (here === null || seen.has(here)) continue;
      seen.add(here);
      for (const entry of orNull(() => readdirSync(here, { withFileTypes: true })) ?? []) {
        if (entry.name.startsWith(".")) continue;
        const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
        const kind = kindOf(entry, `${here}/${entry.name}`);
        if (kind === "directory") pending.push(path);
        if (kind !== "file" || found.length >= budget.limits.count) continue;
        const identity = `${here}/${entry.name}`;
        found.push({ path, identity });
        if (entry.isFile()) listed.set(path, identity);
      }
    }
    return found;
  };

  return {
    root,
    stat: async (path) => orNull(() => (statSync(confined(path)).isDirectory() ? "directory" : "file")),
    list: async (directory) => walk(directory),
    identity: async (path) => confined(path),
    bytesOf: (path) => {
      const known = listed.get(path);
      const bytes = known === undefined ? null : readKnownFileSync(known);
      return bytes ?? orNull(() => readBoundedSync(confined(path), limits.fileBytes));
    },
  };
}

/** What an entry is, with links followed; null for pipes, devices, and links that lead nowhere. */
function kindOf(entry: Dirent, path: string): "directory" | "file" | null {
  const found = entry.isSymbolicLink() ? orNull(() => statSync(path)) : entry;
  if (found?.isDirectory() === true) return "directory";
  return found?.isFile() === true ? "file" : null;
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
