import { realpath } from "node:fs/promises";
import { relative, sep } from "node:path";
import { EdgewiseError } from "../errors.js";
import { FileProblem, maxFileBytes } from "../manifest/file-tree.js";
import type { FileTree, TreeFile } from "../manifest/file-tree.js";
import { readBlobs } from "./read-blobs.js";
import { runGit } from "./run-git.js";

interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly object: string;
  readonly size: number;
}

/**
 * The files of a commit below a directory, read from git's objects: the work tree is never touched. Links are refused,
 * as what they lead to is no part of the commit; secrets are not read, as old ones are nobody's business.
 * @param repository a directory of the work tree
 * @param commit its full id
 * @param root absolute; the configuration's root, inside the work tree
 * @throws EdgewiseError `git`
 */
export async function gitTree(repository: string, commit: string, root: string): Promise<FileTree> {
  const prefix = await prefixOf(repository, root);
  const entries = await listCommit(repository, commit, prefix);
  const blobs = new Map<string, Uint8Array>();
  const fetch = async (wanted: readonly Entry[]): Promise<void> => {
    const missing = wanted.filter((entry) => isReadable(entry) && !blobs.has(entry.object));
    for (const [object, content] of await readBlobs(repository, missing)) blobs.set(object, content);
  };

  const isDirectory = (path: string): boolean =>
    path === "" || [...entries.keys()].some((file) => file.startsWith(`${path}/`));

  return {
    root,
    async stat(path) {
      if (entries.has(path)) return "file";
      return isDirectory(path) ? "directory" : null;
    },
    async list(directory) {
      const below = directory === "" ? "" : `${directory}/`;
      const found: TreeFile[] = [];
      for (const path of entries.keys()) {
        const hidden = path
          .slice(below.length)
          .split("/")
          .some((part) => part.startsWith("."));
        if (path.startsWith(below) && !hidden) found.push({ path, identity: path });
      }
      return found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    },
    identity: async (path) => path,
    async read(path) {
      const entry = entries.get(path);
      if (entry === undefined)
        throw new FileProblem("file-missing", `there is no file "${path}" in commit ${commit.slice(0, 12)}`);
      if (entry.mode === "120000")
        throw new FileProblem(
          "file-outside",
          `"${path}" is a link in commit ${commit.slice(0, 12)}, and links are not followed there`,
        );
      if (entry.size > maxFileBytes) {
        throw new FileProblem(
          "file-too-large",
          `"${path}" has ${entry.size} bytes, more than the ${maxFileBytes} that are read`,
        );
      }
      await fetch([entry]);
      const content = blobs.get(entry.object);
      if (content === undefined)
        throw new EdgewiseError("git", `git has no object ${entry.object}`, { remedy: "Fetch the whole history." });
      return content;
    },
    prepare: (paths) => fetch(paths.flatMap((path) => entries.get(path) ?? [])),
    readSecret: () => ({ available: false, reason: "secrets are not read from commits" }),
  };
}

function isReadable({ mode, size }: Entry): boolean {
  return mode !== "120000" && size <= maxFileBytes;
}

async function prefixOf(repository: string, root: string): Promise<string> {
  const { ok, stderr, stdout } = await runGit(repository, ["rev-parse", "--show-toplevel"]);
  if (!ok) throw new EdgewiseError("git", `${repository} is not in a git work tree: ${stderr}`);
  const top = await realpath(stdout.toString("utf8").replace(/\r?\n$/u, ""));
  const inside = relative(top, await realpath(root))
    .split(sep)
    .join("/");
  if (inside === ".." || inside.startsWith("../")) {
    throw new EdgewiseError("git", `the root directory ${root} lies outside of the repository ${top}`, {
      remedy: "Leave --base out.",
    });
  }
  return inside;
}

async function listCommit(repository: string, commit: string, prefix: string): Promise<ReadonlyMap<string, Entry>> {
  if (!/^[0-9a-f]{40,64}$/u.test(commit)) throw new EdgewiseError("git", `${JSON.stringify(commit)} is no commit id`);
  // A directory that wasn't there yet gives an empty list.
  const below = prefix === "" ? [] : ["--", `${prefix}/`];
  const { ok, stderr, stdout } = await runGit(repository, [
    "ls-tree",
    "-r",
    "-z",
    "--long",
    "--full-tree",
    commit,
    ...below,
  ]);
  if (!ok) throw new EdgewiseError("git", `git can't list commit ${commit.slice(0, 12)}: ${stderr}`);
  const entries = new Map<string, Entry>();
  for (const line of stdout.toString("utf8").split("\0")) {
    const [, mode, type, object, size, path] = /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t([\s\S]+)$/u.exec(line) ?? [];
    if (type !== "blob" || mode === undefined || object === undefined || path === undefined) continue;
    const inside = prefix === "" ? path : path.slice(prefix.length + 1);
    entries.set(inside, { path: inside, mode, object, size: Number(size) });
  }
  return entries;
}
