import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import type { Git } from "../../git/git-program.js";
import { type Repository, gitFailure, startGit } from "../../git/run-git.js";
import type { SourceAddress } from "./source-address.js";
import { limits } from "../../core/limits.js";
import { GitCommit } from "../../git/git-commit.js";
import { configAt, gitTree } from "../../git/git-tree.js";
import type { ObjectReader } from "../../git/object-reader.js";
import type { SourceCommit } from "./source-reader.js";

const mostPacks = 30;

export function cloneName(source: string, { url }: SourceAddress): string {
  const shown = source
    .replaceAll(/[^\w.-]/gu, "_")
    .replace(/^\./u, "_")
    .slice(0, 60);
  return `${shown}-${digest(source).slice(0, 8)}-${digest(url)}`;
}

export function originOf(url: string, ref: string): string {
  return digest(`${url}\n${ref}`);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

export function cloneAt(directory: string, git: Git): Repository {
  return { git, gitDir: directory, workTree: join(directory, "files") };
}

/** Makes a clone usable: creates it, empty, or removes what a git that was killed left behind. */
export async function prepareClone(clone: Repository): Promise<void> {
  const { gitDir, workTree } = clone;
  if (await isClone(clone)) {
    const names = await readdir(gitDir, { recursive: true });
    const left = names.filter((name) => /\.(?:lock|keep)$|(?:^|\/)(?:\.?tmp[-_]|incoming|\.git_)[^/]*$/u.test(name));
    await Promise.all(left.map((name) => rm(join(gitDir, name), { recursive: true, force: true })));
    return;
  }
  await rm(gitDir, { recursive: true, force: true });
  const unfinished = `${gitDir}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const { git } = clone;
  const args = ["init", "--quiet", "--bare", "--template=", "--initial-branch=none", unfinished];
  const answer = await startGit({ git, cwd: unfinished, environment: git.environment, args });
  if (!answer.ok) throw gitFailure(`create ${gitDir}`, answer);
  await mkdir(cloneAt(unfinished, git).workTree);
  await rename(unfinished, gitDir);
  if (!(await isClone(clone))) throw new EdgewiseError("git", `${gitDir} (${workTree}) is not a repository`);
}

async function isClone({ gitDir, workTree }: Repository): Promise<boolean> {
  const parts = [...["HEAD", "config", "objects", "refs"].map((name) => join(gitDir, name)), workTree];
  const found = await Promise.all(parts.map((path) => lstat(path).catch(() => null)));
  return found.every((one, index) => (index < 2 ? one?.isFile() : one?.isDirectory()) === true);
}

async function packFiles(gitDir: string): Promise<readonly string[]> {
  return readdir(join(gitDir, "objects", "pack")).catch(() => []);
}

export async function packedBytes(gitDir: string): Promise<number> {
  const directory = join(gitDir, "objects", "pack");
  const names = await packFiles(gitDir);
  const sizes = names.map(async (name) => (await lstat(join(directory, name)).catch(() => null))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export async function needsRepack(gitDir: string): Promise<boolean> {
  return (await packFiles(gitDir)).filter((name) => name.endsWith(".pack")).length > mostPacks;
}

export const repack: readonly string[] = [
  ...["pack.threads=1", "pack.windowMemory=64m", "repack.writeBitmaps=false"].flatMap((setting) => ["-c", setting]),
  "repack",
  "-a",
  "-d",
  "-q",
];

export async function openCommit(clone: Repository, reader: ObjectReader, commit: string): Promise<SourceCommit> {
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
