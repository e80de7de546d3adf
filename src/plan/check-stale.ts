import { kinds } from "../kinds/registry.js";
import { kindOf } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import { instanceKey, indexLive, type LiveIndex } from "./live-resource.js";
import type { PlanOptions } from "./options.js";
import type { Plan, Refusal } from "./plan.js";
import { fingerprintOf, nameOf } from "./preconditions.js";

/**
 * Why a plan that was made earlier may not be applied any more: something that it touches, refers to or takes has
 * changed, or a new resource carries the stack's marker or holds a hostport that it takes. Empty = it still holds.
 * @param options the stack's names; the ignored fields stand in the plan's own preconditions
 */
export function checkStale(
  plan: Plan,
  live: Live,
  options: Pick<PlanOptions, "stack" | "previousStacks">,
): readonly Refusal[] {
  const index = indexLive(live, options);
  return [...changedSince(plan, index), ...appearedSince(plan, index), ...claimedSince(plan, index)];
}

function changedSince(plan: Plan, index: LiveIndex): readonly Refusal[] {
  return plan.preconditions.flatMap(({ address, id, fingerprint, ignore = [] }) => {
    const resource = index.byInstance.get(instanceKey(kindOf(address), id));
    if (resource === undefined) return [stale(`${address} (${id}) is gone since the plan was made`, address)];
    if (fingerprintOf(resource, ignore) === fingerprint) return [];
    return [stale(`${address} (${id}) was changed since the plan was made`, address)];
  });
}

function appearedSince(plan: Plan, index: LiveIndex): readonly Refusal[] {
  const known = new Set(plan.owned);
  return index.all.flatMap((resource) =>
    resource.owned && !known.has(resource.id)
      ? [stale(`${nameOf(resource)} (${resource.id}) appeared since the plan was made`, nameOf(resource))]
      : [],
  );
}

function claimedSince(plan: Plan, index: LiveIndex): readonly Refusal[] {
  const known = new Set(plan.preconditions.map(({ address, id }) => instanceKey(kindOf(address), id)));
  return plan.claims.flatMap((claim) =>
    (index.holders.get(claim) ?? []).flatMap((holder) => {
      if (known.has(holder.key)) return [];
      const thing = claim.slice(claim.indexOf(":") + 1);
      return [stale(`${thing} is served by the ${kinds[holder.kind.kind].title} ${holder.id} since the plan was made`)];
    }),
  );
}

function stale(message: string, address?: Refusal["address"]): Refusal {
  return {
    code: "stale-plan",
    ...(address === undefined ? {} : { address }),
    message,
    remedy: "plan again, look at the new plan and apply that one",
  };
}
