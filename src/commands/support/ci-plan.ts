import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import type { Plan } from "../../plan/plan-format.js";
import type { RemovedStack } from "../../stacks/removed-stacks.js";
import { count, listFew } from "../../text/layout.js";
import { destroyCommand } from "../destroy.js";
import { planCommand } from "../plan.js";
import { type CiContext, type CiReport, planFile, plansPath, runStacks, writeFile } from "./ci-context.js";
import { rollBackCommit, selectStacks } from "./ci-stacks.js";
import { removedRemedy, removedSentence } from "./find-stacks.js";
import type { PlanFlags } from "./command-options.js";
import { readPlan } from "./read-plan.js";
import { showError } from "./show-error.js";

/** Plans the stacks of a run, and saves those plans that change something. */
export async function ciPlan(context: CiContext): Promise<readonly CiReport[]> {
  const { io, run } = context;
  const ref = await rollBackCommit(context);
  const found = await selectStacks(context);
  if (ref !== null && found.stacks.length !== 1) {
    throw new EdgewiseError("usage", "one stack is rolled back at a time", {
      remedy: "Name its slug: the input `stack`, or --slug.",
    });
  }
  const { allow, maxDeletes } = run.asked;
  const more: PlanFlags = {
    ...(ref !== null ? { ref } : run.base === null ? {} : { base: run.base }),
    ...(allow.length === 0 ? {} : { allow }),
    ...(maxDeletes === null ? {} : { maxDeletes }),
  };
  await freshDirectory(context);
  const reports = await runStacks([...found.broken, ...found.stacks], context, (own, stackIo, account, { slug }) =>
    planCommand({ ...own, ...more, detailedExitcode: true, out: planFile(slug) }, stackIo, account),
  );
  const planned: CiReport[] = [];
  for (const each of reports) {
    if (each.slug !== null && each.exit !== 2) await rm(join(io.cwd, planFile(each.slug)), { force: true });
    planned.push(each.report === null ? each : { ...each, plan: JSON.parse(each.report) });
  }
  for (const each of found.removed) planned.push(...(await removedReport(each, context)));
  if (run.system === "gitlab") await writeFile("changes.json", changeCounts(planned), io);
  return planned;
}

/** Makes the directory of plans anew: what is there may come with the checkout. */
export async function freshDirectory({ io }: CiContext): Promise<void> {
  const directory = join(io.cwd, plansPath(""));
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
}

/** A change that leaves live resources without a stack is refused; one whose stack owns nothing any more is fine. */
async function removedReport(removed: RemovedStack, { flags, io, log }: CiContext): Promise<readonly CiReport[]> {
  const { baseUrl, commit, config, environment, stack } = removed;
  const out = plansPath("removed.json");
  const about = { config, environment, stack, baseUrl, directory: null, slug: null, report: null };
  const { slug: _slug, changedSince: _since, ref: _ref, output: _output, outputFile: _file, ...shared } = flags;
  try {
    const quietly = { ...io, stdinIsTerminal: false, stdout: () => undefined };
    const own = { ...shared, config, ref: commit, out, quiet: true, ...(environment === null ? {} : { environment }) };
    await destroyCommand(own, quietly);
    const { changes } = await readPlan(out, io.cwd);
    await rm(join(io.cwd, out));
    if (changes.length === 0) {
      log.info(`The stack ${JSON.stringify(stack)} owns nothing that is live.`);
      return [];
    }
    const live = `${count(changes.length, "resource")}: ${listFew(
      changes.map(({ address }) => address),
      10,
    )}`;
    const message = `${removedSentence(removed)} It owns ${live}.`;
    log.error(message, removedRemedy(removed));
    return [{ ...about, exit: 4, error: { code: "stack-removed", message, remedy: removedRemedy(removed) } }];
  } catch (error) {
    const exit = await showError(error, flags, io);
    const message = error instanceof EdgewiseError ? error.message : String(error);
    return [{ ...about, exit, error: { code: "error", message, remedy: null } }];
  }
}

/** The counts that GitLab shows in a merge request (its report `terraform`), of all plans together. */
function changeCounts(reports: readonly CiReport[]): string {
  const sum = (of: (summary: Plan["summary"]) => number): number =>
    reports.reduce((total, { plan }) => total + (plan === undefined ? 0 : of(plan.summary)), 0);
  const counts = {
    create: sum(({ create, replace }) => create + replace),
    update: sum(({ adopt, orphan, update }) => update + adopt + orphan),
    delete: sum(({ delete: deleted, replace }) => deleted + replace),
  };
  return `${JSON.stringify(counts)}\n`;
}

/** The plans that are to be applied, for {@link hashOfPlans}. */
export function plansToApply(
  reports: readonly CiReport[],
): readonly { readonly slug: string; readonly hash: string }[] {
  return reports.flatMap(({ exit, plan, slug }) =>
    exit === 2 && slug !== null && plan !== undefined ? [{ slug, hash: plan.hash }] : [],
  );
}
