import { lstat, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { shellWord } from "../core/text.js";
import { isInside, slashedWay, workTreeOf } from "../files/real-path.js";
import {
  type Git,
  type GitAnswer,
  type GitHost,
  type Repository,
  findGit,
  linesOf,
  outsidePaths,
  runGit,
  startGit,
} from "./run-git.js";

/** By `.git`, the only name that nobody can commit: a committed bare repository could name programs. */
export async function findRepository(start: string, host: GitHost): Promise<Repository> {
  for (let workTree = await realPathOf(start); ; workTree = dirname(workTree)) {
    const entry = await stat(join(workTree, ".git")).catch(() => null);
    if (entry !== null) {
      const { answer, git } = await askWhere(workTree, host);
      if (answer.ok) return { git, gitDir: await realpath(linesOf(answer)[0] ?? ""), workTree };
      // Like git, skip a directory that is not a repository.
      if (entry.isFile() || !answer.stderr.includes("not a git repository")) throw unusable(workTree, answer);
    }
    if (workTree === dirname(workTree))
      throw new EdgewiseError(
        "git",
        `${start} is not in a git work tree`,
        "Run it inside the repository, or leave out --base, --ref and --changed-since.",
      );
  }
}

/** Of a repository at exactly this path; null = there is none. */
export async function repositoryToRead(path: string, host: GitHost): Promise<string | null> {
  const real = await realpath(path).catch(() => null);
  if (real === null) return null;
  const { answer } = await askWhere(real, host, ["safe.bareRepository=all"]);
  if (answer.ok) return realpath(linesOf(answer)[1] ?? "");
  if (answer.stderr.includes("not a git repository")) return null;
  throw unusable(real, answer);
}

/**
 * Git looks at owners and `safe.directory` only when it searches itself: at this directory alone, with the configuration of the
 * system and the user, which all other runs don't get.
 */
async function askWhere(
  directory: string,
  host: GitHost,
  settings: readonly string[] = [],
): Promise<Readonly<{ git: Git; answer: GitAnswer }>> {
  const outermost = await outermostAbove(directory);
  const git = await findGit(host, outermost);
  const { GIT_CONFIG_NOSYSTEM: _, GIT_CONFIG_SYSTEM: __, GIT_CONFIG_GLOBAL: ___, ...rest } = git.environment;
  const { GIT_CONFIG_NOSYSTEM, SUDO_UID } = host.env;
  const files = ["GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME", "USERPROFILE", "PROGRAMDATA"];
  const environment = {
    ...rest,
    ...(await outsidePaths(host, files, outermost)),
    ...(GIT_CONFIG_NOSYSTEM !== undefined && { GIT_CONFIG_NOSYSTEM }),
    ...(SUDO_UID !== undefined && { SUDO_UID }),
    GIT_CEILING_DIRECTORIES: dirname(directory),
  };
  const given = [...settings, ...safeDirectories(host)].flatMap((setting) => ["-c", setting]);
  const args = [...given, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"];
  return { git, answer: await startGit({ git, cwd: directory, environment, args }) };
}

/** The other settings there may hold tokens. */
function safeDirectories({ env }: GitHost): readonly string[] {
  const count = Math.min(Number(env["GIT_CONFIG_COUNT"] ?? "") || 0, 1000);
  return Array.from({ length: count }, (_, index) => index)
    .filter((index) => env[`GIT_CONFIG_KEY_${index}`]?.toLowerCase() === "safe.directory")
    .map((index) => `safe.directory=${env[`GIT_CONFIG_VALUE_${index}`] ?? ""}`);
}

function unusable(workTree: string, { stderr }: GitAnswer): EdgewiseError {
  if (!stderr.includes("dubious ownership"))
    return new EdgewiseError(
      "git",
      `the repository of ${workTree} can't be used: ${stderr}`,
      "Repair it (git worktree repair, git submodule update --init), or leave out --base, --ref and --changed-since.",
    );
  const message = `the repository of ${workTree} may belong to another user and was not used: ${stderr.split("\n", 1)[0]}`;
  return new EdgewiseError(
    "git",
    message,
    `If you trust it: git config --global --add safe.directory ${shellWord(workTree.split(sep).join("/"))}`,
  );
}

export async function realPathOf(path: string): Promise<string> {
  const missing: string[] = [];
  for (let above = path; ; above = dirname(above)) {
    const real = await realpath(above).catch(() => null);
    if (real !== null) return join(real, ...missing);
    if (dirname(above) === above) return path;
    missing.unshift(basename(above));
  }
}

async function outermostAbove(workTree: string): Promise<string> {
  let outermost = workTree;
  // The file system's root contains every program.
  for (let directory = dirname(workTree); directory !== dirname(directory); directory = dirname(directory)) {
    if ((await lstat(join(directory, ".git")).catch(() => null)) !== null) outermost = directory;
  }
  return outermost;
}

export async function pathInWorkTree({ workTree }: Repository, path: string): Promise<string> {
  const real = await realPathOf(path);
  if (isInside(workTree, real)) return slashedWay(workTree, real);
  throw new EdgewiseError(
    "git",
    `${path} is outside of the repository ${workTree}`,
    "Name a configuration in the repository, or leave out --base, --ref and --changed-since.",
  );
}

/** Outside of repositories, and without Git, none is. */
export async function trackedFiles(paths: readonly string[], host: GitHost): Promise<ReadonlySet<string>> {
  const tracked = new Set<string>();
  const files = await Promise.all(paths.map(async (path) => ({ path, real: await realPathOf(path) })));
  const topOf = ({ real }: { readonly real: string }) => workTreeOf(dirname(real));
  for (const top of new Set(files.map(topOf))) {
    if (top === null) continue;
    try {
      const repository = await findRepository(top, host);
      const own = files.filter((file) => topOf(file) === top);
      const names = own.map(({ real }) => slashedWay(repository.workTree, real));
      const { stdout } = await runGit(repository, ["ls-files", "-z", "--", ...names]);
      const held = new Set(stdout.toString("utf8").split("\0"));
      for (const [index, { path }] of own.entries()) if (held.has(names[index] ?? "")) tracked.add(path);
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
    }
  }
  return tracked;
}
