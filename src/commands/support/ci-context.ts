import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import type { CiHost } from "../../ci/ci-host.js";
import type { CiRun } from "../../ci/ci-run.js";
import type { Result } from "../../apply/result.js";
import type { Drift } from "../../plan/drift-findings.js";
import type { Plan } from "../../plan/plan-format.js";
import type { StackReport } from "../../report/all-stacks-report.js";
import type { BrokenStack } from "../../stacks/list-stacks.js";
import { count } from "../../text/layout.js";
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
const plansDirectory = "edgewise-plans";

export function plansPath(name: string): string {
  return join(plansDirectory, name);
}

/** The saved plan of a stack. */
export function planFile(slug: string): string {
  return plansPath(`${slug}.json`);
}

export async function writeFile(name: string, text: string, io: GuardedIo): Promise<void> {
  await writeOutput(plansPath(name), text, io);
}

/** Where a stack's manifests are relative to. */
export function rootOf({ config }: Pick<StackReport, "config">, { cwd }: GuardedIo): string {
  return resolve(cwd, config, "..");
}

/** One hash for several plans: that of each, by its slug. */
export function hashOfPlans(plans: readonly { readonly slug: string; readonly hash: string }[]): string {
  const lines = plans.map(({ hash, slug }) => `${slug} ${hash}\n`).toSorted();
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
  for (let batch = 0; batch < batches; batch += 1) {
    const some = stacks.slice(batch * mostStacks, (batch + 1) * mostStacks);
    reports.push(...(await reportAll(some, { flags: { ...flags, output: "json" }, io, one })));
  }
  return reports;
}
