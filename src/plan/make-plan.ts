import { compareAddresses, compareManifests, isAddress, listedKinds } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { buildChange } from "./build-change.js";
import { buildRemoval } from "./build-removal.js";
import { hashPlan } from "./canonical-json.js";
import { FindingsCollector } from "./findings-collector.js";
import { checkClaims, checkSingletons } from "./guards/claims.js";
import { checkDeletes, checkReferrers } from "./guards/deletes.js";
import { checkLostMarkers, warnAboutLive } from "./guards/ownership.js";
import { resultingState } from "./guards/resulting-state.js";
import { type LiveIndex, indexLive } from "./live-index.js";
import { matchAll } from "./match.js";
import { numberOperations } from "./operations.js";
import type { PlanOptions } from "./options.js";
import { order } from "./order.js";
import { type Plan, type Provenance, summaryOf } from "./plan-format.js";
import { secretSources } from "./plan-secrets.js";
import { addressOfLive, preconditionsOf } from "./preconditions.js";
import { proposeStates } from "./proposed-state.js";
import { type RehearsalNeeds, rehearsalNeeds, rehearsePlan } from "./rehearse.js";
import type { ResourceChange } from "./resource-change.js";
import { prunable, selectTargets } from "./select-targets.js";

/**
 * What has to happen so that the live account becomes what the manifests say. Pure: the same input gives the same
 * bytes, in whatever order manifests and lists come.
 * @param desired validated manifests
 * @param live what the API returned
 * @throws EdgewiseError `manifests` for a reference to nothing, `usage` for an address of `only` that nothing has
 */
export function plan(desired: readonly Manifest[], live: Live, options: PlanOptions): Plan {
  const { proof, ...proposed } = propose(desired, live, options);
  const { rehearsal, refusal } =
    proof === null
      ? { rehearsal: null, refusal: null }
      : rehearsePlan({ desired, live, options, operations: proposed.operations, proof, plan });
  const draft: Omit<Plan, "hash" | "toolVersion"> = {
    ...proposed,
    refusals: refusal === null ? proposed.refusals : [...proposed.refusals, refusal],
    rehearsal,
  };
  return { ...draft, toolVersion: options.toolVersion, hash: hashPlan(draft) };
}

/** A plan that nothing has proved yet, and what its proof needs to know; null when it is not to be rehearsed. */
interface Proposed extends Omit<Plan, "hash" | "toolVersion"> {
  readonly proof: RehearsalNeeds | null;
}

