import { rm } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError, misuse } from "../../core/errors.js";
import { type Plan, shownCommit } from "../../plan/plan-format.js";
import type { Stack } from "../../stacks/list-stacks.js";
import type { RemovedStack } from "../../stacks/touched-stacks.js";
import { count, listFew } from "../../core/text.js";
import { applyCommand } from "../apply.js";
import { driftCommand } from "../drift.js";
import { planCommand } from "../plan.js";
import { validateCommand } from "../validate.js";
import { checkOrigins, findStacks, removedRemedy, removedSentence } from "./find-stacks.js";
import { reportAll } from "./all-stacks.js";
import {
  type CiContext,
  type CiReport,
  appliedCommits,
  commitOf,
  freshDirectory,
  hashOfPlans,
  keepFile,
  planFile,
  plansDirectory,
  refuseUnmerged,
  selectStacks,
} from "./ci-context.js";
import { commandIo } from "./command-io.js";
import { exists } from "./output.js";
import { everything, planOnly } from "./planning.js";
import { readPlan } from "./saved-plan.js";
import { showError } from "./show-error.js";

/** Plans the stacks of a run, and saves those plans that change something. A fork's are compared with the base's manifests. */
export async function ciPlan(context: CiContext): Promise<readonly CiReport[]> {
  const { flags, io, run } = context;
  const { allow, maxDeletes } = run.asked;
  const asked = flags.ref ?? run.asked.ref;
  const ref = asked === null ? null : await commitOf(asked, io);
  if (ref !== null) await refuseUnmerged(ref, run, io);
  const found = await selectStacks(context);
  const offline = run.isFork;
  if (ref !== null && found.stacks.length !== 1) {
    throw misuse("one stack is rolled back at a time", "Name its slug: the input `stack`, or --slug.");
  }
  const more = {
    ...(ref !== null ? { ref } : run.base === null ? {} : { base: run.base }),
    ...(allow.length === 0 ? {} : { allow }),
    ...(maxDeletes === null ? {} : { maxDeletes }),
  };
  await freshDirectory(io);
  const reports = await reportAll([...found.broken, ...found.stacks], {
    ...asJson(context),
    one: (stackIo, own, account, { slug }) =>
      planCommand(
        stackIo,
        { ...own, ...more, detailedExitcode: true, ...(offline ? { offline } : { out: planFile(slug) }) },
        account,
      ),
  });
  for (const { exit, slug } of reports)
    if (slug !== null && exit !== 2) await rm(join(io.cwd, planFile(slug)), { force: true });
  const planned = reports.map((each) => (each.report === null ? each : { ...each, plan: JSON.parse(each.report) }));
  for (const each of offline ? [] : found.removed) planned.push(...(await removedReport(each, context)));
  return planned;
}

function asJson({ flags, io }: CiContext) {
  return { flags: { ...flags, output: "json" }, io };
}

/** A change that leaves live resources without a stack is refused; one whose stack owns nothing any more is fine. */
async function removedReport(removed: RemovedStack, { flags, io }: CiContext): Promise<readonly CiReport[]> {
  const { baseUrl, commit, config, environment, stack } = removed;
  const about = { config, environment, stack, baseUrl, directory: null, slug: null, report: null };
  const { changedSince: _since, ...shared } = flags;
  try {
    const own = { ...shared, config, ref: commit, ...(environment === null ? {} : { environment }) };
    const { plan } = await planOnly(own, commandIo(io, { quiet: true }), everything);
    const owned = plan.changes.map(({ address }) => address);
    if (owned.length === 0) {
      io.log.info(`The stack ${JSON.stringify(stack)} owns nothing that is live.`);
      return [];
    }
    const message = `${removedSentence(removed)} It owns ${count(owned.length, "resource")}: ${listFew(owned, 10)}.`;
    io.log.error(message, removedRemedy(removed));
    return [{ ...about, exit: 4, error: { code: "stack-removed", message, remedy: removedRemedy(removed) } }];
  } catch (error) {
    const exit = await showError(error, io);
    const message = error instanceof EdgewiseError ? error.message : String(error);
    return [{ ...about, exit, error: { code: "stack-removed", message, remedy: null } }];
  }
}

