import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { limits } from "../../core/limits.js";
import { GitCommit } from "../../git/git-commit.js";
import { configAt, gitTree } from "../../git/git-tree.js";
import type { ObjectReader } from "../../git/object-reader.js";
import type { Repository } from "../../git/run-git.js";
import type { SourceCommit } from "./source-reader.js";

export interface CommitNeeds {
  readonly clone: Repository;
  readonly reader: ObjectReader;
}

/** Opens a commit of a clone: its names are listed once, and its contents are read when somebody asks for them. */
export async function openCommit({ clone, reader }: CommitNeeds, commit: string): Promise<SourceCommit> {
  const held = new GitCommit(clone, commit, reader, limits.commitEntries);
  const content = new TextDecoder("latin1").decode((await reader.read(commit)).subarray(0, 100));
  const top = /^tree ([0-9a-f]{40,64})\n/u.exec(content)?.[1];
  if (top === undefined) throw new EdgewiseError("git", `${commit} is not a commit`);
  await held.list([""]);
  const ids = new Map([...held.directories, ["", top]]);
  const withLinks = new Set<string>();
  for (const [path, { kind }] of held.entries) {
    if (kind !== "link") continue;
    for (let at = path.lastIndexOf("/"); at !== -1; at = path.lastIndexOf("/", at - 1))
      withLinks.add(path.slice(0, at));
    withLinks.add("");
  }
  return {
    commit,
    findConfigs: async (pattern) => findMatches(held, pattern),
    readConfig: (path) => configAt(held, join(clone.workTree, path)),
    async directoryIds(directories) {
      return new Map(
        directories.map((directory) => {
          const id = ids.get(directory);
          return [directory, id === undefined ? null : { id, hasLinks: withLinks.has(directory) }];
        }),
      );
    },
    tree: (directory) => gitTree(held, join(clone.workTree, directory)),
  };
}

/** Like a shell's, the `*` stands for at least one character of one name, and not for a leading dot. */
function findMatches(commit: GitCommit, pattern: string): readonly { readonly path: string; readonly match: string }[] {
  const [before = "", after = ""] = pattern.split("*");
  return commit.startingWith(before).flatMap((path) => {
    const match = path.slice(before.length, path.length - after.length);
    const entry = commit.entries.get(path);
    if (entry === undefined || entry.kind === "submodule" || !entry.named) return [];
    return path.endsWith(after) && isName(match, before) ? [{ path, match }] : [];
  });
}

function isName(match: string, before: string): boolean {
  const hidden = (before === "" || before.endsWith("/")) && match.startsWith(".");
  return match !== "" && !match.includes("/") && !hidden;
}
