import { type Impact, type Plan, impacts } from "../plan/plan-format.js";
import { connectReading } from "./connect.js";
import { loadContext } from "./context.js";
import type { Io } from "./io.js";
import { loadAndList } from "./load-and-list.js";
import { makePlanFrom } from "./make-plan-from.js";
import type { PlanFlags } from "./plan-flags.js";
import { planOptions } from "./plan-options.js";
import { provenanceOf } from "./provenance.js";
import { planRenderer } from "./render-plan.js";
import { savePlan } from "./save-plan.js";
import { withOrigins } from "./with-origins.js";
import { writeResult } from "./write-result.js";

/** `plan`: computes, rehearses and shows. Writes nothing to the service. */
export async function planCommand(flags: PlanFlags, plain: Io): Promise<number> {
  const context = await loadContext(flags, plain);
  const client = await connectReading(context, flags);
  try {
    const provenance = provenanceOf(context, flags);
    const { desired, listing } = await loadAndList(context, flags, client);
    const options = planOptions(context, flags, desired, { provenance: await provenance });
    const [planned, render] = await Promise.all([
      makePlanFrom(context, client, desired, options, listing),
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
  return plan.changes.some((change) => impacts.indexOf(change.impact) >= impacts.indexOf(impact));
}
