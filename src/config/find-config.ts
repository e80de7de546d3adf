import { type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type Code, codes } from "../diagnostics/codes.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { EdgewiseError } from "../core/errors.js";
import { NotFollowed, type RealPath, followLinks, isInside, workTreeOf } from "../files/real-path.js";
import { othersAccess, ownUid } from "../files/others-access.js";
import { type ConfigInput, ConfigProblems } from "./config.js";
import { setting } from "./setting.js";

/** The name that is searched for. */
export const configName = "edgewise.yaml";

/**
 * The absolute path of the configuration: `--config`, else `EDGEWISE_CONFIG`, else the nearest `edgewise.yaml` in the
 * working directory or above. Null when there is none.
 * @throws EdgewiseError `config` when a named file is missing
 */
export function findConfig({ cwd, env, flags }: ConfigInput): string | null {
  const named = setting(flags.config, "--config", env, "EDGEWISE_CONFIG");
  if (named === null) return findUpward(cwd);
  const path = resolve(cwd, named.value);
  if (isFile(path)) return path;
  const why = statOf(path) === null ? "does not exist" : "is not a file";
  throw new EdgewiseError("config", `the configuration ${named.value}, named by ${named.name}, ${why}`, {
    remedy: `Name a file like ${configName}, relative to ${cwd}.`,
  });
}

function findUpward(start: string): string | null {
  for (let directory = resolve(start); ; directory = dirname(directory)) {
    const path = join(directory, configName);
    if (isFile(path)) return path;
    if (dirname(directory) === directory) return null;
  }
}

function isFile(path: string): boolean {
  return statOf(path)?.isFile() === true;
}

/** Null when there is no such file, or it can't be found out. */
function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Virtual files of the system: environments, memory and devices, never a configuration. */
const systemDirectories = ["/proc", "/sys", "/dev"];

/**
 * Follows the symbolic links of a configuration's path. A link in a Git work tree, or in a directory that was searched,
 * must stay inside and must not lead to anything hidden, because a pull request could make it lead to any file of the
 * runner; then none of its text is quoted, either. Links elsewhere, which the operator made, are followed.
 * @param file absolute
 * @param cwd absolute
 * @param named whether the operator named the file; otherwise it was searched for
 * @throws EdgewiseError `config`
 */
export function configTarget(file: string, cwd: string, named: boolean): RealPath {
  const workTree = workTreeOf(dirname(file));
  try {
    const found = followLinks(file, [...(workTree === null ? [] : [workTree]), cwd, ...(named ? [] : [dirname(file)])]);
    if ([file, found.path].some((each) => systemDirectories.some((system) => isInside(system, each)))) {
      throw new NotFollowed("files in /proc, /sys and /dev belong to the system", "Name a file with -c.");
    }
    return found;
  } catch (cause) {
    if (cause instanceof NotFollowed) {
      throw new EdgewiseError("config", `${file} can't be used as the configuration: ${cause.message}`, {
        remedy: cause.remedy,
        cause,
      });
    }
    throw new EdgewiseError("config", `${file} can't be read: it can't be opened`, {
      remedy: "Check its permissions.",
      cause,
    });
  }
}

/**
 * Checks who else can change the configuration, because it decides what is applied where. A file of another user is a
 * warning, since containers often use a checkout of their host. That others can read it is how Git checks files out; that
 * its group can write it is the default on distributions where every user has their own group.
 * @param file absolute
 * @throws ConfigProblems when every user can write it
 */
export function checkAccess(file: string): readonly Diagnostic[] {
  const found = statOf(file);
  // Reading the file will report it.
  if (found === null) return [];
  const { everybodyWrites, owns } = othersAccess(found, ownUid());
  if (everybodyWrites !== null) {
    throw new ConfigProblems(basename(file), [diagnostic(file, "config-writable", everybodyWrites)]);
  }
  return owns === null ? [] : [diagnostic(file, "config-foreign", owns)];
}

function diagnostic(file: string, code: Extract<Code, `config-${string}`>, words: string): Diagnostic {
  const { remedy, severity } = codes[code];
  const name = basename(file);
  return { severity, code, message: `${name} ${words}`, remedy, file: name, line: 1, column: 1, address: null };
}
