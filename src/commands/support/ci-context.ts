import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Result } from "../../apply/result.js";
import type { CiHost, CiRun } from "../../ci/ci-host.js";
import type { SendRequest } from "../../ci/host-api.js";
import type { Drift } from "../../plan/drift-findings.js";
import type { Plan } from "../../plan/plan-format.js";
import type { StackReport } from "../../report/stacks-report.js";
import type { BrokenStack } from "../../stacks/list-stacks.js";
import { count } from "../../core/text.js";
import { reportAll } from "./all-stacks.js";
import type { SelectedStack } from "./find-stacks.js";
import type { AllFlags, PlanFlags } from "./command-options.js";
import type { GuardedIo } from "./io.js";
import type { Log } from "./log.js";
import { writeOutput } from "./output-files.js";

/** The flags of `ci`, as the program parsed them. */
export interface CiFlags extends PlanFlags, AllFlags {
  readonly dryRun?: boolean;
  /** The slug of one stack. */
  readonly slug?: string;
  /** The hash of all plans that were approved. */
  readonly approved?: string;
  /** Milliseconds. */
  readonly expiresWithin?: number;
}

/** What a step of a pipeline works with. */
export interface CiContext {
  readonly flags: CiFlags;
  readonly io: GuardedIo;
  readonly log: Log;
  readonly run: CiRun;
  readonly host: CiHost;
  readonly send: SendRequest;
  /** The parsed file that describes the event; null = there is none. */
  readonly event: unknown;
}

/** What became of a stack, as data. */
export interface CiReport extends StackReport {
  readonly plan?: Plan;
  readonly drift?: Drift;
  readonly result?: Result;
}

/** Where `ci` writes files, below the working directory. */
export const plansDirectory = "edgewise-plans";

/** The saved plan of a stack. */
export function planFile(slug: string): string {
  return join(plansDirectory, `${slug}.json`);
}

/** Makes the directory of plans anew: what is there may come with the checkout. */
export async function freshDirectory({ cwd }: GuardedIo): Promise<void> {
  const directory = join(cwd, plansDirectory);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
}

/** Writes a file that the pipeline keeps. */
export async function keepFile(name: string, text: string, io: GuardedIo): Promise<void> {
  await writeOutput(join(plansDirectory, name), text, io);
}

/** One hash for the plans of several stacks, by slug; empty when there are none. */
export function hashOfPlans(plans: ReadonlyMap<string, Pick<Plan, "hash">>): string {
  if (plans.size === 0) return "";
  const lines = [...plans].map(([slug, { hash }]) => `${slug} ${hash}\n`).toSorted();
  return `sha256:${createHash("sha256").update(lines.join("")).digest("hex")}`;
}

/** How many stacks run in one batch. */
const mostStacks = 256;

/** Runs a command for each stack; reports hold what it writes. */
export async function runStacks(
  stacks: readonly (BrokenStack | SelectedStack)[],
  { flags, io, log }: CiContext,
  one: Parameters<typeof reportAll<CiFlags>>[1]["one"],
): Promise<readonly StackReport[]> {
  const batches = Math.ceil(stacks.length / mostStacks);
  if (batches > 1) log.info(`${count(stacks.length, "stack")}, in ${batches} batches of at most ${mostStacks}.`);
  const reports: StackReport[] = [];
  for (let first = 0; first < stacks.length; first += mostStacks) {
    const some = stacks.slice(first, first + mostStacks);
    reports.push(...(await reportAll(some, { flags: { ...flags, output: "json" }, io, one })));
  }
  return reports;
}
