import { checkBaseUrl } from "../../config/api-config.js";
import { refuseEmptyVariables } from "../../config/setting.js";
import { EdgewiseError } from "../../core/errors.js";
import { count } from "../../core/text.js";
import { allFormats, stackFlags, stackHeading } from "../../report/stacks-report.js";
import { type BrokenStack, type Stack, listStacks } from "../../stacks/list-stacks.js";
import { type RemovedStack, touchedStacks } from "../../stacks/touched-stacks.js";
import type { Io, Log } from "./command-io.js";
import type { AllFlags, PlanFlags } from "./command-options.js";

export interface SelectedStacks {
  readonly stacks: readonly Stack[];
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
export async function findStacks(ref: string | undefined, io: Io): Promise<SelectedStacks> {
  refuseEmptyVariables(io.env);
  const found = await listStacks(io.cwd);
  const { stacks, broken } = found;
  if (ref === undefined) return { stacks, broken, removed: [], all: stacks };
  const touched = await touchedStacks(found, { cwd: io.cwd, ref, host: io });
  return { ...touched, broken, all: stacks };
}

/** Warns of stacks that the change removes or renames: nothing deletes what they own. */
export function warnOfRemoved({ removed }: SelectedStacks, log: Log): void {
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

/** Says so when a change touches no stack. */
export function sayNothingChanged({ all, broken, stacks }: SelectedStacks, ref: string | undefined, log: Log): void {
  const which = all.length === 1 ? "the stack" : `one of the ${count(all.length, "stack")}`;
  if (stacks.length + broken.length === 0) log.info(`Nothing that changed since ${ref ?? ""} touches ${which}.`);
}

/** What selects one stack, or is one stack's alone. Which stacks there are is read from the disk. */
const perStack = [
  "config",
  "environment",
  "stack",
  "file",
  "only",
  "exclude",
  "label",
  "out",
  "offline",
  "ref",
  "approved",
  "destroy",
  "journal",
];

const selecting = ["EDGEWISE_CONFIG", "EDGEWISE_ENVIRONMENT", "EDGEWISE_STACK"] as const;

export function refuseSelection(flags: PlanFlags, { env }: Io): void {
  const flag = perStack.find((name) => Object.hasOwn(flags, name));
  if (flag !== undefined) {
    throw new EdgewiseError("usage", `--${flag} can't be used with --all, which runs for every stack`, {
      remedy: `Leave out --all or --${flag}. \`edgewise stacks\` shows the flags that select each stack.`,
    });
  }
  const variable = selecting.find((name) => env[name] !== undefined);
  if (variable !== undefined) {
    throw new EdgewiseError("config", `${variable} is set, but --all runs for every stack`, {
      remedy: `Unset ${variable}, or leave out --all.`,
    });
  }
  if (flags.output !== undefined && !allFormats.some((format) => format === flags.output)) {
    throw new EdgewiseError("usage", `--output ${flags.output} can't be used with --all`, {
      remedy: `Use ${allFormats.join(", ")}, or run the command for each stack that \`edgewise stacks\` lists.`,
    });
  }
}

/**
 * The API key goes to one origin, unless flags name each: a new configuration must not be able to send it elsewhere. With
 * `EDGEWISE_BASE_URL`, each stack's configuration is held to that when it is loaded.
 * @param stacks all of them, whether they run or not
 */
export function checkOrigins(
  stacks: readonly Pick<Stack, "baseUrl" | "config">[],
  flags: PlanFlags & AllFlags,
  { env }: Io,
): void {
  if ((flags.baseUrl ?? env["EDGEWISE_BASE_URL"]) !== undefined) return;
  const configs = new Map<string, string>();
  for (const { baseUrl, config } of stacks.toReversed()) {
    if (baseUrl !== null) configs.set(new URL(baseUrl).origin, config);
  }
  const allowed = flags.allowOrigin?.map(originOf) ?? (configs.size === 1 ? [...configs.keys()] : []);
  const others = [...configs].filter(([origin]) => !allowed.includes(origin)).toReversed();
  if (others.length === 0) return;
  const named = others.map(([origin, config]) => `${origin} (${config})`).join(", ");
  throw new EdgewiseError("config", `nothing says that the API key may be sent to ${named}`, {
    remedy: `Set EDGEWISE_BASE_URL to the one address that the key is for, or give ${others.map(([origin]) => `--allow-origin ${origin}`).join(" ")}.`,
  });
}

function originOf(url: string): string {
  const checked = checkBaseUrl(url, true);
  if ("origin" in checked) return checked.origin;
  throw new EdgewiseError("usage", `--allow-origin ${checked.problem}`, { remedy: checked.remedy });
}

export function runsForAll({ all, allowOrigin, changedSince }: AllFlags): boolean {
  if (all === true) return true;
  if (allowOrigin !== undefined) {
    throw new EdgewiseError("usage", "--allow-origin needs --all", {
      remedy: "Add --all, or leave it out: one stack sends the key only to its own base URL.",
    });
  }
  if (changedSince === undefined) return false;
  throw new EdgewiseError("usage", "--changed-since selects stacks, so it needs --all", {
    remedy: "Add --all. To see who changed what in one stack, use --base.",
  });
}
