import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { type Plan, shownCommit } from "../../plan/plan-format.js";
import { count } from "../../text/layout.js";
import { applyCommand } from "../apply.js";
import { checkOrigins } from "./all-flags.js";
import { type CiContext, type CiReport, hashOfPlans, planFile, plansPath, runStacks } from "./ci-context.js";
import { refuseUnmerged } from "./ci-stacks.js";
import { type SelectedStack, findStacks } from "./find-stacks.js";
import { exists } from "./output-files.js";
import { readPlan } from "./read-plan.js";

/** Applies the saved plans, all of them, if their hash is the one that was approved. */
export async function ciApply(context: CiContext, approvedHash?: string): Promise<readonly CiReport[]> {
  const { flags, io, log, run } = context;
  const approved = approvedHash ?? flags.approved ?? io.env["EDGEWISE_APPROVED"]?.trim() ?? "";
  if (approved === "") {
    throw new EdgewiseError("usage", "no plan was approved", {
      remedy: "Set EDGEWISE_APPROVED to the output `approved` of `edgewise ci plan`, or give --approved.",
    });
  }
  const found = await findStacks(undefined, io);
  checkOrigins(found.all, flags, io);
  const plans = new Map<string, Plan>();
  const stacks: SelectedStack[] = [];
  for (const stack of found.stacks) {
    if (!(await exists(join(io.cwd, planFile(stack.slug))))) continue;
    const plan = await readPlan(planFile(stack.slug), io.cwd);
    const shown = shownCommit(plan);
    if (shown !== null) await refuseUnmerged(shown.commit, run, io);
    plans.set(stack.slug, plan);
    stacks.push(stack);
  }
  const saved = hashOfPlans([...plans].map(([slug, { hash }]) => ({ slug, hash })));
  if (saved !== approved) {
    throw new EdgewiseError("plan-file", `the plans in ${plansPath("")} are not those that were approved`, {
      remedy: "Start the whole pipeline again, and approve what its plan shows.",
      exit: 4,
    });
  }
  if (flags.dryRun === true) {
    log.info(`Would apply ${count(stacks.length, "plan")}: ${stacks.map(({ slug }) => slug).join(", ")}.`);
    return [];
  }
  const reports = await runStacks(stacks, context, (own, stackIo, _account, { slug }) => {
    const plan = plans.get(slug);
    const shown = plan === undefined ? null : shownCommit(plan);
    const accepted = { ...own, ...(shown === null ? {} : { ref: shown.commit }), approved: plan?.hash ?? "" };
    const how = { lock: true, autoApprove: true, journal: plansPath(`${slug}.journal`), quiet: true };
    return applyCommand(planFile(slug), { ...accepted, ...how }, stackIo);
  });
  return reports.map((each) => {
    const plan = plans.get(each.slug ?? "");
    return each.report === null || plan === undefined ? each : { ...each, plan, result: JSON.parse(each.report) };
  });
}
