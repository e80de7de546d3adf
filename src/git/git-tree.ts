import { relative, sep } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { isInside } from "../files/real-path.js";
import { limits } from "../core/limits.js";
import { FileProblem, type FileTree, type TreeFile, maxFileBytes, refuseHidden } from "../manifest/file-tree.js";
import { realPathOf } from "./find-repository.js";
import { type CommitEntries, type CommitEntry, listCommit } from "./list-commit.js";
import { type BlobContent, readBlobs } from "./read-blobs.js";
import type { Repository } from "./run-git.js";

/** How a tree reads secret files. */
export type SecretFiles = Pick<FileTree, "prepareSecrets" | "readSecret" | "secretAccess">;

/** For comparisons: today's secrets say nothing about a commit. */
const noSecrets: SecretFiles = {
  readSecret: () => ({ available: false, reason: "secrets are not read from commits" }),
};

/** What a commit holds below a root, and how contents are read. */
export interface CommitFiles extends LinkedEntries {
  /**
   * Contents by object; the size alone of those beyond `maxBytes`.
   * @param together how many bytes to read at most: the objects after the one that would exceed it are left out
   * @throws EdgewiseError `git`
   */
  read(objects: readonly string[], maxBytes: number, together?: number): Promise<ReadonlyMap<string, BlobContent>>;
}

/**
 * The files of a commit below a directory, read from git's objects and never from the work tree. Links are followed within
 * the commit; submodules are refused, as a commit doesn't hold their files.
 * @param commit its full id
 * @param root absolute; the configuration's root, inside the work tree. It need not exist on disk.
 * @throws EdgewiseError `git`
 */
export async function gitTree(
  repository: Repository,
  commit: string,
  root: string,
  secrets: SecretFiles = noSecrets,
): Promise<FileTree> {
  const entries = await listCommit(repository, commit, await pathInWorkTree(repository, root));
  const read: CommitFiles["read"] = (objects, maxBytes, together) => readBlobs(repository, objects, maxBytes, together);
  const linked = { entries, targets: await linkTargets(entries, read), short: commit.slice(0, 12) };
  return treeOfFiles({ ...linked, read }, root, secrets);
}

/**
 * The same tree, of what is already known of a commit.
 * @param root absolute; it need not exist on disk: it stands for the directory in paths and messages
 */
