import { configText } from "../../git/read-blobs.js";
import { readBlobs } from "../../git/read-blobs.js";
import { gitTree, pathInWorkTree } from "../../git/git-tree.js";
import { basename, dirname } from "node:path";
import { type CommitEntry, entriesAt } from "../../git/list-commit.js";
import type { Repository } from "../../git/run-git.js";
import { limits } from "../../core/limits.js";

/**
 * The text of a configuration in a commit, which may be a link to another file of the repository, as on disk. Null when the
 * commit doesn't hold it.
 * @param file absolute
 * @throws EdgewiseError `config` when it can't be a configuration
 */
export async function configAt(repository: Repository, commit: string, file: string): Promise<string | null> {
  // The path of the link itself: what it leads to on disk may be something else.
  const directory = await pathInWorkTree(repository, dirname(file));
  const path = directory === "" ? basename(file) : `${directory}/${basename(file)}`;
  const entry = (await entriesAt(repository, commit, [path])).get(path);
  if (!isFile(entry)) return null;
  const bytes =
    entry.kind === "link"
      ? await (await gitTree(repository, commit, repository.workTree)).read(path)
      : (await readBlobs(repository, [entry.object], limits.configBytes)).get(entry.object);
  return configText(bytes, path, commit);
}

/** Whether a commit holds the content: that of a submodule is elsewhere. */
export function isFile(entry: CommitEntry | undefined): entry is CommitEntry {
  return entry !== undefined && entry.kind !== "submodule";
}
