import { type Impact, isAtLeast } from "../kinds/impact.js";
import type { Plan } from "../plan/plan-format.js";
import { connectReading, loadContext } from "./support/command-context.js";
import type { PlanFlags } from "./support/flags.js";
import type { Io } from "./support/io.js";
import { loadAndList } from "./support/load-desired.js";
import { savePlan } from "./support/output-files.js";
import { planRenderer, writeResult } from "./support/output.js";
import { makePlanFrom, planOptions } from "./support/planning.js";
import { provenanceOf, withOrigins } from "./support/provenance.js";

/** `plan`: computes, rehearses and shows. Writes nothing to the service. */
export async function planCommand(flags: PlanFlags, plain: Io): Promise<number> {
  const context = await loadContext(flags, plain);
  const client = await connectReading(context, flags);
  try {
    const provenance = provenanceOf(context, flags);
    const { desired, ...ahead } = await loadAndList(context, flags, client);
    const options = planOptions(context, flags, desired, { provenance: await provenance });
    const [planned, render] = await Promise.all([
      makePlanFrom(context, client, desired, options, ahead),
      planRenderer(flags, context.io, context.config.root),
    ]);
    const plan = await withOrigins(planned, context, flags);
    if (flags.out !== undefined) await savePlan(plan, flags.out, context);
    await writeResult(await render(plan), flags, context.io);
    return exitCodeOfPlan(plan, flags);
  } finally {
    await client.close();
  }
}

/** 4 and 2 only where they are asked for: a plan that was shown is a success. */
export function exitCodeOfPlan(plan: Plan, flags: Pick<PlanFlags, "detailedExitcode" | "failOn">): number {
  if (flags.detailedExitcode === true && plan.refusals.length > 0) return 4;
  if (flags.detailedExitcode === true && plan.changes.length > 0) return 2;
  return flags.failOn !== undefined && reaches(plan, flags.failOn) ? 2 : 0;
}

/** Whether the plan can do this to traffic, or worse. */
export function reaches(plan: Plan, impact: Impact): boolean {
  return plan.changes.some((change) => isAtLeast(change.impact, impact));
}