/** Everything but the rehearsal. What is found out on the way is large, and gone before the rehearsal begins. */
function propose(desired: readonly Manifest[], live: Live, options: PlanOptions): Proposed {
  const manifests = desired.toSorted(compareManifests);
  const verdicts = new FindingsCollector(options.allow);
  const index = indexLive(live, options);
  warnAboutLive(live, index, verdicts);
  const { matches, unclaimed: leftovers } = matchAll(manifests, index, options, verdicts);
  const targets = proposeStates(matches, index, options);
  const selected =
    options.only === null ? null : selectTargets(options.only, targets, leftovers, index, options.again === true);
  const chosen = selected === null ? targets : targets.filter(({ match }) => selected.has(match.address));
  const pruned = (options.prune ? prunable(leftovers, live, verdicts) : []).filter(
    (one) => selected === null || selected.has(addressOfLive(one)),
  );
  const works = [
    ...chosen.filter(({ match }) => !match.refused).map((target) => buildChange(target, index, options, verdicts)),
    ...pruned.map((resource) => buildRemoval(resource, index, options, verdicts)),
  ];
  if (pruned.length > 0) works.sort((a, b) => compareAddresses(a.address, b.address));
  // What is at rest, most of an account, goes no further.
  const busy = works.filter((work) => work.change !== null);
  const changes = busy.flatMap((work) => work.change ?? []);
  if (changes.length > 0) {
    const outcome = resultingState(works, index);
    checkLostMarkers(chosen, index, verdicts);
    checkClaims(works, outcome, verdicts);
    checkReferrers(outcome, index, verdicts);
    checkSingletons(works, index, verdicts);
  }
  const owned = ownedIds(index);
  checkDeletes(works, owned.length, options, verdicts);
  checkEmpty(manifests, owned.length, options, verdicts);

  const ordered = order(busy.flatMap(sequencesOf));
  for (const cycle of ordered.cycles) {
    const names = [...new Set(cycle.drafts.map((draft) => draft.address))];
    verdicts.refuse(
      "ordering-cycle",
      null,
      `${names.join(", ")} wait for each other, and none can let go first`,
      "do it in two steps: first take away what one of them holds, then give it to the other",
    );
  }
  const operations = ordered.cycles.length > 0 ? [] : numberOperations(ordered);
  for (const { claim, freedBy, takenBy } of ordered.gaps) {
    const [from, to] = [operations[freedBy], operations[takenBy]];
    const thing = claim.slice(claim.indexOf(":") + 1);
    verdicts.warn(
      "traffic-gap",
      `${thing} is not served between ${from?.id ?? ""} (${from?.address ?? ""} lets it go) and ${to?.id ?? ""} (${to?.address ?? ""} takes it)`,
      to?.address,
    );
  }
  for (const address of verdicts.unused(options.configuredAllow ?? [])) {
    verdicts.warn(
      "unused-allow",
      `guards.allow names ${address}, and nothing of it was refused: the entry can go`,
      address,
    );
  }
  const about = (address: string | undefined): boolean =>
    selected === null || address === undefined || !isAddress(address) || selected.has(address);
  const refusals = verdicts.refusals.filter((refusal) => about(refusal.address));
  const rehearsed = refusals.length === 0 && options.rehearse !== false;
  return {
    format: "edgewise.plan/v1",
    stack: options.stack,
    baseUrl: options.baseUrl,
    summary: summaryOf(changes, works.length - changes.length),
    changes,
    operations,
    preconditions: preconditionsOf(works, index),
    refusals,
    warnings: verdicts.warnings.filter((warning) => about(warning.address)),
    rehearsal: null,
    owned,
    claims: [...new Set(busy.flatMap((work) => work.sequence.flatMap((one) => one.takes)))].toSorted(),
    secrets: secretSources(operations, chosen),
    ...(options.provenance ?? unspecified),
    lifted: verdicts.lifted.filter(({ address }) => about(address)),
    unavailableSecrets: verdicts.unavailable,
    proof: rehearsed ? rehearsalNeeds(ordered, works, verdicts.liftedFor("still-referenced")) : null,
  };
}

/** How a plan came about when nobody says: it covers everything, and nothing was relaxed. */
const unspecified: Provenance = {
  commit: null,
  selection: { only: null, labels: [], files: null, prune: true },
  relaxations: { allow: [], maxDeletes: null, allowEmpty: false, takeOver: false, destroy: false },
};

/** What of a work has an order of its own. */
function sequencesOf({
  sequence,
  unorderedDeletes: aside = [],
}: ResourceChange): readonly ResourceChange["sequence"][] {
  return [sequence, ...aside.map((draft) => [draft])].filter(({ length }) => length > 0);
}

function ownedIds(index: LiveIndex): readonly string[] {
  return index.all
    .filter(({ owned }) => owned)
    .map(({ id }) => id)
    .sort();
}

/** No manifests at all is more often a wrong directory than a wish. */
function checkEmpty(
  manifests: readonly Manifest[],
  owned: number,
  options: PlanOptions,
  verdicts: FindingsCollector,
): void {
  const listed: ReadonlySet<string> = new Set(listedKinds);
  if (options.destroy || options.allowEmpty || !options.prune || owned === 0) return;
  if (manifests.some((manifest) => listed.has(manifest.kind))) return;
  verdicts.refuse(
    "empty-desired",
    null,
    `there are no manifests, and the stack owns ${owned} live ${owned === 1 ? "resource" : "resources"} that would be deleted`,
    "check the manifests that the configuration names; if everything is meant to go, use --allow-empty or the destroy command",
  );
}