export function treeOfFiles(files: CommitFiles, root: string, secrets: SecretFiles): FileTree {
  const { entries, short } = files;
  const paths = [...entries.keys()].sort();
  const blobs = new Map<string, BlobContent>();
  const fetch = async (wanted: readonly CommitEntry[], together?: number): Promise<void> => {
    const objects = wanted.filter(({ kind, named }) => kind === "file" && named).map(({ object }) => object);
    const missing = [...new Set(objects)].filter((object) => !blobs.has(object));
    for (const [object, content] of await files.read(missing, maxFileBytes, together)) blobs.set(object, content);
  };
  const follow = (path: string): string => followInCommit(path, files);
  const kindOf = (real: string): "file" | "directory" | null => {
    if (entries.has(real)) return "file";
    const below = `${real}/`;
    return real === "" || paths[firstFrom(paths, below)]?.startsWith(below) === true ? "directory" : null;
  };

  /** Every file below a directory. Linked directories come last, and each directory once: links may form loops. */
  const walk = (start: string): readonly TreeFile[] => {
    const found: TreeFile[] = [];
    const seen: string[] = [];
    const pending = [start];
    for (let directory = pending.shift(); directory !== undefined; directory = pending.shift()) {
      const real = follow(directory);
      const below = real === "" ? "" : `${real}/`;
      if (seen.some((each) => below.startsWith(each))) continue;
      seen.push(below);
      for (let at = firstFrom(paths, below); paths[at]?.startsWith(below) === true; at += 1) {
        const inside = (paths[at] ?? "").slice(below.length);
        if (`/${inside}`.includes("/.")) continue;
        const path = directory === "" ? inside : `${directory}/${inside}`;
        const kind = entries.get(below + inside)?.kind;
        // On disk its files would be read. Leaving them out would look as if they had been deleted.
        if (kind === "submodule") throw inSubmodule(start === "" ? "." : start, path, short);
        const target = kind === "link" ? followed(path) : below + inside;
        if (target !== null && kind === "link" && kindOf(target) === "directory") pending.push(path);
        else found.push({ path, identity: target ?? path });
      }
    }
    return found;
  };

  /** Null for a link that leads nowhere: it is listed, so that reading it reports the problem. */
  const followed = (path: string): string | null => {
    try {
      return follow(path);
    } catch (error) {
      if (error instanceof FileProblem && /\.ya?ml$/u.test(path)) return null;
      throw error;
    }
  };

  return {
    root,
    async stat(path) {
      return kindOf(follow(path));
    },
    list: async (directory) => walk(directory).toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
    identity: async (path) => follow(path),
    async read(path) {
      const entry = entries.get(follow(path));
      if (entry === undefined) {
        throw new FileProblem("file-missing", `there is no file "${path}" in commit ${short}`, {
          remedy: "Name a commit that holds it, or commit the file: only what is committed is read.",
        });
      }
      if (!entry.named) {
        throw new FileProblem("file-unreadable", `the name of "${path}" in commit ${short} is not UTF-8`, {
          remedy: "Rename it, commit that, and name the new commit.",
        });
      }
      await fetch([entry]);
      const content = blobs.get(entry.object);
      if (content === undefined) throw new EdgewiseError("git", `git did not return object ${entry.object}`);
      if ("byteLength" in content) return content;
      throw new FileProblem(
        "file-too-large",
        `"${path}" has ${content.size} bytes, more than the limit of ${maxFileBytes}`,
      );
    },
    // Nobody reads more than the limit for all manifests, and whatever is left out is read when somebody asks for it.
    prepare: (wanted) =>
      fetch(
        wanted.flatMap((path) => entries.get(followed(path) ?? "") ?? []),
        limits.manifestBytes,
      ),
    ...secrets,
  };
}

/** Where links lead, by object. @throws EdgewiseError `git` */
export async function linkTargets(
  entries: CommitEntries,
  read: CommitFiles["read"],
): Promise<ReadonlyMap<string, string>> {
  const links = [...entries.values()].filter(({ kind }) => kind === "link").map(({ object }) => object);
  const targets = new Map<string, string>();
  if (links.length === 0) return targets;
  for (const [object, content] of await read([...new Set(links)], maxFileBytes))
    if ("byteLength" in content) targets.set(object, new TextDecoder().decode(content));
  return targets;
}

/** The index of the first of the sorted paths that is not before `text`. */
export function firstFrom(paths: readonly string[], text: string): number {
  let low = 0;
  let high = paths.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((paths[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The path of a directory or file from the work tree, with `/`. It need not exist.
 * @param path absolute
 * @throws EdgewiseError `git` when it is outside of the work tree
 */
export async function pathInWorkTree({ workTree }: Repository, path: string): Promise<string> {
  const real = await realPathOf(path);
  if (isInside(workTree, real)) return relative(workTree, real).split(sep).join("/");
  throw new EdgewiseError("git", `${path} is outside of the repository ${workTree}`, {
    remedy: "Name a configuration in the repository whose commit you name, or leave out --base and --ref.",
  });
}

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
function followInCommit(path: string, { entries, targets, short }: LinkedEntries): string {
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

function inSubmodule(path: string, submodule: string, short: string): FileProblem {
  const what = path === submodule ? `"${path}" is a submodule` : `"${path}" needs the submodule "${submodule}"`;
  return new FileProblem("file-outside", `${what}, and commit ${short} does not hold the files of submodules`, {
    remedy: "Check that commit out with its submodules, and run there without naming the commit.",
  });
}
