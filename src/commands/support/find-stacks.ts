import { touchedStacks } from "../../stacks/touched-stacks.js";
import { refuseEmptyVariables } from "../../config/setting.js";
import { type BrokenStack, type Stack, listStacks } from "../../stacks/list-stacks.js";
import { stackFlags, stackHeading } from "../../report/stacks-report.js";
import type { RemovedStack } from "../../stacks/removed-stacks.js";
import { count } from "../../core/text.js";
import type { Io } from "./io.js";
import type { Log } from "./log.js";

/** A stack; `changed` with `--changed-since`. */
export interface SelectedStack extends Stack {
  readonly changed?: readonly string[];
}

export interface SelectedStacks {
  readonly stacks: readonly SelectedStack[];
  readonly broken: readonly BrokenStack[];
  /** Those that the change removes; none without `--changed-since`. */
  readonly removed: readonly RemovedStack[];
  /** Those that can be used, whether something changed or not. */
  readonly all: readonly Stack[];
}

/**
 * The stacks below the working directory: all, or those that a change touches.
 * @param ref of `--changed-since`; absent = all
 */
export async function findStacks(ref: string | undefined, io: Pick<Io, "cwd" | "env">): Promise<SelectedStacks> {
  refuseEmptyVariables(io.env);
  const found = await listStacks(io.cwd);
  const { stacks, broken } = found;
  if (ref === undefined) return { stacks, broken, removed: [], all: stacks };
  const touched = await touchedStacks(found, { cwd: io.cwd, ref, host: io });
  return { ...touched, broken, all: stacks };
}

/** Warns of stacks that the change removes or renames: nothing deletes what they own. */
export function warnOfRemoved({ removed }: Pick<SelectedStacks, "removed">, log: Log): void {
  for (const each of removed) log.warning(`${removedSentence(each)} ${removedRemedy(each)}`);
}

/** What a change does to a stack that it removes or renames. */
export function removedSentence({ renamed, stack, ...place }: RemovedStack): string {
  const own = JSON.stringify(stack);
  if (renamed === null)
    return `${stackHeading(place)} was removed, and nothing else names its stack ${own}: what that owns stays live, and no pipeline sees it.`;
  return `${stackHeading(place)} names its stack ${JSON.stringify(renamed)} instead of ${own}: what ${own} owns stays live, and is created a second time or refused.`;
}

export function removedRemedy({ commit, renamed, stack, ...place }: RemovedStack): string {
  const own = `\`previousStacks: [${JSON.stringify(stack)}]\``;
  const where = renamed === null ? "in the configuration of the stack that takes it over" : `in ${stackHeading(place)}`;
  return `To keep it, write ${own} ${where}. To delete it, run \`edgewise destroy --ref ${commit.slice(0, 12)} ${stackFlags(place)}\` first.`;
}

/** The sentence for a change that touches no stack. */
export function nothingChanged({ all }: Pick<SelectedStacks, "all">, ref: string): string {
  return `Nothing that changed since ${ref} touches ${all.length === 1 ? "the stack" : `one of the ${count(all.length, "stack")}`}.`;
}
