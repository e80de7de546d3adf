import { isUtf8 } from "node:buffer";
import { EdgewiseError } from "../core/errors.js";
import { limits } from "../core/limits.js";
import { type Repository, gitFailure, runGit } from "./run-git.js";

/** A file, symbolic link or submodule of a commit. */
export interface CommitEntry {
  readonly kind: "file" | "link" | "submodule";
  /** The id of its content; of a submodule, that of its commit. */
  readonly object: string;
  /** Whether the name is UTF-8: two names that are not may look alike. */
  readonly named: boolean;
}

const fetchHistory = "Fetch the whole history (fetch-depth: 0, and no filter, in the checkout step).";

/** By path, with `/`. */
export type CommitEntries = ReadonlyMap<string, CommitEntry>;

/**
 * What a commit holds below a directory, by path from there. A directory that didn't exist yet has an empty list.
 * @param commit its full id
 * @param prefix the directory's path from the work tree, with `/`; "" = the work tree
 * @throws EdgewiseError `git`
 */
export async function listCommit(repository: Repository, commit: string, prefix: string): Promise<CommitEntries> {
  const below = prefix === "" ? [] : ["--", `${prefix}/`];
  const entries = byPath(await lsTree(repository, commit, below));
  if (prefix === "") return entries;
  return new Map([...entries].map(([path, entry]) => [path.slice(prefix.length + 1), entry]));
}

/** Those of the paths that a commit holds. Paths are from the work tree, with `/`. */
export async function entriesAt(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<CommitEntries> {
  return byPath(await lsTree(repository, commit, paths.length === 0 ? [] : ["--", ...paths]));
}

/** Everything that a commit holds. */
export interface WholeCommit {
  readonly entries: CommitEntries;
  /** The tree of each directory by path; that of the top is missing. */
  readonly directories: ReadonlyMap<string, string>;
  /** Bytes of each file and link by object. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** All that a commit holds, in one run of git. @throws EdgewiseError `git`; `refused` when that is too much to be held */
export async function listWholeCommit(repository: Repository, commit: string): Promise<WholeCommit> {
  const { git } = repository;
  // Git asks for the size of a tree before it reads it.
  const environment = { ...git.environment, GIT_ALLOC_LIMIT: String(limits.treeBytes) };
  const entries = new Map<string, CommitEntry>();
  const directories = new Map<string, string>();
  const sizes = new Map<string, number>();
  for (const { path, type, size, ...entry } of await lsTree({ ...repository, git: { ...git, environment } }, commit, [
    "-t",
    "-l",
  ])) {
    if (type === "tree") {
      if (entry.named) directories.set(path, entry.object);
      continue;
    }
    entries.set(path, entry);
    if (size !== null) sizes.set(entry.object, size);
  }
  return { entries, directories, sizes };
}

interface TreeLine extends CommitEntry {
  readonly path: string;
  readonly type: string;
  readonly size: number | null;
}

function byPath(lines: readonly TreeLine[]): CommitEntries {
  return new Map(lines.map(({ path, kind, object, named }) => [path, { kind, object, named }]));
}

/** @param options those of git, and paths: literal, as `GIT_LITERAL_PATHSPECS` has it; none = everything */
async function lsTree(
  repository: Repository,
  commit: string,
  options: readonly string[],
): Promise<readonly TreeLine[]> {
  if (!/^[0-9a-f]{40,64}$/u.test(commit))
    throw new EdgewiseError("git", `${JSON.stringify(commit)} is not a commit id`);
  const [paths, flags] = options[0] === "--" ? [options, []] : [[], options];
  const answer = await runGit(repository, ["ls-tree", "-r", "-z", "--full-tree", ...flags, commit, ...paths]);
  if (/^error: attempting to allocate \d+ over limit/mu.test(answer.stderr)) throw tooMany(commit);
  if (!answer.ok) {
    throw gitFailure(`list commit ${commit.slice(0, 12)}`, answer, fetchHistory);
  }
  const { stdout } = answer;
  const lines: TreeLine[] = [];
  for (let at = 0, end = stdout.indexOf(0, at); end !== -1; at = end + 1, end = stdout.indexOf(0, at)) {
    if (flags.length > 0 && lines.length === limits.commitEntries) throw tooMany(commit);
    const line = stdout.subarray(at, end);
    const tab = line.indexOf(0x09);
    const [mode = "", type = "", object = "", size = ""] = line.toString("latin1", 0, tab).split(/ +/u);
    const path = line.toString("utf8", tab + 1);
    const kind = type === "commit" ? "submodule" : mode === "120000" ? "link" : "file";
    const named = isUtf8(line.subarray(tab + 1));
    lines.push({ path, type, kind, object, named, size: /^\d+$/u.test(size) ? Number(size) : null });
  }
  return lines;
}

function tooMany(commit: string): EdgewiseError {
  const { commitEntries, treeBytes } = limits;
  const most = `${commitEntries.toLocaleString("en")} files and directories, or ${treeBytes / 1024 / 1024} MiB of names in one`;
  return new EdgewiseError("refused", `commit ${commit.slice(0, 12)} holds more than ${most}`, {
    remedy: "Move what is no configuration into another repository.",
  });
}

/**
 * The paths that differ between a commit and HEAD, from the repository's root. Only trees are read.
 * @param commit its full id
 * @throws EdgewiseError `git`
 */
export async function changedPaths(repository: Repository, commit: string): Promise<ReadonlySet<string>> {
  const answer = await runGit(repository, ["diff-tree", "-r", "-z", "--no-renames", "--name-only", commit, "HEAD"]);
  if (!answer.ok) throw gitFailure(`compare HEAD with commit ${commit.slice(0, 12)}`, answer, fetchHistory);
  return new Set(answer.stdout.toString("utf8").split("\0").slice(0, -1));
}

/** Those of some paths that are below a directory, relative to it; "" is the repository's root. */
export function pathsBelow(paths: ReadonlySet<string>, directory: string): readonly string[] {
  const prefix = directory === "" ? "" : `${directory}/`;
  return [...paths].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}
