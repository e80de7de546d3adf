import { posix } from "node:path";
import { FetchProblem } from "./fetch-tip.js";
import type { SourceCommit } from "./source-reader.js";

/** The directories that can hold what a source's stacks are made from, as far as the fleet file says; "" = the top. */
export function directoriesOf(configs: readonly string[]): readonly string[] {
  return [...new Set(configs.map((config) => directoryOf(config.replace(/\*.*$/su, "x"))))];
}

/**
 * The directory of each stack of a commit.
 * @param configs paths of configurations, and patterns with one `*`
 * @throws FetchProblem `unsigned` when one of the configurations is a link: where it leads, nobody looks who signed that
 */
export async function stackDirectories(commit: SourceCommit, configs: readonly string[]): Promise<readonly string[]> {
  if (configs.length === 0) return [];
  const found = await Promise.all(
    configs.map(async (config) => (config.includes("*") ? commit.findConfigs(config) : [{ path: config }])),
  );
  const tree = await commit.tree("", null);
  for (const { path } of found.flat()) {
    if ((await tree.identity(path).catch(() => null)) === path) continue;
    throw new FetchProblem("unsigned", `${path} leads elsewhere, to what nobody may have signed: commit it as a file`);
  }
  const ids = await commit.directoryIds([...new Set(found.flat().map(({ path }) => directoryOf(path)))]);
  return [...ids].flatMap(([directory, id]) => (id === null ? [] : [directory]));
}

/** The directory of a configuration in its repository; "" is the top. */
export function directoryOf(path: string): string {
  const directory = posix.dirname(path);
  return directory === "." ? "" : directory;
}
