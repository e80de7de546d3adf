import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { EdgewiseError } from "../errors.js";
import { shellWord } from "../shell-word.js";
import { type Git, type GitHost, isWithin, outsidePaths } from "./git-program.js";
import { startGit } from "./run-git.js";

/** Where a repository is, before anything says that it may be used. Real paths. */
export interface RepositoryPaths {
  readonly workTree: string;
  /** The work tree itself, or the one that it lies in: nothing in there is used to run git. */
  readonly outermost: string;
  /** `workTree/.git` as it stands there: a directory, a link, or a file that names the directory. */
  readonly entry: string;
  readonly gitDir: string;
  /** Where the configuration, branches and objects are: `gitDir`, or the main repository's for a linked work tree. */
  readonly commonDir: string;
}

/**
 * Refuses a repository that belongs to somebody else, as git does: whoever owns it says what its branches are. Git makes
 * this check only where it looks for the repository itself. `safe.directory` lifts it. Beyond what git looks at, the
 * main repository of a linked work tree counts too.
 * @throws EdgewiseError `git`
 */
export async function checkOwnership(place: RepositoryPaths, git: Git, host: GitHost): Promise<void> {
  const { workTree, outermost, entry, gitDir, commonDir } = place;
  if (host.uid === null) {
    await askGit(place, git, host);
    return;
  }
  const own = ownIds(host.uid, host);
  for (const path of new Set([entry, workTree, gitDir, commonDir])) {
    const { uid } = await lstat(path);
    if (own.has(uid)) continue;
    if (await isSafe(workTree, await safeDirectories(outermost, git, host), host)) return;
    throw notTrusted(workTree, `${path} belongs to the user id ${uid}, and edgewise runs as ${host.uid}`);
  }
}

/** Root may use what belongs to whoever called `sudo`. */
function ownIds(uid: number, { env }: GitHost): ReadonlySet<number> {
  const caller = env["SUDO_UID"] ?? "";
  return new Set(uid === 0 && /^\d{1,10}$/u.test(caller) ? [uid, Number(caller)] : [uid]);
}

/**
 * The values of `safe.directory` in git's order: system, user, then `GIT_CONFIG_COUNT`. Never the repository's own: git
 * is pointed at no repository, and a configuration that lies in the work tree is not read either.
 */
async function safeDirectories(workTree: string, git: Git, host: GitHost): Promise<readonly string[]> {
  const { ok, exit, stdout, stderr } = await startGit({
    git,
    cwd: parse(workTree).root,
    environment: { ...(await trustedEnvironment(workTree, git, host)), GIT_DIR: "/dev/null" },
    args: ["config", "-z", "--get-all", "safe.directory"],
  });
  // 1 = there is none
  if (!ok && exit !== 1) throw new EdgewiseError("git", `git can't read its configuration: ${stderr}`);
  return [...stdout.toString("utf8").split("\0").slice(0, -1), ...fromEnvironment(host)];
}

/** With the configuration of the system and the user, both of which git otherwise does without. */
async function trustedEnvironment(
  workTree: string,
  git: Git,
  host: GitHost,
): Promise<{ readonly [name: string]: string }> {
  const { GIT_CONFIG_NOSYSTEM: _, GIT_CONFIG_SYSTEM: system, GIT_CONFIG_GLOBAL: global, ...rest } = git.environment;
  const noSystem = host.env["GIT_CONFIG_NOSYSTEM"];
  return {
    ...rest,
    ...(await outsidePaths(host, ["XDG_CONFIG_HOME", "USERPROFILE", "PROGRAMDATA"], workTree)),
    // One that is named and can't be used is replaced by nothing, not by what git would read without it.
    ...(host.env["GIT_CONFIG_SYSTEM"] === undefined || system === undefined ? {} : { GIT_CONFIG_SYSTEM: system }),
    ...(host.env["GIT_CONFIG_GLOBAL"] === undefined || global === undefined ? {} : { GIT_CONFIG_GLOBAL: global }),
    ...(await outsidePaths(host, ["GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"], workTree)),
    ...(noSystem === undefined ? {} : { GIT_CONFIG_NOSYSTEM: noSystem }),
  };
}

/** `GIT_CONFIG_KEY_0=safe.directory`, `GIT_CONFIG_VALUE_0=…`. Read here: the other settings may hold tokens. */
function fromEnvironment({ env }: GitHost): readonly string[] {
  const count = Number(env["GIT_CONFIG_COUNT"] ?? "");
  const values: string[] = [];
  for (let index = 0; index < Math.min(count, 1000); index += 1) {
    const value = env[`GIT_CONFIG_VALUE_${index}`];
    if (env[`GIT_CONFIG_KEY_${index}`]?.toLowerCase() === "safe.directory" && value !== undefined) values.push(value);
  }
  return values;
}

/** An empty value forgets those before it, `*` stands for all, and `/path/*` for all below. */
async function isSafe(workTree: string, values: readonly string[], host: GitHost): Promise<boolean> {
  let safe = false;
  for (const value of values) {
    if (value === "") safe = false;
    else if (value === "*" || (await namesWorkTree(value, workTree, host))) safe = true;
  }
  return safe;
}

async function namesWorkTree(value: string, workTree: string, { env }: GitHost): Promise<boolean> {
  const path = value.startsWith("~/") ? join(env["HOME"] ?? "", value.slice(2)) : value;
  if (!isAbsolute(path)) return false;
  const below = path.endsWith("/*");
  const real = await realpath(below ? path.slice(0, -1) : path).catch(() => null);
  if (real === null) return false;
  return below ? real !== workTree && isWithin(workTree, real) : real === workTree;
}

/** Node tells no owners on Windows, so git is let look for the repository, in this one directory. */
async function askGit({ outermost, workTree }: RepositoryPaths, git: Git, host: GitHost): Promise<void> {
  const environment = {
    ...(await trustedEnvironment(outermost, git, host)),
    GIT_CEILING_DIRECTORIES: dirname(workTree),
  };
  const named = fromEnvironment(host).flatMap((value) => ["-c", `safe.directory=${value}`]);
  const { ok, stderr } = await startGit({
    git,
    cwd: workTree,
    environment,
    args: [...named, "rev-parse", "--git-dir"],
  });
  if (!ok) throw notTrusted(workTree, stderr);
}

function notTrusted(workTree: string, why: string): EdgewiseError {
  return new EdgewiseError("git", `the repository of ${workTree} may be another user's and is not used: ${why}`, {
    remedy: `If you trust it: git config --global --add safe.directory ${shellWord(workTree.split(sep).join("/"))}`,
  });
}
