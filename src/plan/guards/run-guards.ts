import { EdgewiseError } from "../../core/errors.js";
import { claimText } from "../../kinds/kind.js";
import { kindOf, listedKinds, nameOf } from "../../kinds/names.js";
import { secretsIn } from "../../kinds/policy/secret-places.js";
import { kinds } from "../../kinds/registry.js";
import { checkLiveReferences, checkLostMarkers, checkReferrers } from "./reference-guards.js";
import { addressOfLive, push } from "../live-index.js";
import type { MaxDeletes, PlanContext } from "../plan-context.js";
import { idOf, nameOfResulting, type PlannedState, type ResultingResource } from "../resource-change.js";

/** Checks a plan before it is rehearsed. Guards of one resource have run by now. */
export function runGuards(state: PlannedState, context: PlanContext): void {
  // In the order in which their findings are shown.
  refuseNamesAsSecrets(state);
  checkLostMarkers(state, context);
  checkClaims(state, context);
  checkReferrers(state, context);
  checkLiveReferences(state, context);
  checkSingletons(state, context);
  checkDeletes(state, context);
  checkEmpty(state, context);
  refuseCycles(state, context);
  warnAboutGaps(state, context);
  context.findings.warnAboutUnused(context.options.configuredAllow ?? []);
}

/** `address-in-use`: another resource still holds it afterwards. */
function checkClaims({ changed, resulting }: PlannedState, { findings }: PlanContext): void {
  const takenBy = changed.map(({ address, sequence }) => ({
    taker: address,
    claims: new Set(sequence.flatMap(({ takes }) => takes)),
  }));
  const taken = new Set(takenBy.flatMap(({ claims }) => [...claims]));
  const holders = new Map<string, ResultingResource[]>();
  for (const resource of taken.size === 0 ? [] : resulting)
    for (const claim of resource.kind.claims(resource.spec)) if (taken.has(claim)) push(holders, claim, resource);
  for (const { claims, taker } of takenBy) {
    for (const claim of claims) {
      const other = holders.get(claim)?.find(({ address }) => address !== taker);
      if (other === undefined) continue;
      const message = `${claimText(claim)} is ${other.kind.claimWords.held} by ${nameOfResulting(other)}`;
      findings.refuse("address-in-use", taker, message, remedyFor(other, claimText(claim)));
    }
  }
}

function remedyFor({ resource, address, kind, orphaned }: ResultingResource, claimed: string): string {
  if (orphaned)
    return `it is orphaned and keeps ${kind.claimWords.holding} ${claimed}: delete it instead (lifecycle.deletion: delete), or remove ${claimed} from it first`;
  if (resource === null || address !== null) return `declare ${claimed} in one manifest only`;
  if (resource.marker === null)
    return `adopt that ${kind.title} by writing \`metadata: {id: ${resource.id}}\` in the manifest, or remove ${claimed} from it`;
  if (resource.owned)
    return `include ${addressOfLive(resource)} in this run (name it beside --only; without its manifest, leave --no-prune or -f out), so that it releases ${claimed}`;
  return `have stack ${JSON.stringify(resource.marker.stack)} release ${claimed} first, or take that ${kind.title} over: write \`metadata: {id: ${resource.id}}\` in the manifest, and give --take-over`;
}

function checkSingletons({ changed }: PlannedState, { index, findings }: PlanContext): void {
  for (const { address, kind, result, sequence } of changed) {
    const what = result === null ? undefined : kind.singleton?.(result.spec);
    if (what === undefined || sequence.every(({ makes }) => makes === null)) continue;
    const other = index.all.find((one) => !one.owned && one.kind === kind && kind.singleton?.(one.spec) === what);
    if (other === undefined) continue;
    const message = `${other.id}, which this stack doesn't own, already is ${what}; services often allow only one`;
    findings.warn("another-exists", message, address);
  }
}

function checkDeletes({ changed }: PlannedState, { findings, index, options }: PlanContext): void {
  const owned = index.mine.length;
  const deletes = changed.reduce((sum, change) => sum + change.deleted.length, 0);
  const bound = deleteBound(options.maxDeletes, owned);
  if (deletes <= bound) return;
  findings.refuse(
    "too-many-deletes",
    null,
    `${deletes} resources would be deleted (replacements included), but at most ${bound} of the ${owned} that the stack owns may be`,
    `check that no manifest is missing; if this is intended, raise the limit with --max-deletes ${deletes}`,
  );
}

/** How many deletes pass by default: the larger of both. */
export const defaultMaxDeletes = { count: 3, percent: 25 } as const;

export function deleteBound(max: MaxDeletes | null, owned: number): number {
  const { count, percent } = defaultMaxDeletes;
  if (max === null) return Math.max(count, deleteBound({ percent }, owned));
  return "count" in max ? max.count : Math.floor((owned * max.percent) / 100);
}

/** A wrong directory is the likelier cause. */
function checkEmpty({ manifests }: PlannedState, { findings, index, options }: PlanContext): void {
  const owned = index.mine.length;
  const listed: ReadonlySet<string> = new Set(listedKinds);
  if (options.destroy || options.allowEmpty || !options.prune || owned === 0) return;
  if (manifests.some(({ kind }) => listed.has(kind))) return;
  findings.refuse(
    "empty-desired",
    null,
    `there are no manifests, and the stack owns ${owned} live ${owned === 1 ? "resource" : "resources"} that would be deleted`,
    "check which manifests the configuration names; to delete everything, use --allow-empty or the destroy command",
  );
}

function refuseCycles({ ordered }: PlannedState, { findings }: PlanContext): void {
  for (const cycle of ordered.cycles) {
    const names = [...new Set(cycle.map(({ address }) => address))];
    const [only = null] = names;
    findings.refuse(
      "ordering-cycle",
      names.length === 1 ? only : null,
      `the changes of ${names.join(", ")} wait for each other in a cycle, and none can be made first`,
      "split the change in two: first remove what one of them needs from the other (or its manifest) and apply, then add it again",
    );
  }
}

function warnAboutGaps({ ordered }: PlannedState, { findings }: PlanContext): void {
  for (const { claim, freedBy, takenBy } of ordered.gaps) {
    const [from, to] = [ordered.operations[freedBy], ordered.operations[takenBy]];
    if (from === undefined || to === undefined) continue;
    const { held } = kinds[kindOf(to.address)].claimWords;
    const between = `${idOf(freedBy)} (${from.address} releases it) and ${idOf(takenBy)} (${to.address} claims it)`;
    findings.warn("traffic-gap", `${claimText(claim)} is not ${held} between ${between}`, to.address);
  }
}

/** No secret is an address, a name or a hostport of the plan. */
function refuseNamesAsSecrets({ changed, manifests }: PlannedState): void {
  if (changed.length === 0) return;
  const shown = new Set<string>(
    changed.flatMap(({ address, sequence }) => [
      address,
      nameOf(address),
      ...sequence.flatMap(({ frees, takes }) => [...frees, ...takes].map(claimText)),
    ]),
  );
  for (const { address, kind, source, spec } of manifests) {
    const isShown = kinds[kind].fieldList.some(
      ({ field, name }) =>
        field.writeOnly !== true &&
        secretsIn(spec[name]).some((secret) => secret.missing === null && shown.has(secret.reveal())),
    );
    if (!isShown) continue;
    const message = `${source.file}:${source.line}: a secret of ${address} is an address, a name or a hostport of the plan`;
    throw new EdgewiseError("manifests", message, { remedy: "Choose another secret." });
  }
}
