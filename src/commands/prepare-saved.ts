import type { Client } from "../api/client.js";
import type { Plan, Refusal } from "../plan/plan-format.js";
import { withoutSecrets } from "../plan/plan-secrets.js";
import { staleness } from "../plan/staleness.js";
import { cut } from "../text.js";
import type { CommandContext } from "./context.js";
import { loadDesired } from "./load-desired.js";
import { makePlanFrom } from "./make-plan-from.js";
import { maskedPlan } from "./masked-plan.js";
import type { ApplyFlags } from "./plan-flags.js";
import { planOptions } from "./plan-options.js";
import { type PreparedPlan, preparePlan } from "./prepared.js";
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
  context: CommandContext,
  flags: ApplyFlags,
  given: ApplyFlags,
  client: Client,
): Promise<PreparedPlan> {
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
  return preparePlan({ ...planned, plan }, client, manifests, saved.unavailableSecrets);
}

/**
 * What speaks against applying: what refused the saved plan, what refuses the new one, and where they differ. When the
 * saved plan needed guards to be loosened that are not now, the refusals of these guards say what is to be done.
 */
function refusalsOf(saved: Plan, fresh: Plan, missing: readonly string[]): readonly Refusal[] {
  const old = saved.refusals.filter(
    ({ code, address }) => !fresh.refusals.some((one) => one.code === code && one.address === address),
  );
  const refusals = [...old, ...fresh.refusals.map((refusal, at) => (at === 0 ? withHint(refusal, missing) : refusal))];
  if (missing.length > 0 && fresh.refusals.length > 0) return refusals;
  if (missing.length === 0) return [...refusals, ...staleness(saved, fresh)];
  if (missing.includes("--destroy")) return [...refusals, madeByDestroy];
  const again = `if that is meant, give apply ${flagsText(missing)} too, or ${approval}; or plan again`;
  return [...refusals, ...staleness(saved, fresh, again)];
}

/** The hash itself is not told: that of a file that somebody replaced is not the one that was reviewed. */
const approval = "--approved with the hash that `--out` printed when the reviewed plan was made";

const madeByDestroy: Refusal = {
  code: "stale-plan",
  message: "the plan was made by `edgewise destroy`, and deletes everything that the stack owns",
  remedy: `if that is meant, give apply --destroy too, or ${approval}`,
};

function withHint(refusal: Refusal, missing: readonly string[]): Refusal {
  if (missing.length === 0) return refusal;
  const words = `the plan was made with ${flagsText(missing)}: if that is meant, give apply the same, or ${approval}`;
  return { ...refusal, remedy: `${refusal.remedy}; ${words}` };
}

/** Flags as they are typed; a file may name any number. */
function flagsText(flags: readonly string[]): string {
  const shown = flags.slice(0, 10).map((flag) => cut(flag, 200));
  return [...shown, ...(flags.length > shown.length ? [`and ${flags.length - shown.length} more`] : [])].join(" ");
}