export async function ciApply(context: CiContext, approvedNow?: string): Promise<readonly CiReport[]> {
  const { flags, io, run } = context;
  const approved = approvedNow ?? flags.approved ?? io.env["EDGEWISE_APPROVED"]?.trim() ?? "";
  if (approved === "") {
    const remedy = "Set EDGEWISE_APPROVED to the output `approved` of `edgewise ci plan`, or give --approved.";
    throw misuse("no plan was approved", remedy);
  }
  const found = await findStacks(undefined, io);
  checkOrigins(found.all, flags, io);
  const plans = new Map<string, Plan>();
  const stacks: Stack[] = [];
  for (const stack of found.stacks) {
    if (!(await exists(join(io.cwd, planFile(stack.slug))))) continue;
    plans.set(stack.slug, await readPlan(planFile(stack.slug), io.cwd));
    stacks.push(stack);
  }
  if (hashOfPlans(plans) !== approved) {
    throw new EdgewiseError("plan-file", `the plans in ${plansDirectory}/ are not those that were approved`, {
      remedy: "Start the whole pipeline again, and approve what its plan shows.",
      exit: 4,
    });
  }
  for (const plan of plans.values()) {
    const shown = shownCommit(plan);
    if (shown !== null) await refuseUnmerged(shown.commit, run, io);
  }
  if (flags.dryRun === true) {
    io.log.info(`Would apply ${count(stacks.length, "plan")}: ${[...plans.keys()].join(", ")}.`);
    return [];
  }
  const reports = await reportAll(stacks, {
    ...asJson(context),
    one: (stackIo, own, _account, { slug }) => {
      const { hash = "", ...plan } = plans.get(slug) ?? {};
      const shown = shownCommit(plan);
      const accepted = { ...own, ...(shown === null ? {} : { ref: shown.commit }), approved: hash };
      const journal = join(plansDirectory, `${slug}.journal`);
      const unasked = { ...accepted, journal, lock: true, autoApprove: true, quiet: true };
      return applyCommand(commandIo(stackIo, unasked), planFile(slug), unasked);
    },
  });
  return reports.map((each) => {
    const plan = plans.get(each.slug ?? "");
    return each.report === null || plan === undefined ? each : { ...each, plan, result: JSON.parse(each.report) };
  });
}

export async function ciDrift(context: CiContext): Promise<readonly CiReport[]> {
  const { broken, stacks } = await selectStacks(context);
  const applied = await appliedCommits(context.run, context.io);
  const reports = await reportAll([...broken, ...stacks], {
    ...asJson(context),
    one: (stackIo, own, account, { slug }) => {
      const base = applied.get(slug);
      return driftCommand(stackIo, { ...own, ...(base === undefined ? {} : { base }) }, account);
    },
  });
  return reports.map((each) => (each.report === null ? each : { ...each, drift: JSON.parse(each.report) }));
}

/** Validates the stacks of a run; needs no key. */
export async function ciCheck(context: CiContext): Promise<readonly CiReport[]> {
  const { io, run } = context;
  const { broken, stacks } = await selectStacks(context);
  const quality: unknown[] = [];
  const reports = await reportAll([...broken, ...stacks], {
    ...asJson(context),
    one: async (stackIo, own) => {
      if (run.system === "gitlab") {
        const stdout = (text: string) => void quality.push(...JSON.parse(text));
        await validateCommand({ ...stackIo, stdout, format: "gitlab" }, [], own);
      }
      return validateCommand({ ...stackIo, format: run.system === "github" ? "github" : "text" }, [], own);
    },
  });
  if (run.system === "gitlab") {
    await freshDirectory(io);
    await keepFile("code-quality.json", `${JSON.stringify(quality)}\n`, io);
  }
  return reports;
}
