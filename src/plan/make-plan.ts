import { type Address, compareAddresses, compareManifests, isAddress } from "../kinds/names.js";
import type { Live } from "../live/live.js";
import type { Manifest } from "../manifest/manifest.js";
import { buildChange, buildRemoval } from "./build-change.js";
import { hashPlan, type Plan, summaryOf, unspecified } from "./plan-format.js";
import { numberOperations, preconditionsOf } from "./operations.js";
import { runGuards, warnAboutLive } from "./guards.js";
import { addressOfLive, replacedBy } from "./live-index.js";
import { type ComparedAll, matchAll, proposeStates } from "./match.js";
import { order } from "./order.js";
import { planContext, type PlanOptions } from "./plan-context.js";
import { shownChange } from "./plan-secrets.js";
import { rehearsePlan } from "./rehearse.js";
import { prunable, selectAddresses } from "./selection.js";

/** Pure. @throws EdgewiseError `manifests` for a reference to nothing, `usage` for an unknown address of `only` */
export function plan(desired: readonly Manifest[], live: Live, options: PlanOptions): Plan {
  return planOf(compareAll(desired, live, options));
}

export function compareAll(desired: readonly Manifest[], live: Live, options: PlanOptions): ComparedAll {
  const context = planContext(live, options);
  warnAboutLive(context);
  const manifests = desired.toSorted(compareManifests);
  const { matches, unclaimed } = matchAll(manifests, context);
  return { manifests, states: proposeStates(matches, context), unclaimed, context };
}

export function planOf({ manifests, states, unclaimed, context }: ComparedAll): Plan {
  const { findings, index, live, options } = context;

  const selection = selectAddresses({ states, unclaimed, context });
  const isSelected = (address: Address) => selection === null || selection.has(address);
  const proposed = states.filter(({ match }) => isSelected(match.address));
  const removed = prunable(unclaimed, context).filter((resource) => isSelected(addressOfLive(resource)));

  const replacements = new Map(index.mine.map((one) => [replacedBy(one, index)?.key, one]));
  const changes = [
    ...proposed.filter(({ match }) => !match.refused).map((state) => buildChange(state, context)),
    ...removed.map((resource) => buildRemoval(resource, replacements.get(resource.key), context)),
  ].toSorted((a, b) => compareAddresses(a.address, b.address));
  const changed = changes.filter(({ change }) => change !== null);
  const sequences = changed.flatMap(({ sequence, unorderedDeletes = [] }) => [
    sequence,
    ...unorderedDeletes.map((operation) => [operation]),
  ]);
  const ordered = order(sequences);
  runGuards({ manifests, proposed, changes, changed, ordered }, context);

  const operations = ordered.cycles.length > 0 ? [] : numberOperations(ordered, index);
  const concerns = ({ address }: { readonly address?: string }) =>
    address === undefined || !isAddress(address) || isSelected(address);
  const refusals = findings.refusals.filter(concerns);
  const outcome =
    refusals.length > 0 || options.rehearse === false
      ? { rehearsal: null, refusals: [] }
      : rehearsePlan(
          { live, options, operations, manifests, changed, dangling: findings.liftedFor("still-referenced") },
          ordered,
          (after) => plan(manifests, after, { ...options, rehearse: false, again: true }),
        );
  const { redact } = options;
  const shown = changed.flatMap(({ change }) =>
    change !== null && redact ? shownChange(change, redact) : (change ?? []),
  );
  const planned = changed.flatMap(({ sequence }) => sequence);
  const claims = new Set(planned.flatMap(({ takes }) => takes));
  const unserved = new Set(planned.flatMap(({ frees }) => frees.filter((claim) => !claims.has(claim))));
  const whole: Omit<Plan, "hash" | "toolVersion"> = {
    format: "edgewise.plan/v1",
    stack: options.stack,
    baseUrl: options.baseUrl,
    summary: summaryOf(shown, changes.length - changed.length),
    changes: shown,
    operations,
    preconditions: preconditionsOf(changed, index),
    refusals: [...refusals, ...outcome.refusals],
    warnings: findings.warnings.filter(concerns),
    rehearsal: outcome.rehearsal,
    ...(unserved.size > 0 && { unserved: [...unserved].toSorted() }),
    ...(options.provenance ?? unspecified),
    lifted: findings.lifted.filter(concerns),
    unavailableSecrets: findings.unavailable,
  };
  return { ...whole, toolVersion: options.toolVersion, hash: hashPlan(whole) };
}
