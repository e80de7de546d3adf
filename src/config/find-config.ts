import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EdgewiseError } from "../errors.js";
import type { ConfigInput } from "./config.js";
import { setting } from "./setting.js";

/** The name that is looked for. */
export const configName = "edgewise.yaml";

/**
 * Absolute path of the configuration: `--config`, else `EDGEWISE_CONFIG`, else the nearest `edgewise.yaml` from the
 * working directory upward. Null when there is none.
 * @throws EdgewiseError `config` when a named one is missing
 */
export async function findConfig({ cwd, env, flags }: ConfigInput): Promise<string | null> {
  const named = setting(flags.config, "--config", env, "EDGEWISE_CONFIG");
  if (named === null) return findUpward(cwd);
  const path = resolve(cwd, named.value);
  if (await isFile(path)) return path;
  throw new EdgewiseError(
    "config",
    `the configuration ${named.value} that ${named.name} names is not there, or no file`,
    {
      remedy: `Correct the path; it is relative to ${cwd}.`,
    },
  );
}

async function findUpward(start: string): Promise<string | null> {
  for (let directory = resolve(start); ; directory = dirname(directory)) {
    const path = join(directory, configName);
    if (await isFile(path)) return path;
    if (dirname(directory) === directory) return null;
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
