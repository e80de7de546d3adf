import type { Move } from "../kinds/impact.js";
import { type Address, compareAddresses, compareManifests, isAddress, kindOf, nameOf } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { buildChange } from "./build-change.js";
import { buildRemoval } from "./build-removal.js";
import { hashPlan } from "./canonical-json.js";
import { warnAboutLive } from "./guards/ownership.js";
import { judgeByReferrers } from "./guards/referrers.js";
import { runGuards } from "./guards/run-guards.js";
import { type LiveResource, addressOfLive, deletionOf } from "./live-index.js";
import { matchAll } from "./match.js";
import { numberOperations } from "./operations.js";
import type { Judged, PlanOptions } from "./options.js";
import { order } from "./order.js";
import { type PlanContext, planContext } from "./plan-context.js";
import { type Plan, type Provenance, summaryOf } from "./plan-format.js";
import { secretSources } from "./plan-secrets.js";
import { preconditionsOf } from "./preconditions.js";
import { type ProposedState, proposeStates } from "./proposed-state.js";
import { type RehearsalNeeds, rehearsalNeeds, rehearsePlan } from "./rehearse.js";
import type { PlannedOperation, ResourceChange } from "./resource-change.js";
import { prunable, selectAddresses, selectionClosuresOf } from "./selection.js";
import { type SyncState, syncStatesOf } from "./sync-states.js";

/**
 * What has to happen so that the live account becomes what the manifests say. Pure: the same input gives the same
 * bytes, in whatever order manifests and lists come.
 * @param desired validated manifests
 * @param live what the API returned
 * @throws EdgewiseError `manifests` for a reference to nothing, `usage` for an address of `only` that nothing has
 */
export function plan(desired: readonly Manifest[], live: Live, options: PlanOptions): Plan {
  const input: PlanInput = { desired, live, options };
  return rehearsed(input, proposePlan(compareAll(input)));
}

/** A plan, with what a continuous reconciler asks of the same difference. */
export interface PlanWithStates {
  readonly plan: Plan;
  /** Of every address that a manifest describes or that the stack owns. */
  readonly states: ReadonlyMap<Address, SyncState>;
  /** For each of some addresses, what a selection of it alone (`only`) would select, itself included. */
  readonly closuresOf: (addresses: Iterable<Address>) => ReadonlyMap<Address, ReadonlySet<Address>>;
}

/** As {@link plan}, indexing once for the plan, the states and the closures. */
export function planWithStates(desired: readonly Manifest[], live: Live, options: PlanOptions): PlanWithStates {
  const input: PlanInput = { desired, live, options };
  const compared = compareAll(input);
  const { context, states, unclaimed } = compared;
  return {
    plan: rehearsed(input, proposePlan(compared)),
    states: syncStatesOf(states, unclaimed, context),
    closuresOf: (addresses) => selectionClosuresOf(states, unclaimed, context, addresses),
  };
}

/** What a plan is made from. */
interface PlanInput {
  readonly desired: readonly Manifest[];
  readonly live: Live;
  readonly options: PlanOptions;
}

/** The plan with its rehearsal, when it is to be rehearsed. */
function rehearsed({ desired, live, options }: PlanInput, { needs, ...proposed }: UnrehearsedPlan): Plan {
  const planAgain = (after: Live): Plan => plan(desired, after, { ...options, rehearse: false, again: true });
  const { rehearsal, refusal } =
    needs === null
      ? { rehearsal: null, refusal: null }
      : rehearsePlan({ desired, live, options, operations: proposed.operations, needs, planAgain });
  const whole: Omit<Plan, "hash" | "toolVersion"> = {
    ...proposed,
    refusals: refusal === null ? proposed.refusals : [...proposed.refusals, refusal],
    rehearsal,
  };
  return { ...whole, toolVersion: options.toolVersion, hash: hashPlan(whole) };
}

/** A plan before its rehearsal. */
interface UnrehearsedPlan extends Omit<Plan, "hash" | "toolVersion"> {
  /** Null when the plan is not to be rehearsed. */
  readonly needs: RehearsalNeeds | null;
}

/** The manifests of a plan beside what is live. */
interface ComparedAll {
  readonly manifests: readonly Manifest[];
  readonly states: readonly ProposedState[];
  /** Owned resources without a manifest. */
  readonly unclaimed: readonly LiveResource[];
  readonly context: PlanContext;
}

