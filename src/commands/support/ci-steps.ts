import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CiHost, CiRun } from "../../ci/ci-host.js";
import type { SendRequest } from "../../ci/host-api.js";
import { EdgewiseError, misuse } from "../../core/errors.js";
import { count, listFew } from "../../core/text.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { findRepository } from "../../git/find-repository.js";
import { resolveCommit } from "../../git/resolve-commit.js";
import { linesOf, runGit } from "../../git/run-git.js";
import { type Plan, shownCommit } from "../../plan/plan-format.js";
import { renderDiagnosticsGitlab } from "../../report/machine-reports.js";
import { type RemovedStack, type Stack, touchedStacks } from "../../stacks/find-stacks.js";
import { applySaved } from "../apply.js";
import { driftOfStack } from "../drift.js";
import { planStack } from "../plan.js";
import { validateStack } from "../validate.js";
import {
  type SelectedStacks,
  type StackReport,
  type StacksRun,
  refuseTwoOwners,
  removedRemedy,
  removedSentence,
  reportAll,
  selectStacks,
} from "./all-stacks.js";
import { type CommandIo, type Io, commandIo } from "./command-io.js";
import type { Flags } from "./command-options.js";
import { savePlan, writeOutput } from "./output.js";
import { everything, planOnly } from "./planning.js";
import { readPlan } from "./saved-plan.js";
import { showError } from "./show-error.js";

export async function ciPlan(context: CiContext): Promise<readonly StackReport[]> {
  const { flags, io, run } = context;
  const { allow, maxDeletes } = run.asked;
  const asked = flags.ref ?? run.asked.ref;
  const ref = asked === null ? null : await commitOf(asked, io);
  if (ref !== null) await refuseUnmerged(ref, run, io);
  const { all, broken, removed, stacks } = await chooseStacks(context);
  await refuseTwoOwners(all, flags, io);
  if (ref !== null && stacks.length !== 1)
    throw misuse("one stack is rolled back at a time", "Name its slug: the input `stack`, or --slug.");
  const more = {
    ...(ref !== null ? { ref } : run.base === null ? {} : { base: run.base }),
    ...(allow.length === 0 ? {} : { allow }),
    ...(maxDeletes !== null && { maxDeletes }),
    detailedExitcode: true,
    offline: run.isFork,
  };
  await freshDirectory(io);
  const one: StacksRun["one"] = (stackIo, own) => planStack(stackIo, { ...own, ...more });
  const reports = await reportAll([...broken, ...stacks], { flags, io, one });
  if (run.isFork) return reports;
  for (const { exit, plan, slug } of reports)
    if (slug !== null && plan !== undefined && exit === 2) await savePlan(plan, planFile(slug), io);
  const ofRemoved = await Promise.all(removed.map(async (each) => removedReport(each, context)));
  return [...reports, ...ofRemoved.flat()];
}

async function removedReport(removed: RemovedStack, { flags, io }: CiContext): Promise<readonly StackReport[]> {
  const { baseUrl, commit, config, environment, stack } = removed;
  const { changedSince: _since, ...shared } = flags;
  const refused = (exit: number, message: string, remedy: string | null): readonly StackReport[] => {
    const error = { code: "stack-removed", message, remedy };
    return [{ config, environment, stack, baseUrl, directory: null, slug: null, exit, error }];
  };
  try {
    const own = { ...shared, config, ref: commit, ...(environment !== null && { environment }) };
    const { plan } = await planOnly(own, commandIo(io, { quiet: true }), everything);
    const owned = plan.changes.map(({ address }) => address);
    if (owned.length === 0) {
      io.log.info(`The stack ${JSON.stringify(stack)} owns nothing that is live.`);
      return [];
    }
    const message = `${removedSentence(removed)} It owns ${count(owned.length, "resource")}: ${listFew(owned, 10)}.`;
    io.log.error(message, removedRemedy(removed));
    return refused(4, message, removedRemedy(removed));
  } catch (error) {
    return refused(await showError(error, io), error instanceof EdgewiseError ? error.message : String(error), null);
  }
}

