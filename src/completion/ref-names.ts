import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { workTreeOf } from "../files/follow-links.js";
import { readBoundedSync } from "../files/read-bounded.js";
import { type Candidate, candidates } from "./candidate.js";
import type { ScanBudget } from "./scan-budget.js";

/** Branches and tags, and what to call them. */
const namespaces = [
  ["refs/heads/", "branch"],
  ["refs/remotes/", "remote branch"],
  ["refs/tags/", "tag"],
] as const;

/** Repositories with more packed refs offer only those that are not packed, in bytes. */
const packedBytes = 4 * 1024 * 1024;

/**
 * The branches and tags of the repository that a directory is in, read from its files: git is not run, because a
 * repository can configure it to run something. Never throws.
 * @param cwd absolute
 */
export function refNames(cwd: string, budget: ScanBudget): readonly Candidate[] {
  const tree = workTreeOf(cwd);
  if (tree === null) return [];
  const git = commonDirectory(join(tree, ".git"));
  const names = new Set<string>(packedRefs(git));
  for (const [prefix] of namespaces) {
    for (const name of looseRefs(join(git, prefix), prefix, budget)) names.add(name);
  }
  const found = new Map<string, string>([["HEAD", "what is checked out"]]);
  for (const name of names) {
    for (const [prefix, description] of namespaces) {
      if (name.startsWith(prefix) && !name.endsWith("/HEAD")) found.set(name.slice(prefix.length), description);
    }
    if (found.size >= budget.limits.count) break;
  }
  return candidates(found);
}

/** Where the refs of a repository are: a linked work tree and a submodule name other directories. */
function commonDirectory(path: string): string {
  const named = /^gitdir: (.+)/u.exec(lineIn(path))?.[1];
  if (named === undefined) return path;
  const own = resolve(path, "..", named);
  const common = lineIn(join(own, "commondir"));
  return common === "" ? own : resolve(own, common);
}

/** The text of a small file; "" when there is none. */
function lineIn(path: string): string {
  try {
    return statSync(path).isFile() ? readBoundedSync(path, 4096).toString("utf8").trim() : "";
  } catch {
    return "";
  }
}

function packedRefs(git: string): readonly string[] {
  try {
    const text = readBoundedSync(join(git, "packed-refs"), packedBytes).toString("utf8");
    return [...text.matchAll(/^[0-9a-f]{40,64} (refs\/\S+)/gmu)].map(([, name]) => name ?? "");
  } catch {
    return [];
  }
}

function* looseRefs(directory: string, name: string, budget: ScanBudget, depth = 0): Generator<string> {
  // Names of refs are rarely deeper than this, and links may form loops.
  if (depth > 8 || budget.spent) return;
  try {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory())
        yield* looseRefs(join(directory, entry.name), `${name}${entry.name}/`, budget, depth + 1);
      else if (entry.isFile()) yield name + entry.name;
    }
  } catch {
    // All refs may be packed.
  }
}