/** The first steps: match → apply defaults → diff. */
function compareAll({ desired, live, options }: PlanInput): ComparedAll {
  const context = planContext(live, options);
  warnAboutLive(context);
  const manifests = desired.toSorted(compareManifests);
  const { matches, unclaimed } = matchAll(manifests, context);
  return { manifests, states: proposeStates(matches, context), unclaimed, context };
}

/** The steps up to the rehearsal: operations → order → guard. */
function proposePlan({ manifests, states, unclaimed, context }: ComparedAll): UnrehearsedPlan {
  const { findings, index, options } = context;

  const selection = selectAddresses(states, unclaimed, context);
  const isSelected = (address: Address): boolean => selection === null || selection.has(address);
  const proposed = selection === null ? states : states.filter(({ match }) => isSelected(match.address));
  const removed = prunable(unclaimed, context).filter((resource) => isSelected(addressOfLive(resource)));

  const moves = movedClaims(proposed, removed, context.judged);
  const changes = judgeByReferrers(buildChanges(proposed, removed, { ...context, moves }), context);
  // Unchanged resources, most of an account, go no further.
  const changed = changes.filter(({ change }) => change !== null);
  const ordered = order(changed.flatMap(sequencesOf));

  const owned = index.mine.map(({ id }) => id).sort();
  runGuards({ manifests, proposed, changes, changed, ordered, owned }, context);

  const operations = ordered.cycles.length > 0 ? [] : numberOperations(ordered);
  const concerns = ({ address }: { readonly address?: string }): boolean =>
    address === undefined || !isAddress(address) || isSelected(address);
  const refusals = findings.refusals.filter(concerns);
  const shown = changed.flatMap(({ change }) => change ?? []);
  const planned = changed.flatMap(({ sequence }) => sequence);
  const claims = new Set(planned.flatMap(({ takes }) => takes));
  const unserved = new Set(planned.flatMap(({ frees }) => frees.filter((claim) => !claims.has(claim))));
  return {
    format: "edgewise.plan/v1",
    stack: options.stack,
    baseUrl: options.baseUrl,
    summary: summaryOf(shown, changes.length - changed.length),
    changes: shown,
    operations,
    preconditions: preconditionsOf(changed, index),
    refusals,
    warnings: findings.warnings.filter(concerns),
    rehearsal: null,
    owned,
    claims: [...claims].toSorted(),
    ...(unserved.size === 0 ? {} : { unserved: [...unserved].toSorted() }),
    secrets: secretSources(operations, proposed),
    ...(options.provenance ?? unspecified),
    lifted: findings.lifted.filter(concerns),
    unavailableSecrets: findings.unavailable,
    needs:
      refusals.length === 0 && options.rehearse !== false
        ? rehearsalNeeds(ordered, changed, findings.liftedFor("still-referenced"))
        : null,
  };
}

/**
 * What one resource gives up and another takes, by claim. For drift, the way back: what was moved live.
 * @param removed owned resources without a manifest
 */
function movedClaims(
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

/** The changes of what manifests describe and of what is removed, by address. */
function buildChanges(
  proposed: readonly ProposedState[],
  removed: readonly LiveResource[],
  context: PlanContext,
): readonly ResourceChange[] {
  const changes: ResourceChange[] = [];
  for (const state of proposed) if (!state.match.refused) changes.push(buildChange(state, context));
  if (removed.length === 0) return changes;
  const replacements = new Map(context.index.mine.map((one) => [context.index.replacedBy(one)?.key, one]));
  const removals = removed.map((resource) => buildRemoval(resource, replacements.get(resource.key), context));
  return [...changes, ...removals].sort((a, b) => compareAddresses(a.address, b.address));
}

/** The operations of a change that are ordered among themselves. */
function sequencesOf({ sequence, unorderedDeletes = [] }: ResourceChange): readonly (readonly PlannedOperation[])[] {
  return [sequence, ...unorderedDeletes.map((operation) => [operation])].filter(({ length }) => length > 0);
}

/** The provenance when none is given: the plan covers everything, and no guard was relaxed. */
const unspecified: Provenance = {
  commit: null,
  selection: { only: null, labels: [], files: null, prune: true },
  relaxations: { allow: [], maxDeletes: null, allowEmpty: false, takeOver: false, destroy: false },
};
