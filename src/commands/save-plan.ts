import { isDeepStrictEqual } from "node:util";
import { EdgewiseError } from "../errors.js";
import type { Plan } from "../plan/plan.js";
import type { Context } from "./context.js";
import { writeFileAtomically } from "./write-file-atomically.js";

/**
 * Saves a plan for `apply PLANFILE`. It is masked like every output: what is live may repeat a secret. It tells much
 * besides, so only its owner may read it.
 * @throws EdgewiseError `refused` when a secret stands in what the plan would send, as a masked plan would send the mask
 */
export async function savePlan(plan: Plan, file: string, { io, log }: Context): Promise<void> {
  const { renderPlanJson } = await import("../report/plan-json.js");
  const text = renderPlanJson(plan);
  const shown = io.mask(text);
  const saved = shown === text ? plan : await rehashed(plan, shown);
  await writeFileAtomically(file, io.mask(renderPlanJson(saved)), io.cwd, 0o600);
  log.info(`The plan is saved in ${file}.`, { file, hash: saved.hash });
}

/** The plan as it reads with its secrets masked, and with the checksum of that. */
async function rehashed(plan: Plan, shown: string): Promise<Plan> {
  const masked = planOf(JSON.parse(shown));
  const wrong = plan.operations.find((operation, index) => !isDeepStrictEqual(operation, masked.operations[index]));
  if (wrong !== undefined) {
    throw new EdgewiseError(
      "refused",
      `the plan can't be saved: ${wrong.id} (${wrong.address}) would send the text of a secret in clear`,
      { remedy: "Take the secret out of the manifest's other fields, or of the live resource that repeats it." },
    );
  }
  const { hashPlan } = await import("../plan/hash-plan.js");
  return { ...masked, hash: hashPlan(masked) };
}

/** A plan's own JSON, read back: masking changes texts alone. */
function planOf(value: unknown): Plan {
  return value as Plan;
}
