import { isUtf8 } from "node:buffer";
import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import { EdgewiseError } from "../errors.js";
import { FileProblem, maxFileBytes } from "../manifest/file-tree.js";
import type { FileTree } from "../manifest/file-tree.js";
import { isWithin } from "./git-program.js";
import { readBlobs } from "./read-blobs.js";
import { runGit, type Repository } from "./run-git.js";

interface TreeEntry {
  readonly mode: string;
  readonly object: string;
  /** False for a name that is not UTF-8: two such names can look alike. */
  readonly named: boolean;
}

/**
 * The files of a commit below a directory, read from git's objects: the work tree is never touched. Links are refused,
 * as what they lead to is no part of the commit; secrets are not read, as old ones are nobody's business.
 * @param commit its full id
 * @param root absolute; the configuration's root, inside the work tree
 * @throws EdgewiseError `git`
 */
export async function gitTree(repository: Repository, commit: string, root: string): Promise<FileTree> {
  const entries = await listCommit(repository, commit, await prefixOf(repository, root));
  const paths = [...entries.keys()].sort();
  const blobs = new Map<string, Uint8Array | { readonly size: number }>();
  const fetch = async (wanted: readonly TreeEntry[]): Promise<void> => {
    const objects = wanted.filter(isReadable).map(({ object }) => object);
    const missing = [...new Set(objects)].filter((object) => !blobs.has(object));
    for (const [object, content] of await readBlobs(repository, missing, maxFileBytes)) blobs.set(object, content);
  };
  const short = commit.slice(0, 12);

  return {
    root,
    async stat(path) {
      if (entries.has(path)) return "file";
      const below = `${path}/`;
      return path === "" || paths[firstFrom(paths, below)]?.startsWith(below) === true ? "directory" : null;
    },
    async list(directory) {
      const below = directory === "" ? "" : `${directory}/`;
      const found: string[] = [];
      for (let at = firstFrom(paths, below); paths[at]?.startsWith(below) === true; at += 1)
        found.push(paths[at] ?? "");
      return found
        .filter((path) => !`/${path.slice(below.length)}`.includes("/."))
        .map((path) => ({ path, identity: path }));
    },
    identity: async (path) => path,
    async read(path) {
      const entry = entries.get(path);
      if (entry === undefined) throw new FileProblem("file-missing", `there is no file "${path}" in commit ${short}`);
      if (!entry.named) {
        throw new FileProblem("file-unreadable", `the name of "${path}" in commit ${short} is not UTF-8`);
      }
      if (entry.mode === "120000") {
        throw new FileProblem(
          "file-outside",
          `"${path}" is a link in commit ${short}, and links are not followed there`,
        );
      }
      await fetch([entry]);
      const content = blobs.get(entry.object);
      if (content === undefined) throw new EdgewiseError("git", `git did not answer with object ${entry.object}`);
      if ("byteLength" in content) return content;
      throw new FileProblem(
        "file-too-large",
        `"${path}" has ${content.size} bytes, more than the ${maxFileBytes} that are read`,
      );
    },
    prepare: (wanted) => fetch(wanted.flatMap((path) => entries.get(path) ?? [])),
    readSecret: () => ({ available: false, reason: "secrets are not read from commits" }),
  };
}

function isReadable({ mode, named }: TreeEntry): boolean {
  return named && mode !== "120000";
}

/** The index of the first of the sorted paths that is not less than `text`. */
function firstFrom(paths: readonly string[], text: string): number {
  let low = 0;
  let high = paths.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((paths[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function prefixOf({ workTree }: Repository, root: string): Promise<string> {
  if (workTree === null) return "";
  const real = await realpath(root);
  if (isWithin(real, workTree)) return relative(workTree, real).split(sep).join("/");
  throw new EdgewiseError("git", `the root directory ${root} lies outside of the repository ${workTree}`, {
    remedy: "Leave --base out.",
  });
}

async function listCommit(
  repository: Repository,
  commit: string,
  prefix: string,
): Promise<ReadonlyMap<string, TreeEntry>> {
  if (!/^[0-9a-f]{40,64}$/u.test(commit))
    throw new EdgewiseError("git", `${JSON.stringify(commit)} is not a commit id`);
  // A directory that wasn't there yet gives an empty list.
  const below = prefix === "" ? [] : ["--", `${prefix}/`];
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit, ...below];
  const { ok, stderr, stdout } = await runGit(repository, args);
  if (!ok) {
    throw new EdgewiseError("git", `git can't list commit ${commit.slice(0, 12)}: ${stderr}`, {
      remedy: "Fetch the whole history (fetch-depth: 0, and no filter, in the checkout step).",
    });
  }
  const entries = new Map<string, TreeEntry>();
  for (let at = 0, end = stdout.indexOf(0, at); end !== -1; at = end + 1, end = stdout.indexOf(0, at)) {
    const line = stdout.subarray(at, end);
    const tab = line.indexOf(0x09);
    const [mode = "", type, object = ""] = line.toString("latin1", 0, tab).split(" ");
    if (type !== "blob") continue;
    const path = line.toString("utf8", tab + 1);
    const inside = prefix === "" ? path : path.slice(prefix.length + 1);
    entries.set(inside, { mode, object, named: isUtf8(line.subarray(tab + 1)) });
  }
  return entries;
}
