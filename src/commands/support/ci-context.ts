import { createHash } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Result } from "../../apply/result.js";
import type { CiHost, CiRun } from "../../ci/ci-host.js";
import type { SendRequest } from "../../ci/host-api.js";
import { EdgewiseError, misuse } from "../../core/errors.js";
import { findRepository } from "../../git/find-repository.js";
import { resolveCommit } from "../../git/resolve-commit.js";
import { linesOf, runGit } from "../../git/run-git.js";
import type { Drift } from "../../plan/drift-findings.js";
import type { Plan } from "../../plan/plan-format.js";
import type { StackReport } from "../../report/stacks-report.js";
import type { Stack } from "../../stacks/list-stacks.js";
import { touchedStacks } from "../../stacks/touched-stacks.js";
import type { CommandIo, Io } from "./command-io.js";
import type { AllFlags, PlanFlags } from "./command-options.js";
import { type SelectedStacks, checkOrigins, findStacks, warnOfRemoved } from "./find-stacks.js";
import { writeOutput } from "./output.js";

export interface CiFlags extends PlanFlags, AllFlags {
  readonly dryRun?: boolean;
  readonly slug?: string;
  readonly approved?: string;
  /** Milliseconds. */
  readonly expiresWithin?: number;
}

export interface CiContext {
  readonly flags: CiFlags;
  readonly io: CommandIo;
  readonly run: CiRun;
  readonly host: CiHost;
  readonly send: SendRequest;
  /** The parsed file that describes the event; null = there is none. */
  readonly event: unknown;
}

export interface CiReport extends StackReport {
  readonly plan?: Plan;
  readonly drift?: Drift;
  readonly result?: Result;
}

export const plansDirectory = "edgewise-plans";

export function planFile(slug: string): string {
  return join(plansDirectory, `${slug}.json`);
}

/** Makes the directory of plans anew: what is there may come with the checkout. */
export async function freshDirectory({ cwd }: CommandIo): Promise<void> {
  const directory = join(cwd, plansDirectory);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
}

export async function keepFile(name: string, text: string, io: CommandIo): Promise<void> {
  await writeOutput(join(plansDirectory, name), text, io);
}

export function plansToApply(reports: readonly CiReport[]): ReadonlyMap<string, Plan> {
  const toApply = reports.filter(({ exit }) => exit === 2);
  return new Map(toApply.flatMap(({ plan, slug }) => (slug === null || plan === undefined ? [] : [[slug, plan]])));
}

/** One hash for the plans of several stacks, by slug; empty when there are none. */
export function hashOfPlans(plans: ReadonlyMap<string, Pick<Plan, "hash">>): string {
  if (plans.size === 0) return "";
  const lines = [...plans].map(([slug, { hash }]) => `${slug} ${hash}\n`).toSorted();
  return `sha256:${createHash("sha256").update(lines.join("")).digest("hex")}`;
}

/**
 * The stacks that a run is about: those that were asked for; those that a change touches; those that a push left different
 * from what was applied last; or all.
 */
export async function selectStacks(context: CiContext): Promise<SelectedStacks> {
  const { flags, io, run } = context;
  const base = flags.changedSince ?? run.base ?? undefined;
  const found = await findStacks(base, io);
  checkOrigins([...found.all, ...found.removed], flags, io);
  warnOfRemoved(found, io.log);
  const slugs = flags.slug === undefined ? run.asked.slugs : [flags.slug];
  const unknown = slugs.find((slug) => found.all.every((each) => each.slug !== slug));
  if (unknown !== undefined) {
    throw misuse(`there is no stack ${JSON.stringify(unknown)}`, "`edgewise stacks -o json` lists the slug of each.");
  }
  if (slugs.length > 0) return { ...found, stacks: found.all.filter(({ slug }) => slugs.includes(slug)) };
  const compares = base === undefined && run.event === "push";
  const stacks = compares ? await unapplied(found.stacks, run, io) : found.stacks;
  if (stacks.length + found.broken.length + found.removed.length === 0) io.log.info("This touches no stack.");
  return { ...found, stacks };
}

/** Those that differ from what was applied, whichever commit is the older one. */
async function unapplied(stacks: readonly Stack[], run: CiRun, io: Io): Promise<readonly Stack[]> {
  const applied = await appliedCommits(run, io);
  const selected = new Set<string>();
  for (const commit of new Set(stacks.map(({ slug }) => applied.get(slug)))) {
    const some = stacks.filter(({ slug }) => applied.get(slug) === commit);
    const touched = commit === undefined ? some : await touchedSince(commit, some, io);
    for (const { slug } of touched) selected.add(slug);
  }
  return stacks.filter(({ slug }) => selected.has(slug));
}

async function touchedSince(ref: string, stacks: readonly Stack[], io: Io): Promise<readonly Stack[]> {
  try {
    return (await touchedStacks({ stacks, broken: [] }, { cwd: io.cwd, ref, host: io, direct: true })).stacks;
  } catch (error) {
    // A commit that can't be compared with says nothing: then every stack is planned.
    if (error instanceof EdgewiseError && error.code === "git") return stacks;
    throw error;
  }
}

/** The commits that stacks were applied from last, by slug. */
export async function appliedCommits({ appliedRefs }: CiRun, io: Io): Promise<ReadonlyMap<string, string>> {
  const repository = await findRepository(io.cwd, io);
  const start = `${appliedRefs}edge-applied-`;
  const answer = await runGit(repository, ["for-each-ref", "--format=%(objectname) %(refname)", `${start}*`]);
  return new Map(
    linesOf(answer).map((line) => {
      const [id = "", name = ""] = line.split(" ");
      return [name.slice(start.length), id];
    }),
  );
}

export async function isPartOf(commit: string, of: string, io: Io): Promise<boolean> {
  const repository = await findRepository(io.cwd, io);
  const ids = [await resolveCommit(repository, commit), await resolveCommit(repository, of)];
  return (await runGit(repository, ["merge-base", "--is-ancestor", ...ids])).ok;
}

export async function commitOf(ref: string, io: Io): Promise<string> {
  return resolveCommit(await findRepository(io.cwd, io), ref);
}

export async function refuseUnmerged(commit: string, run: CiRun, io: Io): Promise<void> {
  const main = run.defaultBranch === null ? "HEAD" : `refs/remotes/origin/${run.defaultBranch}`;
  for (const each of ["HEAD", commit]) {
    if (await isPartOf(each, main, io)) continue;
    const what = each === "HEAD" ? "what is checked out" : `commit ${commit.slice(0, 12)}`;
    throw new EdgewiseError("refused", `${what} is not part of the default branch, so nothing is rolled back to it`, {
      remedy: "Run this on the default branch, and name a commit that was merged.",
      exit: 4,
    });
  }
}
