import { stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

/**
 * The way from the repository's root to a directory in it, ending in `/` (or "" at the root and outside of any):
 * forges want files named from the repository's root, manifests are named from the configuration's.
 * @param directory absolute
 */
export async function pathPrefix(directory: string): Promise<string> {
  for (let above = directory; ; above = dirname(above)) {
    // A file in worktrees and submodules, a directory elsewhere.
    if (await exists(join(above, ".git"))) {
      const way = relative(above, directory).split(sep).join("/");
      return way === "" ? "" : `${way}/`;
    }
    if (dirname(above) === above) return "";
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