export async function ciApply(context: CiContext, approvedNow?: string): Promise<readonly StackReport[]> {
  const { flags, io, run } = context;
  const approved = approvedNow ?? flags.approved ?? io.env["EDGEWISE_APPROVED"]?.trim() ?? "";
  if (approved === "") {
    const remedy = "Set EDGEWISE_APPROVED to the output `approved` of `edgewise ci plan`, or give --approved.";
    throw misuse("no plan was approved", remedy);
  }
  const found = await selectStacks(undefined, flags, io);
  const planned: (Stack & { readonly plan: Plan })[] = [];
  for (const stack of found.stacks) {
    const file = planFile(stack.slug);
    if (existsSync(join(io.cwd, file))) planned.push({ ...stack, plan: await readPlan(file, io.cwd) });
  }
  if (hashOfPlans(planned) !== approved)
    throw new EdgewiseError("plan-file", `the plans in ${plansDirectory}/ are not those that were approved`, {
      remedy: "Start the whole pipeline again, and approve what its plan shows.",
      exit: 4,
    });
  for (const { plan } of planned) {
    const shown = shownCommit(plan);
    if (shown !== null) await refuseUnmerged(shown.commit, run, io);
  }
  if (flags.dryRun) {
    io.log.info(`Would apply ${count(planned.length, "plan")}: ${planned.map(({ slug }) => slug).join(", ")}.`);
    return [];
  }
  const unasked = { lock: true, autoApprove: true, quiet: true };
  return reportAll(planned, {
    flags,
    io,
    one: async (stackIo, own, { plan, slug }) => {
      const shown = shownCommit(plan);
      const journal = join(plansDirectory, `${slug}.journal`);
      const ref = shown === null ? {} : { ref: shown.commit };
      const accepted = { ...own, ...unasked, ...ref, journal, approved: plan.hash };
      return { ...(await applySaved(commandIo(stackIo, accepted), plan, accepted)), plan };
    },
  });
}

export async function ciDrift(context: CiContext): Promise<readonly StackReport[]> {
  const { flags, io, run } = context;
  const { broken, stacks } = await chooseStacks(context);
  const applied = await appliedCommits(run, io);
  return reportAll([...broken, ...stacks], {
    flags,
    io,
    one: (stackIo, own, { slug }) => {
      const base = applied.get(slug);
      return driftOfStack(stackIo, { ...own, ...(base !== undefined && { base }) });
    },
  });
}

export async function ciCheck(context: CiContext): Promise<readonly StackReport[]> {
  const { flags, io, run } = context;
  const { broken, stacks } = await chooseStacks(context);
  const found: Diagnostic[] = [];
  const format = run.system === "github" ? "github" : "text";
  const reports = await reportAll([...broken, ...stacks], {
    flags,
    io,
    one: (stackIo, own) => validateStack({ ...stackIo, format }, own, (those) => void found.push(...those)),
  });
  if (run.system === "gitlab") {
    await freshDirectory(io);
    await keepFile("code-quality.json", renderDiagnosticsGitlab(found), io);
  }
  return reports;
}

export type CiContext = Readonly<{
  flags: Flags;
  io: CommandIo;
  run: CiRun;
  host: CiHost;
  send: SendRequest;
  event: unknown;
}>;

const plansDirectory = "edgewise-plans";

function planFile(slug: string): string {
  return join(plansDirectory, `${slug}.json`);
}

/** What is there may come with the checkout. */
export async function freshDirectory({ cwd }: CommandIo): Promise<void> {
  const directory = join(cwd, plansDirectory);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
}

export async function keepFile(name: string, text: string, io: CommandIo): Promise<void> {
  await writeOutput(join(plansDirectory, name), text, io);
}

export function approvalOf(reports: readonly StackReport[]): string {
  return hashOfPlans(reports.filter(({ exit }) => exit === 2));
}

function hashOfPlans(plans: readonly Readonly<{ slug: string | null; plan?: Plan }>[]): string {
  const lines = plans.flatMap(({ plan, slug }) => (slug === null || !plan ? [] : `${slug} ${plan.hash}\n`)).toSorted();
  return lines.length === 0 ? "" : `sha256:${createHash("sha256").update(lines.join("")).digest("hex")}`;
}

async function chooseStacks(context: CiContext): Promise<SelectedStacks> {
  const { flags, io, run } = context;
  const base = flags.changedSince ?? run.base ?? undefined;
  const found = await selectStacks(base, flags, io);
  const slugs = flags.slug === undefined ? run.asked.slugs : [flags.slug];
  const unknown = slugs.find((slug) => found.all.every((each) => each.slug !== slug));
  if (unknown !== undefined)
    throw misuse(`there is no stack ${JSON.stringify(unknown)}`, "`edgewise stacks -o json` lists the slug of each.");
  if (slugs.length > 0) {
    // The others may be another account's, for other jobs.
    const named = found.all.filter(({ slug }) => slugs.includes(slug));
    return { ...found, all: named, stacks: named };
  }
  const compares = base === undefined && run.event === "push";
  const stacks = compares ? await unapplied(found.stacks, run, io) : found.stacks;
  if (stacks.length + found.broken.length + found.removed.length === 0) io.log.info("This touches no stack.");
  return { ...found, stacks };
}

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
    return (await touchedStacks({ stacks, broken: [] }, ref, io, true)).stacks;
  } catch (error) {
    if (error instanceof EdgewiseError && error.code === "git") return stacks;
    throw error;
  }
}

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

async function refuseUnmerged(commit: string, run: CiRun, io: Io): Promise<void> {
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
