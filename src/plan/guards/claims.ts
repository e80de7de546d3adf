import { type Address, nameOf } from "../../kinds/names.js";
import type { FindingsCollector } from "../findings-collector.js";
import { type LiveIndex, push } from "../live-index.js";
import type { ResourceChange } from "../resource-change.js";
import { type ResultingResource, type ResultingState, nameOfResulting } from "./resulting-state.js";

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

/** Warns when something is made of which services often allow only one, and somebody else has one. */
export function checkSingletons(works: readonly ResourceChange[], index: LiveIndex, verdicts: FindingsCollector): void {
  const made = works.filter(
    (work) => work.kind.singleton !== undefined && work.sequence.some((draft) => draft.makes !== null),
  );
  if (made.length === 0) return;
  const held = new Map<string, string>();
  for (const { kind, spec, owned, id } of index.all) {
    if (!owned && kind.singleton !== undefined) held.set(`${kind.kind}:${kind.singleton(spec)}`, id);
  }
  const deleted = new Map<string, Address>();
  for (const { deleted: gone, address } of works) {
    for (const { kind, spec } of gone)
      if (kind.singleton !== undefined) deleted.set(`${kind.kind}:${kind.singleton(spec)}`, address);
  }
  for (const { kind, result, address } of made) {
    const what = result === null ? undefined : kind.singleton?.(result.spec);
    if (what === undefined) continue;
    const other = held.get(`${kind.kind}:${what}`);
    if (other !== undefined) {
      verdicts.warn(
        "another-exists",
        `${other}, which this stack doesn't own, already is ${what}; services often allow one only`,
        address,
      );
    }
    const former = deleted.get(`${kind.kind}:${what}`);
    if (former !== undefined && former !== address) {
      verdicts.warn(
        "another-exists",
        `${former}, which is deleted afterwards, already is ${what}; services often allow one only. If this is the same under another name, write previousNames: [${nameOf(former)}]`,
        address,
      );
    }
  }
}
