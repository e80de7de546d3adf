import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { EdgewiseError } from "../errors.js";

/** What of this process git's use depends on. */
export interface GitHost {
  readonly env: { readonly [name: string]: string | undefined };
  readonly platform: NodeJS.Platform;
  /** The effective user id; null where there is none (Windows). */
  readonly uid: number | null;
}

/** The program that is run, and all that it gets. */
export interface Git {
  /** Absolute, and outside of the work tree. */
  readonly program: string;
  readonly environment: { readonly [name: string]: string };
  /** How long one run may take, in milliseconds. */
  readonly deadline: number;
}

/** Git for Windows knows this name too. */
const nullDevice = "/dev/null";

/**
 * What overrides a repository's own configuration, which may have been written by anybody: whatever names a program, and
 * whatever shows another history than the commits themselves. Only commands that read objects are run and none of them
 * needs any of this; it is switched off so that a change of git, or of what is asked of it, opens no way.
 */
export const gitSettings: readonly string[] = [
  "safe.bareRepository=explicit",
  "protocol.allow=never",
  "core.fsmonitor=false",
  `core.hooksPath=${nullDevice}`,
  `core.attributesFile=${nullDevice}`,
  "core.alternateRefsCommand=false",
  "core.askPass=",
  "core.editor=false",
  "core.gitProxy=",
  "core.pager=cat",
  "core.sshCommand=false",
  "core.commitGraph=false",
  "credential.helper=",
  "diff.external=",
  "gpg.program=false",
  "uploadpack.packObjectsHook=",
  "gc.auto=0",
  "maintenance.auto=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "advice.graftFileDeprecated=false",
];

/** The same for what git takes from its environment. The first three keep the configuration of user and system out. */
const switches = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: nullDevice,
  GIT_CONFIG_GLOBAL: nullDevice,
  GIT_ATTR_NOSYSTEM: "1",
  // No transport at all. It holds for every version, and no configuration beats it; git 2.39.4 and 2.45.1 or later don't
  // even try to fetch a missing object.
  GIT_ALLOW_PROTOCOL: "",
  GIT_PROTOCOL_FROM_USER: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: nullDevice,
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  GIT_SSH_COMMAND: "false",
  GIT_PROXY_COMMAND: "",
  GIT_EDITOR: "false",
  GIT_PAGER: "cat",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_ADVICE: "0",
  // Messages are shown among English ones.
  LC_ALL: "C",
} as const;

/**
 * Finds git on the PATH. Only absolute directories outside of the work tree count, for git itself and for the PATH that
 * it gets: the work tree may hold a `git` that a pull request brought, and `node_modules/.bin` of the work tree is on
 * the PATH whenever npm starts edgewise.
 * @param workTree a real path; null when there is none
 * @throws EdgewiseError `git` when there is no git
 */
export async function findGit(host: GitHost, workTree: string | null): Promise<Git> {
  const directories: string[] = [];
  let program: string | null = null;
  for (const directory of (pathOf(host) ?? "").split(host.platform === "win32" ? ";" : ":")) {
    if (!(await isOutside(directory, workTree))) continue;
    directories.push(directory);
    const candidate = join(directory, host.platform === "win32" ? "git.exe" : "git");
    if (program === null && (await isProgram(candidate)) && (await isOutside(candidate, workTree))) program = candidate;
  }
  if (program === null) {
    throw new EdgewiseError("git", "git can't be run: it is not installed, or not on the PATH", {
      remedy:
        "Install git, or leave --base out. Relative directories of the PATH, and those in the work tree, don't count.",
    });
  }
  const environment = {
    PATH: directories.join(host.platform === "win32" ? ";" : ":"),
    ...(await outsidePaths(host, ["HOME"], workTree)),
    ...(host.platform === "win32" ? windowsNeeds(host) : {}),
    ...switches,
  };
  return { program, environment, deadline: 120_000 };
}

/** Those of the variables that hold an absolute path outside of the work tree. */
export async function outsidePaths(
  host: GitHost,
  names: readonly string[],
  workTree: string | null,
): Promise<{ readonly [name: string]: string }> {
  const kept: { [name: string]: string } = {};
  for (const name of names) {
    const path = host.env[name];
    if (path !== undefined && (await isOutside(path, workTree))) kept[name] = path;
  }
  return kept;
}

/** Whether one path is another, or lies below it. */
export function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function isOutside(path: string, workTree: string | null): Promise<boolean> {
  // On Windows `\bin` is absolute in name only: it depends on the current drive.
  if (!isAbsolute(path) || (sep === "\\" && /^[\\/](?![\\/])/u.test(path))) return false;
  if (workTree === null) return true;
  const real = await realpath(path).catch(() => path);
  return !isWithin(real, workTree) && !isWithin(path, workTree);
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** On Windows the variable is often called `Path`. */
function pathOf({ env, platform }: GitHost): string | undefined {
  if (platform !== "win32") return env["PATH"];
  return Object.entries(env).find(([name]) => name.toUpperCase() === "PATH")?.[1];
}

/** Programs of Windows don't start without the first; with the second none is looked for in the current directory. */
function windowsNeeds({ env }: GitHost): { readonly [name: string]: string } {
  const root = Object.entries(env).find(([name]) => name.toUpperCase() === "SYSTEMROOT")?.[1];
  return { ...(root === undefined ? {} : { SYSTEMROOT: root }), NoDefaultCurrentDirectoryInExePath: "1" };
}
