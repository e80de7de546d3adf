import { isUtf8 } from "node:buffer";
import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import { EdgewiseError } from "../errors.js";
import { FileProblem, type FileTree, maxFileBytes } from "../manifest/file-tree.js";
import { isWithin } from "./git-program.js";
import { type Repository, runGit } from "./run-git.js";

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

/** What one call asks for at most, in objects and bytes, so that its answer stays below the bound of {@link runGit}. */
const batchLimits = { objects: 500, bytes: 32 * 1024 * 1024 } as const;

/** An object of the repository: its id, and its size in bytes. */
interface Sized {
  readonly object: string;
  readonly size: number;
}

/** What to do where objects are missing. Nothing is fetched here: that would run what the repository's settings name. */
const fetchThem =
  "Objects of that commit are missing in this clone. Fetch them (git fetch --refetch --no-filter origin), or leave the filter out of the checkout step.";

/**
 * The contents of objects by their ids, through `git cat-file --batch`; those that are larger than `maxBytes` by their
 * size alone.
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
    collect(await catFile(repository, ["cat-file", "--batch"], some), found);
  }
  return found;
}

async function sizesOf(repository: Repository, objects: readonly string[]): Promise<readonly Sized[]> {
  if (objects.length === 0) return [];
  const answer = await catFile(repository, ["cat-file", "--batch-check=%(objectname) %(objectsize)"], objects);
  const lines = answer.toString("utf8").split("\n").slice(0, objects.length);
  return lines.map((line) => {
    const [object = "", size] = line.split(" ");
    if (size === undefined || !/^\d+$/u.test(size)) throw missingObject(object);
    return { object, size: Number(size) };
  });
}

async function catFile(repository: Repository, args: readonly string[], objects: readonly string[]): Promise<Buffer> {
  const { ok, stderr, stdout } = await runGit(repository, args, `${objects.join("\n")}\n`);
  if (!ok) throw new EdgewiseError("git", `git can't read its objects: ${stderr}`, { remedy: fetchThem });
  return stdout;
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
function collect(answer: Buffer, found: Map<string, Uint8Array | { readonly size: number }>): void {
  let at = 0;
  while (at < answer.length) {
    const end = answer.indexOf(0x0a, at);
    if (end === -1) return;
    const [object = "", , size] = answer.toString("utf8", at, end).split(" ");
    if (size === undefined) throw missingObject(object);
    at = end + 1;
    found.set(object, answer.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
}

function missingObject(object: string): EdgewiseError {
  return new EdgewiseError("git", `git has no object ${object}`, { remedy: fetchThem });
}
