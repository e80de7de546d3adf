import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, sep } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { isInside } from "../files/real-path.js";
import { limits } from "../core/limits.js";

export interface GitHost {
  readonly env: { readonly [name: string]: string | undefined };
}

export type Git = Readonly<{
  program: string;
  environment: { readonly [name: string]: string };
  deadline: number;
}>;

const isWindows = sep === "\\";

const nullDevice = "/dev/null";

/** A repository's configuration may name programs, or show another history. */
export const gitSettings: readonly string[] = [
  "safe.bareRepository=explicit protocol.allow=never core.fsmonitor=false core.hooksPath=/dev/null",
  "core.attributesFile=/dev/null core.warnAmbiguousRefs=true core.alternateRefsCommand=false core.askPass=",
  "core.editor=false core.gitProxy= core.pager=cat core.sshCommand=false core.commitGraph=false",
  "credential.helper= diff.external= gpg.program=false uploadpack.packObjectsHook= gc.auto=0",
  "maintenance.auto=false submodule.recurse=false fetch.recurseSubmodules=false",
  "advice.graftFileDeprecated=false",
].flatMap((line) => line.split(" "));

const switches = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: nullDevice,
  GIT_CONFIG_GLOBAL: nullDevice,
  GIT_ATTR_NOSYSTEM: "1",
  // No transport at all: works in every version, and no configuration overrides it. Git 2.39.4 and 2.45.1 or later don't
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
  // Two megabytes of a push can inflate to hundreds.
  GIT_ALLOC_LIMIT: String(limits.gitAllocationBytes),
  LC_ALL: "C",
} as const;

/**
 * Only absolute directories outside of the work tree count: a pull request may add a `git`, and npm puts the work tree's
 * `node_modules/.bin` on the PATH.
 */
export async function findGit(host: GitHost, workTree: string): Promise<Git> {
  const { PATH = "", SYSTEMROOT = "" } = host.env;
  const directories: string[] = [];
  for (const directory of PATH.split(delimiter)) if (await isOutside(directory, workTree)) directories.push(directory);
  const environment = {
    PATH: directories.join(delimiter),
    ...(await outsidePaths(host, ["HOME"], workTree)),
    // The second keeps programs of the current directory from running.
    ...(isWindows ? { SYSTEMROOT, NoDefaultCurrentDirectoryInExePath: "1" } : {}),
    ...switches,
  };
  const program = await trustedProgram({ environment }, "git", workTree);
  if (program !== null) return { program, environment, deadline: 120_000 };
  throw new EdgewiseError(
    "git",
    "git can't be run: it is not installed, or not on the PATH",
    "Install git, or leave out --base, --ref and --changed-since. Of the PATH only absolute directories outside of the work tree count.",
  );
}

/** From the directories that {@link findGit} trusts. */
export async function trustedProgram(
  { environment }: Pick<Git, "environment">,
  name: string,
  workTree: string,
): Promise<string | null> {
  for (const directory of (environment["PATH"] ?? "").split(delimiter)) {
    const candidate = join(directory, isWindows ? `${name}.exe` : name);
    const found = await access(candidate, constants.X_OK).then(
      () => stat(candidate),
      () => null,
    );
    if (found?.isFile() === true && (await isOutside(candidate, workTree))) return candidate;
  }
  return null;
}

/** Only paths outside of the work tree. */
export async function outsidePaths(
  { env }: GitHost,
  names: readonly string[],
  workTree: string,
): Promise<{ readonly [name: string]: string }> {
  const kept: { [name: string]: string } = {};
  for (const name of names) {
    const path = env[name];
    if (path !== undefined && (await isOutside(path, workTree))) kept[name] = path;
  }
  return kept;
}

async function isOutside(path: string, workTree: string): Promise<boolean> {
  // On Windows `\bin` counts as absolute, but depends on the current drive.
  if (!isAbsolute(path) || (isWindows && /^[\\/](?![\\/])/u.test(path))) return false;
  const real = await realpath(path).catch(() => path);
  return !isInside(workTree, real) && !isInside(workTree, path);
}
