import { kindOf, type Address } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import { push, type LiveIndex } from "../live-resource.js";
import { referencesOf } from "../references.js";
import type { FindingsCollector } from "../verdicts.js";
import { nameOfResulting, type ResultingState } from "./outcome.js";

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
