import type { Plan } from "../plan/plan-format.js";
import { palette } from "../report/styles.js";
import type { Io } from "./io.js";

/** Asks on the terminal whether a plan may be applied; only `yes` says so. */
export async function confirm(plan: Plan, io: Io): Promise<boolean> {
  const count = plan.operations.length;
  const what = `${count} ${count === 1 ? "request" : "requests"} for stack ${plan.stack} at ${plan.baseUrl}`;
  const answer = await io.ask(`${palette(io.stderrColor).bold(`Apply this plan (${what})?`)} Type yes: `);
  return answer.trim() === "yes";
}
