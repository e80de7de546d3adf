import type { Move } from "../kinds/impact.js";
import { type Address, kindOf, nameOf } from "../kinds/names.js";
import { type LiveResource, addressOfLive, deletionOf } from "./live-index.js";
import type { Judged } from "./options.js";
import type { ProposedState } from "./proposed-state.js";

/**
 * What one resource gives up and another takes, by claim. For drift, the way back: what somebody moved live.
 * @param removed owned resources without a manifest
 */
export function movedClaims(
  states: readonly ProposedState[],
  removed: readonly LiveResource[],
  judged: Judged,
): ReadonlyMap<string, Move> {
  const freed = new Map<string, Address>();
  const taken = new Map<string, Address>();
  for (const { compared, match, spec } of states) {
    // Unchanged resources, most of an account, keep their live spec.
    if (match.refused || match.kind.claims === undefined || compared?.current.spec === spec) continue;
    const before = new Set(compared === null ? [] : match.kind.claims(compared.current.spec));
    const after = new Set(match.kind.claims(spec));
    for (const claim of before) if (!after.has(claim)) freed.set(claim, match.address);
    for (const claim of after) if (!before.has(claim)) taken.set(claim, match.address);
  }
  for (const resource of removed) {
    if (deletionOf(resource) === "orphan") continue;
    for (const claim of resource.kind.claims?.(resource.spec) ?? []) freed.set(claim, addressOfLive(resource));
  }
  const moves = new Map<string, Move>();
  for (const [claim, to] of taken) {
    const from = freed.get(claim);
    if (from === undefined || from === to) continue;
    const names = kindOf(from) === kindOf(to) ? [nameOf(from), nameOf(to)] : [from, to];
    const [source = "", target = ""] = judged === "drift" ? names.toReversed() : names;
    moves.set(claim, { from: source, to: target, happened: judged === "drift" });
  }
  return moves;
}
