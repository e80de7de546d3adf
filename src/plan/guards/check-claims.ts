import { push } from "../live-resource.js";
import type { FindingsCollector } from "../verdicts.js";
import type { ResourceChange } from "../work.js";
import { nameOfResulting, type ResultingState, type ResultingResource } from "./outcome.js";

/** Refuses to take what somebody else still holds afterwards (`address-in-use`). */
export function checkClaims(
  works: readonly ResourceChange[],
  outcome: ResultingState,
  verdicts: FindingsCollector,
): void {
  const takes = new Set(works.flatMap((work) => work.sequence.flatMap((draft) => draft.takes)));
  if (takes.size === 0) return;
  const holders = new Map<string, ResultingResource[]>();
  for (const standing of outcome.resources) {
    for (const claim of standing.kind.claims?.(standing.spec) ?? [])
      if (takes.has(claim)) push(holders, claim, standing);
  }
  for (const work of works) {
    for (const claim of new Set(work.sequence.flatMap((draft) => draft.takes))) {
      const others = (holders.get(claim) ?? []).filter((holder) => holder.address !== work.address);
      const [other] = others;
      if (other === undefined) continue;
      const thing = claim.slice(claim.indexOf(":") + 1);
      verdicts.refuse(
        "address-in-use",
        work.address,
        `${thing} is served by ${nameOfResulting(other)}`,
        remedyFor(other, thing),
      );
    }
  }
}

function remedyFor({ resource, address, kind, orphaned: letGo }: ResultingResource, thing: string): string {
  if (letGo)
    return `it is let go and goes on serving ${thing}: delete it instead (lifecycle.deletion: delete), or take ${thing} from it first`;
  if (resource === null || address !== null) return `let one manifest have ${thing}`;
  if (resource.marker === null)
    return `adopt that ${kind.title} by writing \`metadata: {id: ${resource.id}}\` in the manifest, or take ${thing} from it`;
  if (resource.owned) return `include ${resource.marker.name} in this run, so that it lets ${thing} go`;
  return `have stack ${JSON.stringify(resource.marker.stack)} let ${thing} go first`;
}
