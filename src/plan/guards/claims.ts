import { claimText, claimWordsOf } from "../../kinds/kind.js";
import { type Address, nameOf } from "../../kinds/names.js";
import { addressOfLive, push } from "../live-index.js";
import type { PlanContext } from "../plan-context.js";
import type { ResourceChange } from "../resource-change.js";
import { type PlannedState, type ResultingResource, nameOfResulting, resultingState } from "./planned-state.js";

/** Refuses to take what another resource still holds afterwards (`address-in-use`). */
export function checkClaims({ changed, changes }: PlannedState, { index, findings }: PlanContext): void {
  const taken = new Set(changed.flatMap(claimsTaken));
  if (taken.size === 0) return;
  const holders = new Map<string, ResultingResource[]>();
  for (const resource of resultingState(changes, index).resources) {
    for (const claim of resource.kind.claims?.(resource.spec) ?? [])
      if (taken.has(claim)) push(holders, claim, resource);
  }
  for (const change of changed) {
    for (const claim of new Set(claimsTaken(change))) {
      const other = holders.get(claim)?.find(({ address }) => address !== change.address);
      if (other === undefined) continue;
      const claimed = claimText(claim);
      findings.refuse(
        "address-in-use",
        change.address,
        `${claimed} is ${claimWordsOf(other.kind).held} by ${nameOfResulting(other)}`,
        remedyFor(other, claimed),
      );
    }
  }
}

function claimsTaken({ sequence }: ResourceChange): readonly string[] {
  return sequence.flatMap(({ contested, takes }) => [...takes, ...contested]);
}

function remedyFor({ resource, address, kind, orphaned }: ResultingResource, claimed: string): string {
  if (orphaned)
    return `it is orphaned and keeps ${claimWordsOf(kind).holding} ${claimed}: delete it instead (lifecycle.deletion: delete), or remove ${claimed} from it first`;
  if (resource === null || address !== null) return `declare ${claimed} in one manifest only`;
  if (resource.marker === null)
    return `adopt that ${kind.title} by writing \`metadata: {id: ${resource.id}}\` in the manifest, or remove ${claimed} from it`;
  if (resource.owned)
    return `include ${addressOfLive(resource)} in this run (name it beside --only; without its manifest, leave --no-prune or -f out), so that it releases ${claimed}`;
  return `have stack ${JSON.stringify(resource.marker.stack)} release ${claimed} first, or take that ${kind.title} over: write \`metadata: {id: ${resource.id}}\` in the manifest, and give --take-over`;
}

/** Warns when a resource is made of which services often allow only one, and there is another. */
export function checkSingletons({ changed }: PlannedState, { index, findings }: PlanContext): void {
  const made = changed.filter(
    ({ kind, sequence }) => kind.singleton !== undefined && sequence.some(({ makes }) => makes !== null),
  );
  if (made.length === 0) return;
  const held = new Map<string, string>();
  for (const { kind, spec, owned, id } of index.all) {
    if (!owned && kind.singleton !== undefined) held.set(`${kind.kind}:${kind.singleton(spec)}`, id);
  }
  const deleted = new Map<string, Address>();
  for (const { deleted: gone, address } of changed) {
    for (const { kind, spec } of gone)
      if (kind.singleton !== undefined) deleted.set(`${kind.kind}:${kind.singleton(spec)}`, address);
  }
  for (const { kind, result, address } of made) {
    const what = result === null ? undefined : kind.singleton?.(result.spec);
    if (what === undefined) continue;
    const other = held.get(`${kind.kind}:${what}`);
    if (other !== undefined) {
      findings.warn(
        "another-exists",
        `${other}, which this stack doesn't own, already is ${what}; services often allow only one`,
        address,
      );
    }
    const former = deleted.get(`${kind.kind}:${what}`);
    if (former !== undefined && former !== address) {
      findings.warn(
        "another-exists",
        `${former}, which is deleted afterwards, already is ${what}; services often allow only one. If this is the same under another name, write previousNames: [${nameOf(former)}]`,
        address,
      );
    }
  }
}
