import { lstat, open, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { type RepositoryPaths, checkOwnership } from "./check-ownership.js";
import { type GitHost, findGit } from "./git-program.js";
import type { Repository } from "./run-git.js";

/** How much is read of a file that contains the path of a directory. */
const maxPathFile = 16 * 1024;

/**
 * Finds the repository whose work tree a directory is in, by searching upward for `.git`: the only name that git lets no
 * one commit. Git itself would also accept a directory that merely looks like a bare repository, and such files can be
 * committed, with a configuration that names programs. `GIT_DIR` and similar variables are ignored.
 * @param start a directory, which need not exist any more
 * @throws EdgewiseError `git`: no repository, one of another user, or no git
 */
export async function findRepository(start: string, host: GitHost): Promise<Repository> {
  for (let directory = await realPathOf(start); ; directory = dirname(directory)) {
    const found = await repositoryAt(directory);
    if (found !== null) {
      const paths = { ...found, outermost: await outermostAbove(directory) };
      const git = await findGit(host, paths.outermost);
      await checkOwnership({ paths, git, host });
      return { git, gitDir: paths.gitDir, workTree: paths.workTree };
    }
    if (directory === dirname(directory)) throw notRepository(start);
  }
}

/**
 * The directory with the branches and objects of the repository at exactly this path: a bare one, or a work tree. Null
 * when there is none.
 * @throws EdgewiseError `git` when it belongs to another user, see {@link checkOwnership}
 */
export async function repositoryToRead(path: string, host: GitHost): Promise<string | null> {
  const real = await realpath(path).catch(() => null);
  if (real === null) return null;
  const bare = { workTree: real, entry: real, gitDir: real, commonDir: real };
  const found = (await repositoryAt(real)) ?? ((await isRepository(real, real)) ? bare : null);
  if (found === null) return null;
  const paths = { ...found, outermost: await outermostAbove(real) };
  await checkOwnership({ paths, git: await findGit(host, paths.outermost), host });
  return found.commonDir;
}

/** The path with all links resolved, as far as it exists. @param path absolute */
export async function realPathOf(path: string): Promise<string> {
  const missing: string[] = [];
  for (let above = path; ; above = dirname(above)) {
    const real = await realpath(above).catch(() => null);
    if (real !== null) return join(real, ...missing);
    if (dirname(above) === above) return path;
    missing.unshift(basename(above));
  }
}

/** The topmost work tree above: a submodule is inside of its superproject's. */
async function outermostAbove(workTree: string): Promise<string> {
  let outermost = workTree;
  // The root of the file system contains every program, and no pull request can change it.
  for (let directory = dirname(workTree); directory !== dirname(directory); directory = dirname(directory)) {
    if ((await repositoryAt(directory).catch(() => null)) !== null) outermost = directory;
  }
  return outermost;
}

async function repositoryAt(workTree: string): Promise<Omit<RepositoryPaths, "outermost"> | null> {
  const entry = join(workTree, ".git");
  const kind = await stat(entry).catch(() => null);
  if (kind?.isDirectory() === true) {
    const gitDir = await realpath(entry);
    const commonDir = await commonDirOf(gitDir);
    // Like git, skip a directory that is not a repository.
    return (await isRepository(gitDir, commonDir)) ? { workTree, entry, gitDir, commonDir } : null;
  }
  if (kind?.isFile() !== true) return null;
  const text = withoutLineEnd(await readStart(entry));
  if (!text.startsWith("gitdir: ") || text.length === "gitdir: ".length)
    throw brokenFile(entry, "expected `gitdir: PATH`");
  const named = text.slice("gitdir: ".length);
  const gitDir = await realpath(resolve(workTree, named)).catch(() => null);
  if (gitDir === null) throw brokenFile(entry, `it names ${JSON.stringify(named)}, which does not exist`);
  const commonDir = await commonDirOf(gitDir);
  if (!(await isRepository(gitDir, commonDir)))
    throw brokenFile(entry, `it names ${gitDir}, which is not a repository`);
  return { workTree, entry, gitDir, commonDir };
}

/** A work tree made by `git worktree add` has a Git directory of its own, with a file that leads to the main one. */
async function commonDirOf(gitDir: string): Promise<string> {
  const path = withoutLineEnd(await readStart(join(gitDir, "commondir")));
  if (path === "") return gitDir;
  const commonDir = resolve(gitDir, path);
  return realpath(commonDir).catch(() => commonDir);
}

async function isRepository(gitDir: string, commonDir: string): Promise<boolean> {
  // HEAD used to be a link to a branch, which may be packed.
  const parts = [lstat(join(gitDir, "HEAD")), stat(join(commonDir, "objects")), stat(join(commonDir, "refs"))];
  const [head, objects, refs] = await Promise.all(parts.map((part) => part.catch(() => null)));
  return (
    (head?.isFile() === true || head?.isSymbolicLink() === true) &&
    objects?.isDirectory() === true &&
    refs?.isDirectory() === true
  );
}

/** The beginning of a regular file; "" when there is none. */
async function readStart(path: string): Promise<string> {
  if ((await stat(path).catch(() => null))?.isFile() !== true) return "";
  const file = await open(path).catch(() => null);
  if (file === null) return "";
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxPathFile), 0, maxPathFile, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

function withoutLineEnd(text: string): string {
  let end = text.length;
  while (end > 0 && "\r\n".includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function brokenFile(entry: string, why: string): EdgewiseError {
  return new EdgewiseError("git", `${entry} does not lead to a git repository: ${why}`, {
    remedy: "Repair it (git worktree repair, git submodule update --init), or leave out --base and --ref.",
  });
}

function notRepository(start: string): EdgewiseError {
  return new EdgewiseError(
    "git",
    `${start} is not in a git work tree: neither it nor a directory above it has a .git`,
    {
      remedy: "Run it inside the repository, or leave out --base and --ref.",
    },
  );
}
