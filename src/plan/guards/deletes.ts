import { type Address, kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import type { FindingsCollector } from "../findings-collector.js";
import { type LiveIndex, push, referencesOf } from "../live-index.js";
import type { MaxDeletes, PlanOptions } from "../options.js";
import type { ResourceChange } from "../resource-change.js";
import { type ResultingState, nameOfResulting } from "./resulting-state.js";

/** Refuses more deletes than the stack allows at once (`too-many-deletes`). */
export function checkDeletes(
  works: readonly ResourceChange[],
  owned: number,
  options: PlanOptions,
  verdicts: FindingsCollector,
): void {
  const deletes = works.reduce((sum, work) => sum + work.deleted.length, 0);
  const bound = deleteBound(options.maxDeletes, owned);
  if (deletes <= bound) return;
  verdicts.refuse(
    "too-many-deletes",
    null,
    `${deletes} resources would be deleted (replacements included), and ${bound} of the ${owned} that the stack owns may be`,
    `make sure that no manifest went missing; if this is meant, raise the bound with --max-deletes ${deletes}`,
  );
}

/** How many deletes pass: the given number or share, or the larger of 3 and 25 %, rounded down. */
export function deleteBound(max: MaxDeletes | null, owned: number): number {
  if (max === null) return Math.max(3, Math.floor(owned / 4));
  return "count" in max ? max.count : Math.floor((owned * max.percent) / 100);
}

/** Refuses to delete what something still refers to afterwards (`still-referenced`), and warns of unseen referrers. */
export function checkReferrers(outcome: ResultingState, index: LiveIndex, verdicts: FindingsCollector): void {
  if (outcome.deleted.size === 0) return;
  const referrers = new Map<Address, string[]>();
  for (const standing of outcome.resources) {
    for (const key of referencesOf(standing.kind, standing.spec, index)) {
      const address = outcome.deleted.get(key);
      if (address !== undefined) push(referrers, address, nameOfResulting(standing));
    }
  }
  for (const [address, names] of referrers) {
    verdicts.refuse(
      "still-referenced",
      address,
      `${[...new Set(names)].join(", ")} still ${names.length === 1 ? "refers" : "refer"} to it`,
      "point the referrer elsewhere, let it go first or keep this manifest; if a module can only be disabled and the service has DELETE for it, list it in api.moduleEndpoints; to leave it dangling on purpose, allow this address",
    );
  }
  const warned = new Set<Address>();
  for (const address of outcome.deleted.values()) {
    const hidden = kinds[kindOf(address)].hiddenReferrers;
    if (hidden === undefined || warned.has(address)) continue;
    warned.add(address);
    verdicts.warn("referrers-invisible", `${hidden} may still refer to it: the API can't list them`, address);
  }
}
