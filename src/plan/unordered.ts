import { push } from "./live-resource.js";
import type { Ordered } from "./order.js";

/**
 * Two operations that touch one resource or hostport and that nothing orders, in words; null when there are none.
 * In plan order every pair of neighbours in such a group must be ordered, so it costs as much as there is to touch.
 */
export function findUnorderedPair({ drafts, graph }: Ordered): string | null {
  const groups = new Map<string, number[]>();
  for (const [index, draft] of drafts.entries()) {
    const own = draft.resourceId === null ? `new:${draft.address}` : `live:${draft.address}:${draft.resourceId}`;
    const touched = new Set([own, ...draft.takes, ...draft.frees]);
    for (const key of touched) push(groups, key, index);
  }
  for (const [key, members] of groups) {
    for (const [place, later] of members.entries()) {
      const earlier = place === 0 ? undefined : members[place - 1];
      if (earlier === undefined || graph.before(later).has(earlier) || graph.reaches(earlier, later, drafts.length))
        continue;
      return `op-${earlier + 1} and op-${later + 1} both touch ${key.replace(/^(new|live|hostport):/u, "")}, and nothing orders them`;
    }
  }
  return null;
}
