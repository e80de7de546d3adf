import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import type { Git } from "../../git/git-program.js";
import { type Repository, gitFailure, startGit } from "../../git/run-git.js";
import type { SourceAddress } from "./source-address.js";

const mostPacks = 30;

/** The name of a clone's directory: of the source and its address, so that two addresses never share objects. */
export function cloneName(source: string, { url }: SourceAddress): string {
  return `${clonesOf(source)}${digest(url)}`;
}

/** What the names of all clones of a source begin with. */
export function clonesOf(source: string): string {
  const shown = source
    .replaceAll(/[^\w.-]/gu, "_")
    .replace(/^\./u, "_")
    .slice(0, 60);
  return `${shown}-${digest(source).slice(0, 8)}-`;
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
    await removeLeftovers(gitDir);
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
  const parts = ["HEAD", "config", "objects", "refs"].map((name) => join(gitDir, name));
  const found = await Promise.all([...parts, workTree].map((path) => lstat(path).catch(() => null)));
  const [head, config, ...directories] = found;
  return (
    head?.isFile() === true && config?.isFile() === true && directories.every((one) => one?.isDirectory() === true)
  );
}

/** Locks, unfinished packs, and marks that keep packs from being joined: without their git they mean nothing. */
async function removeLeftovers(gitDir: string): Promise<void> {
  const refs = await readdir(join(gitDir, "refs"), { recursive: true });
  const locks = [...(await readdir(gitDir)), ...refs.map((name) => `refs/${name}`)].filter((name) =>
    /\.lock$|^\.git_/u.test(name),
  );
  const objects = (await readdir(join(gitDir, "objects"))).filter((name) => /^tmp_|^incoming/u.test(name));
  const packs = (await packFiles(gitDir)).filter((name) => /^\.?tmp[-_]|\.(?:keep|lock)$/u.test(name));
  const names = [...locks, ...objects.map((name) => `objects/${name}`), ...packs.map((name) => `objects/pack/${name}`)];
  await Promise.all(names.map((name) => rm(join(gitDir, name), { recursive: true, force: true })));
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

/** What makes one pack of all that the clone's refs lead to; what no ref leads to any more is dropped. */
export const repack: readonly string[] = [
  ...["pack.threads=1", "pack.windowMemory=64m", "repack.writeBitmaps=false"].flatMap((setting) => ["-c", setting]),
  "repack",
  "-a",
  "-d",
  "-q",
];
