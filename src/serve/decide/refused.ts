import { count } from "../../core/text.js";
import type { Address } from "../../kinds/names.js";
import type { Plan, Refusal } from "../../plan/plan-format.js";
import type { StackPolicy } from "../fleet/fleet.js";

const dayMs = 24 * 60 * 60 * 1000;

const mostTold = 3;

/** Why nothing of a plan may be applied, for people; null = the guards let it pass. */
export function refusalOf({
  plan,
  policy,
  deletes,
  now,
}: {
  readonly plan: Plan;
  readonly policy: StackPolicy;
  readonly deletes: readonly number[];
  readonly now: number;
}): string | null {
  const refusals = plan.refusals.filter(({ stacks }) => stacks === undefined);
  const told = refusals.slice(0, mostTold).map(refusalText);
  const more = refusals.length - told.length;
  if (more > 0) told.push(`and ${count(more, "more refusal")}`);
  const tooMany = tooManyDeletes(deletesOf(plan), deletes, { now, most: policy.brake.deletesPerDay });
  const all = tooMany === null ? told : [...told, tooMany];
  return all.length === 0 ? null : underServe(all.join("; "));
}

/** Why one change is held although nothing else of the plan is, for people; null = nothing else refers to it. */
export function heldByOthers({ refusals }: Plan, address: Address): string | null {
  const refusal = refusals.find((one) => one.stacks !== undefined && one.address === address);
  return refusal === undefined ? null : underServe(refusalText(refusal));
}

function refusalText({ code, address, message, remedy }: Refusal): string {
  return `${code}${address === undefined ? "" : ` ${address}`}: ${message} (${remedy})`;
}

const noFlags =
  "serve has no flags: a commit may set `guards` and `metadata.id` where the fleet file allows it (`allow`), `moduleEndpoints` stands in the fleet file, and the rest is for a person at a command line";

export function underServe(words: string): string {
  return /--[a-z]|metadata: \{|api\./u.test(words) ? `${words}; ${noFlags}` : words;
}

/** How many resources a plan deletes, replaced ones included; not what others hold or what it orphans. */
export function deletesOf(plan: Plan): number {
  return plan.operations.filter(({ kind, address }) => kind === "delete" && heldByOthers(plan, address) === null)
    .length;
}

/** Why the deletes of a plan are too many for one day, the ones of the last 24 hours counted; null = they are not. */
function tooManyDeletes(
  planned: number,
  done: readonly number[],
  { now, most }: { readonly now: number; readonly most: number },
): string | null {
  const recent = done.filter((time) => time > now - dayMs).toSorted((a, b) => a - b);
  if (planned === 0 || recent.length + planned <= most) return null;
  const limit = `brake.deletesPerDay is ${most}`;
  const raise = "the operator can raise it in the fleet file";
  const before = recent.length === 0 ? "" : `, after ${recent.length} in the last 24 hours`;
  const what = `too many deletes: ${count(planned, "resource")} would be deleted${before}, and ${limit}`;
  // So many of the earlier ones have to be a day old before these fit.
  const last = recent[recent.length + planned - most - 1];
  if (planned > most || last === undefined) return `${what}; delete fewer with each commit, or ${raise}`;
  return `${what}; they fit from ${new Date(last + dayMs).toISOString()} on, or ${raise}`;
}
