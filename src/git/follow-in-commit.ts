import { FileProblem, refuseHidden } from "../manifest/file-tree.js";
import type { CommitEntries } from "./list-commit.js";

/** As many links as Linux follows. */
const mostLinks = 40;

/** What a commit holds below a root, with the targets of its links by object. */
export interface LinkedEntries {
  readonly entries: CommitEntries;
  readonly targets: ReadonlyMap<string, string>;
  /** The commit in messages. */
  readonly short: string;
}

/**
 * Where a path of a commit leads, by the links of that commit alone: like on disk they must stay inside the root and away
 * from hidden files. The commit need not hold anything there.
 * @param path relative to the root, with `/`
 * @throws FileProblem when a link leads elsewhere, or the path is in a submodule, whose files are not in the commit
 */
export function followInCommit(path: string, { entries, targets, short }: LinkedEntries): string {
  const pending = path.split("/");
  const here: string[] = [];
  let links = 0;
  for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (here.pop() === undefined) throw leadsOut(path, short);
      continue;
    }
    here.push(part);
    const entry = entries.get(here.join("/"));
    if (entry?.kind === "submodule") throw inSubmodule(path, here.join("/"), short);
    if (entry?.kind !== "link") continue;
    links += 1;
    const target = targets.get(entry.object) ?? "";
    if (links > mostLinks || target === "" || target.startsWith("/")) throw leadsOut(path, short);
    here.pop();
    pending.unshift(...target.split("/"));
  }
  const found = here.join("/");
  if (links > 0) refuseHidden(found, path);
  return found;
}

function leadsOut(path: string, short: string): FileProblem {
  return new FileProblem(
    "file-outside",
    `"${path}" is a link in commit ${short} that leads out of the root directory`,
    {
      remedy: "Commit the file itself below the root.",
    },
  );
}

export function inSubmodule(path: string, submodule: string, short: string): FileProblem {
  const what = path === submodule ? `"${path}" is a submodule` : `"${path}" needs the submodule "${submodule}"`;
  return new FileProblem("file-outside", `${what}, and commit ${short} does not hold the files of submodules`, {
    remedy: "Check that commit out with its submodules, and run there without naming the commit.",
  });
}
