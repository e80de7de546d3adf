import { type Stats, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { othersAccess, ownUid } from "../files/others-access.js";
import { NotFollowed, followLinks, isInside, workTreeOf } from "../files/real-path.js";
import type { ConfigInput } from "./config.js";
import { setting } from "./setting.js";

export const configName = "edgewise.yaml";

/** `--config`, else `EDGEWISE_CONFIG`, else the nearest `edgewise.yaml` upward; null = none. */
export function findConfig(input: ConfigInput): string | null {
  const { cwd } = input;
  const named = setting("config", input);
  if (named !== null) {
    const path = resolve(cwd, named.value);
    const stats = statOf(path);
    if (stats?.isFile() === true) return path;
    const why = stats === null ? "does not exist" : "is not a file";
    const remedy = `Name a file like ${configName}, relative to ${cwd}.`;
    throw new EdgewiseError("config", `the configuration ${named.value}, named by ${named.name}, ${why}`, { remedy });
  }
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    const path = join(directory, configName);
    if (statOf(path)?.isFile() === true) return path;
    if (dirname(directory) === directory) return null;
  }
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

const systemDirectories = ["/proc", "/sys", "/dev"];

/** The configuration's real path. Links in a Git work tree, or in a directory that was searched, must stay inside. */
export function configTarget(file: string, cwd: string, named: boolean): string {
  const workTree = workTreeOf(dirname(file));
  try {
    const path = followLinks(file, [...(workTree === null ? [] : [workTree]), cwd, ...(named ? [] : [dirname(file)])]);
    if ([file, path].some((each) => systemDirectories.some((system) => isInside(system, each))))
      throw new NotFollowed("files in /proc, /sys and /dev belong to the system", "Name a file with -c.");
    return path;
  } catch (cause) {
    const [why, remedy] =
      cause instanceof NotFollowed
        ? [`used as the configuration: ${cause.message}`, cause.remedy]
        : ["read: it can't be opened", "Check its permissions."];
    throw new EdgewiseError("config", `${file} can't be ${why}`, { remedy, cause });
  }
}

/** Who can change the configuration decides what is applied where. */
export function checkAccess(file: string): void {
  const found = statOf(file);
  const { everybodyWrites } = found === null ? { everybodyWrites: null } : othersAccess(found, ownUid());
  if (everybodyWrites === null) return;
  const remedy = `Run \`chmod o-w ${file}\`, or set the umask.`;
  throw new EdgewiseError("config", `${basename(file)} ${everybodyWrites}`, { remedy });
}
