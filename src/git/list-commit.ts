import { isUtf8 } from "node:buffer";
import { EdgewiseError } from "../errors.js";
import { type Repository, gitFailure, runGit } from "./run-git.js";

/** A file, symbolic link or submodule of a commit. */
export interface CommitEntry {
  readonly kind: "file" | "link" | "submodule";
  /** The id of its content; of a submodule, that of its commit. */
  readonly object: string;
  /** Whether the name is UTF-8: two names that are not may look alike. */
  readonly named: boolean;
}

/** By path, with `/`. */
export type CommitEntries = ReadonlyMap<string, CommitEntry>;

/**
 * What a commit holds below a directory, by path from there. A directory that didn't exist yet has an empty list.
 * @param commit its full id
 * @param prefix the directory's path from the work tree, with `/`; "" = the work tree
 * @throws EdgewiseError `git`
 */
export async function listCommit(repository: Repository, commit: string, prefix: string): Promise<CommitEntries> {
  const below = prefix === "" ? [] : [`${prefix}/`];
  const entries = await lsTree(repository, commit, below);
  if (prefix === "") return entries;
  return new Map([...entries].map(([path, entry]) => [path.slice(prefix.length + 1), entry]));
}

/** Those of the paths that a commit holds. Paths are from the work tree, with `/`. */
export async function entriesAt(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<CommitEntries> {
  return lsTree(repository, commit, paths);
}

/** @param paths literal, as `GIT_LITERAL_PATHSPECS` has it; none = everything */
async function lsTree(repository: Repository, commit: string, paths: readonly string[]): Promise<CommitEntries> {
  if (!/^[0-9a-f]{40,64}$/u.test(commit))
    throw new EdgewiseError("git", `${JSON.stringify(commit)} is not a commit id`);
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit, ...(paths.length === 0 ? [] : ["--", ...paths])];
  const answer = await runGit(repository, args);
  if (!answer.ok) {
    const remedy = "Fetch the whole history (fetch-depth: 0, and no filter, in the checkout step).";
    throw gitFailure(`list commit ${commit.slice(0, 12)}`, answer, remedy);
  }
  const { stdout } = answer;
  const entries = new Map<string, CommitEntry>();
  for (let at = 0, end = stdout.indexOf(0, at); end !== -1; at = end + 1, end = stdout.indexOf(0, at)) {
    const line = stdout.subarray(at, end);
    const tab = line.indexOf(0x09);
    const [mode = "", type, object = ""] = line.toString("latin1", 0, tab).split(" ");
    const path = line.toString("utf8", tab + 1);
    const kind = type === "commit" ? "submodule" : mode === "120000" ? "link" : "file";
    entries.set(path, { kind, object, named: isUtf8(line.subarray(tab + 1)) });
  }
  return entries;
}
