import { basename, dirname, join, relative, sep } from "node:path";
import { gitTree } from "../git/git-tree.js";
import { type Comparison, documentOf, pathsBelow, textAt, unusable } from "./compared-commit.js";
import { configName, isEntered } from "./find-configurations.js";
import { type BrokenStack, type Stack, configOf, stacksOf } from "./list-stacks.js";

/** A stack that the compared commit has, and that no configuration goes on with. */
export interface RemovedStack extends Pick<Stack, "config" | "environment" | "baseUrl"> {
  readonly stack: string;
  /** What the same configuration names its stack now; null = configuration or environment are gone. */
  readonly renamed: string | null;
  readonly commit: string;
}

/** Not those that another configuration goes on with: at the same address, or in `previousStacks`. */
export async function removedStacks(
  present: readonly Stack[],
  broken: readonly BrokenStack[],
  comparison: Comparison,
): Promise<readonly RemovedStack[]> {
  const { base, committed, cwd } = comparison;
  const below = pathsBelow(committed, relative(base.repository.workTree, cwd).split(sep).join("/"));
  const configs = below.filter(
    (path) => basename(path) === configName && path.split("/").slice(0, -1).every(isEntered),
  );
  const removed: RemovedStack[] = [];
  for (const config of configs.sort()) {
    // What can't be read may name every stack that it named before.
    if (broken.some((each) => each.config === config)) continue;
    for (const { baseUrl, environment, stack } of await stacksThen(config, comparison)) {
      if (stack === null) continue;
      const now = present.find((each) => each.config === config && each.environment === environment);
      const heirs = present.filter((each) => each === now || each.baseUrl === baseUrl);
      if (now?.stack === null || (await Promise.all(heirs.map((each) => goesOnWith(each, stack, cwd)))).includes(true))
        continue;
      removed.push({ config, environment, stack, baseUrl, renamed: now?.stack ?? null, commit: base.id });
    }
  }
  return removed;
}

async function goesOnWith(heir: Stack, stack: string, cwd: string): Promise<boolean> {
  return heir.stack === stack || (await configOf(cwd, heir)).previousStacks.includes(stack);
}

/** None when the configuration had an error, or was not there. */
async function stacksThen(
  config: string,
  { base, cwd }: Comparison,
): Promise<readonly Pick<Stack, "environment" | "stack" | "baseUrl">[]> {
  const text = await textAt(await gitTree(base, dirname(join(cwd, config))), configName);
  const document = text === null ? null : documentOf(text);
  if (text === null || document === null) return [];
  return stacksOf(Object.keys(document.environments ?? {}), async (environment) => {
    const then = await configOf(cwd, { config, environment }, text).catch(unusable);
    return then === null ? null : { environment, stack: then.stack, baseUrl: then.api.baseUrl };
  });
}
