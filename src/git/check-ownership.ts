import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { shellWord } from "../core/shell-word.js";
import { isInside } from "../files/follow-links.js";
import { type Git, type GitHost, outsidePaths } from "./git-program.js";
import { gitFailure, startGit } from "./run-git.js";

/** Where a repository is, before it is known whether it may be used. Real paths. */
export interface RepositoryPaths {
  readonly workTree: string;
  /** The work tree itself, or the one that it is inside of: nothing in there is used to run git. */
  readonly outermost: string;
  /** `workTree/.git` itself: a directory, a link, or a file that names the directory. */
  readonly entry: string;
  readonly gitDir: string;
  /** Where the configuration, branches and objects are: `gitDir`, or the main repository's for a linked work tree. */
  readonly commonDir: string;
}

/** What decides whether a repository may be used. */
interface TrustCheck {
  readonly paths: RepositoryPaths;
  readonly git: Git;
  readonly host: GitHost;
}

/**
 * Refuses a repository that belongs to someone else, as git does: its owner decides what its branches are. Git makes this
 * check only when it searches for the repository itself. `safe.directory` overrides it. Unlike git's, this check covers
 * the main repository of a linked work tree, too.
 * @throws EdgewiseError `git`
 */
export async function checkOwnership(check: TrustCheck): Promise<void> {
  const { host, paths } = check;
  const { workTree, entry, gitDir, commonDir } = paths;
  if (host.uid === null) {
    await askGit(check);
    return;
  }
  const own = ownIds(host.uid, host);
  for (const path of new Set([entry, workTree, gitDir, commonDir])) {
    const { uid } = await lstat(path);
    if (own.has(uid)) continue;
    if (await isSafe(workTree, await safeDirectories(check), host)) return;
    throw notTrusted(workTree, `${path} belongs to the user id ${uid}, and edgewise runs as ${host.uid}`);
  }
}

/** Root may use the files of the user who called `sudo`. */
function ownIds(uid: number, { env }: GitHost): ReadonlySet<number> {
  const caller = env["SUDO_UID"] ?? "";
  return new Set(uid === 0 && /^\d{1,10}$/u.test(caller) ? [uid, Number(caller)] : [uid]);
}

/**
 * The values of `safe.directory` in git's order: system, user, then `GIT_CONFIG_COUNT`. Never the repository's own: git
 * gets no repository, and a configuration inside of the work tree is not read either.
 */
async function safeDirectories(check: TrustCheck): Promise<readonly string[]> {
  const answer = await startGit({
    git: check.git,
    cwd: parse(check.paths.outermost).root,
    environment: { ...(await trustedEnvironment(check)), GIT_DIR: "/dev/null" },
    args: ["config", "-z", "--get-all", "safe.directory"],
  });
  // Exit code 1 = there is none.
  if (!answer.ok && answer.exit !== 1) throw gitFailure("read its configuration", answer);
  return [...answer.stdout.toString("utf8").split("\0").slice(0, -1), ...fromEnvironment(check.host)];
}

/** An environment with the configuration of the system and the user, which git otherwise runs without. */
async function trustedEnvironment({ git, host, paths }: TrustCheck): Promise<{ readonly [name: string]: string }> {
  const { outermost } = paths;
  const { GIT_CONFIG_NOSYSTEM: _, GIT_CONFIG_SYSTEM: system, GIT_CONFIG_GLOBAL: global, ...rest } = git.environment;
  const noSystem = host.env["GIT_CONFIG_NOSYSTEM"];
  return {
    ...rest,
    ...(await outsidePaths(host, ["XDG_CONFIG_HOME", "USERPROFILE", "PROGRAMDATA"], outermost)),
    // A variable that names an unusable file means no configuration, not the one that git would read without it.
    ...(host.env["GIT_CONFIG_SYSTEM"] === undefined || system === undefined ? {} : { GIT_CONFIG_SYSTEM: system }),
    ...(host.env["GIT_CONFIG_GLOBAL"] === undefined || global === undefined ? {} : { GIT_CONFIG_GLOBAL: global }),
    ...(await outsidePaths(host, ["GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"], outermost)),
    ...(noSystem === undefined ? {} : { GIT_CONFIG_NOSYSTEM: noSystem }),
  };
}

/** `GIT_CONFIG_KEY_0=safe.directory`, `GIT_CONFIG_VALUE_0=…`. Read here, and not by git, as other settings may contain tokens. */
function fromEnvironment({ env }: GitHost): readonly string[] {
  const count = Number(env["GIT_CONFIG_COUNT"] ?? "");
  const values: string[] = [];
  for (let index = 0; index < Math.min(count, 1000); index += 1) {
    const value = env[`GIT_CONFIG_VALUE_${index}`];
    if (env[`GIT_CONFIG_KEY_${index}`]?.toLowerCase() === "safe.directory" && value !== undefined) values.push(value);
  }
  return values;
}

/** An empty value drops those before it, `*` matches all work trees, and `/path/*` all below. */
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
  return below ? real !== workTree && isInside(real, workTree) : real === workTree;
}

/** Node knows no owners on Windows, so git itself searches for the repository, in this directory only. */
async function askGit(check: TrustCheck): Promise<void> {
  const { git, host, paths } = check;
  const { workTree } = paths;
  const environment = {
    ...(await trustedEnvironment(check)),
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
  return new EdgewiseError("git", `the repository of ${workTree} may belong to another user and was not used: ${why}`, {
    remedy: `If you trust it: git config --global --add safe.directory ${shellWord(workTree.split(sep).join("/"))}`,
  });
}
