import { type Repository, gitFailure, runGit } from "./run-git.js";

/**
 * The paths that differ between a commit and HEAD, from the repository's root. Only trees are read: neither the work tree
 * nor any content.
 * @param commit its full id
 * @throws EdgewiseError `git`
 */
export async function changedPaths(repository: Repository, commit: string): Promise<ReadonlySet<string>> {
  const answer = await runGit(repository, ["diff-tree", "-r", "-z", "--no-renames", "--name-only", commit, "HEAD"]);
  if (!answer.ok) {
    throw gitFailure(
      `compare HEAD with commit ${commit.slice(0, 12)}`,
      answer,
      "Fetch the whole history (fetch-depth: 0, and no filter, in the checkout step).",
    );
  }
  return new Set(answer.stdout.toString("utf8").split("\0").slice(0, -1));
}

/** Those of some paths that are below a directory, relative to it; "" is the repository's root. */
export function pathsBelow(paths: ReadonlySet<string>, directory: string): readonly string[] {
  const prefix = directory === "" ? "" : `${directory}/`;
  return [...paths].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}
