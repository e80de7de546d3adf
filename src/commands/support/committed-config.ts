import { basename, dirname } from "node:path";
import { EdgewiseError } from "../../errors.js";
import { decodeUtf8 } from "../../files/read-bounded.js";
import type { CommitEntry } from "../../git/list-commit.js";
import type { Repository } from "../../git/run-git.js";
import { limits } from "../../limits.js";
import { isLfsPointer } from "../../manifest/file-tree.js";

/**
 * The text of a configuration in a commit, which may be a link to another file of the repository, as on disk. Null when the
 * commit doesn't hold it.
 * @param file absolute
 * @throws EdgewiseError `config` when it can't be a configuration
 */
export async function configAt(repository: Repository, commit: string, file: string): Promise<string | null> {
  const [{ entriesAt }, { gitTree, pathInWorkTree }, { readBlobs }] = await Promise.all([
    import("../../git/list-commit.js"),
    import("../../git/git-tree.js"),
    import("../../git/read-blobs.js"),
  ]);
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

function configText(bytes: Uint8Array | { readonly size: number } | undefined, path: string, commit: string): string {
  const isTooLarge = bytes === undefined || !("byteLength" in bytes) || bytes.byteLength > limits.configBytes;
  const text = isTooLarge ? null : decodeUtf8(bytes);
  if (text !== null && !isLfsPointer(text)) return text;
  const why = isTooLarge
    ? `it has more than ${limits.configBytes} bytes`
    : text === null
      ? "it is not UTF-8 text"
      : "it is a pointer of Git LFS, not the file itself";
  throw new EdgewiseError("config", `${path} of commit ${commit.slice(0, 12)} can't be read: ${why}`, {
    remedy: "Name a commit that holds the configuration as a text.",
  });
}
