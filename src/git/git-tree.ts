import { isUtf8 } from "node:buffer";
import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import { EdgewiseError } from "../errors.js";
import { isInside } from "../files/follow-links.js";
import { FileProblem, type FileTree, maxFileBytes } from "../manifest/file-tree.js";
import { type GitAnswer, type Repository, gitFailure, linesOf, runGit } from "./run-git.js";

interface TreeEntry {
  readonly mode: string;
  readonly object: string;
  /** Whether the name is UTF-8: two names that are not may look alike. */
  readonly named: boolean;
}

/**
 * The files of a commit below a directory, read from git's objects and never from the work tree. Links are refused, as
 * their targets need not be in the commit; secrets are not read from old commits.
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
      if (content === undefined) throw new EdgewiseError("git", `git did not return object ${entry.object}`);
      if ("byteLength" in content) return content;
      throw new FileProblem(
        "file-too-large",
        `"${path}" has ${content.size} bytes, more than the limit of ${maxFileBytes}`,
      );
    },
    prepare: (wanted) => fetch(wanted.flatMap((path) => entries.get(path) ?? [])),
    readSecret: () => ({ available: false, reason: "secrets are not read from commits" }),
  };
}

function isReadable({ mode, named }: TreeEntry): boolean {
  return named && mode !== "120000";
}

/** The index of the first of the sorted paths that is not before `text`. */
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
  const real = await realpath(root);
  if (isInside(workTree, real)) return relative(workTree, real).split(sep).join("/");
  throw new EdgewiseError("git", `the root directory ${root} is outside of the repository ${workTree}`, {
    remedy: "Leave out --base.",
  });
}

async function listCommit(
  repository: Repository,
  commit: string,
  prefix: string,
): Promise<ReadonlyMap<string, TreeEntry>> {
  if (!/^[0-9a-f]{40,64}$/u.test(commit))
    throw new EdgewiseError("git", `${JSON.stringify(commit)} is not a commit id`);
  // A directory that didn't exist yet has an empty list.
  const below = prefix === "" ? [] : ["--", `${prefix}/`];
  const args = ["ls-tree", "-r", "-z", "--full-tree", commit, ...below];
  const answer = await runGit(repository, args);
  if (!answer.ok) {
    const remedy = "Fetch the whole history (fetch-depth: 0, and no filter, in the checkout step).";
    throw gitFailure(`list commit ${commit.slice(0, 12)}`, answer, remedy);
  }
  const { stdout } = answer;
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

/** How many objects and bytes one run asks for at most, so that its output stays below the bound of {@link runGit}. */
const batchLimits = { objects: 500, bytes: 32 * 1024 * 1024 } as const;

/** An object of the repository: its id, and its size in bytes. */
interface Sized {
  readonly object: string;
  readonly size: number;
}

/** Missing objects are not fetched here: that would run programs that the repository's settings name. */
const fetchThem =
  "Objects of that commit are missing in this clone. Fetch them (git fetch --refetch --no-filter origin), or leave the filter out of the checkout step.";

/**
 * The contents of objects by their ids, through `git cat-file --batch`; only the size of those larger than `maxBytes`.
 * @throws EdgewiseError `git` when one is missing
 */
async function readBlobs(
  repository: Repository,
  objects: readonly string[],
  maxBytes: number,
): Promise<ReadonlyMap<string, Uint8Array | { readonly size: number }>> {
  const found = new Map<string, Uint8Array | { readonly size: number }>();
  const wanted: Sized[] = [];
  for (const { object, size } of await sizesOf(repository, objects)) {
    if (size > maxBytes) found.set(object, { size });
    else wanted.push({ object, size });
  }
  for (const some of batches(wanted)) {
    collect((await catFile(repository, ["cat-file", "--batch"], some)).stdout, found);
  }
  return found;
}

async function sizesOf(repository: Repository, objects: readonly string[]): Promise<readonly Sized[]> {
  if (objects.length === 0) return [];
  const answer = await catFile(repository, ["cat-file", "--batch-check=%(objectname) %(objectsize)"], objects);
  return linesOf(answer).map((line) => {
    const [object = "", size] = line.split(" ");
    if (size === undefined || !/^\d+$/u.test(size)) throw missingObject(object);
    return { object, size: Number(size) };
  });
}

async function catFile(
  repository: Repository,
  args: readonly string[],
  objects: readonly string[],
): Promise<GitAnswer> {
  const answer = await runGit(repository, args, `${objects.join("\n")}\n`);
  if (!answer.ok) throw gitFailure("read its objects", answer, fetchThem);
  return answer;
}

function batches(wanted: readonly Sized[]): readonly (readonly string[])[] {
  const result: string[][] = [];
  let bytes = 0;
  for (const { object, size } of wanted) {
    const last = result.at(-1);
    if (last === undefined || last.length >= batchLimits.objects || bytes + size > batchLimits.bytes) {
      result.push([object]);
      bytes = size;
    } else {
      last.push(object);
      bytes += size;
    }
  }
  return result;
}

/** Each object is `<id> <type> <size>`, a newline, the content, a newline; a missing one is `<id> missing`. */
function collect(output: Buffer, found: Map<string, Uint8Array | { readonly size: number }>): void {
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf(0x0a, at);
    if (end === -1) return;
    const [object = "", , size] = output.toString("utf8", at, end).split(" ");
    if (size === undefined) throw missingObject(object);
    at = end + 1;
    found.set(object, output.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
}

function missingObject(object: string): EdgewiseError {
  return new EdgewiseError("git", `git has no object ${object}`, { remedy: fetchThem });
}
