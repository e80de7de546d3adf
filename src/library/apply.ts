import type { Client } from "../api/client.js";
import { systemClock } from "../api/system-clock.js";
import type { ApplyDeps } from "../apply/apply-deps.js";
import { applyPlan } from "../apply/apply-plan.js";
import { createFindByMarker } from "../apply/find-by-marker.js";
import { secretResolver } from "../apply/resolve-secrets.js";
import { type Result, makeResult } from "../apply/result.js";
import { verify } from "../apply/verify.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Plan } from "../plan/plan-format.js";

export interface ApplyOptions extends Partial<
  Pick<ApplyDeps, "concurrency" | "signal" | "hardSignal" | "failFast" | "onEvent" | "settleMs">
> {
  readonly client: Client;
  /** The manifests that the plan was made from: secrets are taken from them. */
  readonly manifests: readonly Manifest[];
  /** Lists and plans once more; when given, its plan must be empty for `verified` to be true. */
  readonly replan?: () => Promise<Plan>;
}

/**
 * Runs the operations of a plan, exactly these: pass one that `plan` just returned, never one that was read from a
 * file, whose requests could be anybody's. What the service answers never throws: it is in the result.
 * A plan with refusals is not run.
 * @throws EdgewiseError `plan-file` or `secret-unavailable`, before anything is sent
 */
export async function apply(plan: Plan, options: ApplyOptions): Promise<Result> {
  const { client, manifests, replan, ...rest } = options;
  const report = await applyPlan(plan, {
    client,
    concurrency: 8,
    resolveSecret: secretResolver(manifests),
    findByMarker: createFindByMarker(client, plan.stack),
    signal: new AbortController().signal,
    failFast: false,
    onEvent: () => {},
    clock: systemClock,
    random: Math.random,
    ...rest,
  });
  const tried = replan !== undefined && report.outcome !== "refused" && !report.interrupted;
  return makeResult(plan, report, tried ? await verify({ replan }) : null);
}
