import type { Client } from "../api/client.js";
import type { Plan, Refusal } from "../plan/plan.js";
import { staleness } from "../plan/staleness.js";
import { withoutSecrets } from "../plan/unavailable-secrets.js";
import type { Context } from "./context.js";
import { loadDesired } from "./load-desired.js";
import { makePlanFrom } from "./make-plan-from.js";
import { maskedPlan } from "./masked-plan.js";
import type { ApplyFlags } from "./plan-flags.js";
import { planOptions } from "./plan-options.js";
import { preparedFrom, type Prepared } from "./prepared.js";
import { provenanceOf } from "./provenance.js";
import { missingRelaxations, selectedBy } from "./saved-plan.js";

/**
 * Keeps the promise of a saved plan, or refuses: plans again from the manifests and what is live, and compares. What is
 * applied is the new plan, so that nothing that stands in the file is ever sent.
 * @param flags as `flagsForSaved` gives them
 * @param given as they were typed
 */
export async function prepareSaved(
  saved: Plan,
  context: Context,
  flags: ApplyFlags,
  given: ApplyFlags,
  client: Client,
): Promise<Prepared> {
  const selected = selectedBy(saved, context);
  const destroy = flags.destroy === true;
  const provenance = provenanceOf(selected, flags, destroy);
  const manifests = destroy ? [] : await loadDesired(selected, flags);
  const desired = withoutSecrets(manifests, saved.unavailableSecrets);
  const options = planOptions(selected, flags, desired, {
    provenance: await provenance,
    again: true,
    ...(destroy ? { destroy, prune: true } : {}),
  });
  const planned = await makePlanFrom(context, client, desired, options);
  const missing = given.approved === undefined ? missingRelaxations(saved, given) : [];
  // What was saved was masked, maybe without knowing every secret that is known here.
  const [before, now] = await Promise.all([maskedPlan(saved, context.io), maskedPlan(planned.plan, context.io)]);
  const plan = { ...planned.plan, refusals: refusalsOf({ ...before, hash: saved.hash }, now, missing) };
  return preparedFrom({ ...planned, plan }, client, manifests);
}

/**
 * What speaks against applying: what refused the saved plan, what refuses the new one, and where they differ. When the
 * saved plan needed guards to be loosened that are not now, the refusals of these guards say what is to be done.
 */
function refusalsOf(saved: Plan, fresh: Plan, missing: readonly string[]): readonly Refusal[] {
  const old = saved.refusals.filter(
    ({ code, address }) => !fresh.refusals.some((one) => one.code === code && one.address === address),
  );
  const refusals = [...old, ...fresh.refusals.map((refusal) => withHint(refusal, saved, missing))];
  if (missing.length > 0 && fresh.refusals.length > 0) return refusals;
  if (missing.length === 0) return [...refusals, ...staleness(saved, fresh)];
  const again = `give apply ${missing.join(" ")} too, or --approved ${saved.hash} when that plan was reviewed; or plan again`;
  return [...refusals, ...staleness(saved, fresh, again)];
}

function withHint(refusal: Refusal, { hash }: Plan, missing: readonly string[]): Refusal {
  if (missing.length === 0) return refusal;
  const words = `the plan was made with ${missing.join(" ")}, which counts only when apply is given it too, or with --approved ${hash}`;
  return { ...refusal, remedy: `${refusal.remedy}; ${words}` };
}
