import type { Spec } from "../../core/json.js";
import { type ImpactReason, worstOf } from "../../kinds/impact.js";
import type { Kind } from "../../kinds/kind.js";
import type { Address } from "../../kinds/names.js";
import type { Manifest } from "../../manifest/manifest.js";
import { specPath } from "../diff.js";
import { type LiveIndex, type LiveResource, type Referrer, addressOfLive, referrersAmong } from "../live-index.js";
import type { Ordered } from "../order.js";
import type { PlanContext } from "../plan-context.js";
import type { FieldChange } from "../plan-format.js";
import type { ProposedState } from "../proposed-state.js";
import type { ResourceChange } from "../resource-change.js";

/** What guards check: a plan before it is rehearsed. */
export interface PlannedState {
  /** Every manifest, whether it is selected or not. */
  readonly manifests: readonly Manifest[];
  /** What the selected manifests ask for. */
  readonly proposed: readonly ProposedState[];
  /** One for each selected resource, unchanged ones too. */
  readonly changes: readonly ResourceChange[];
  /** Those of `changes` with something to do. */
  readonly changed: readonly ResourceChange[];
  readonly ordered: Ordered;
}

/** One resource as it stands when the plan has been applied. */
export interface ResultingResource {
  readonly kind: Kind;
  readonly spec: Spec;
  /** Null when the plan makes it. */
  readonly resource: LiveResource | null;
  /** Null when the plan does not concern it. */
  readonly address: Address | null;
  /** Its marker is removed: the resource stays and is unmanaged. */
  readonly orphaned: boolean;
}

/** The account as it will be: everything that stands afterwards. */
export function resultingState(changes: readonly ResourceChange[], index: LiveIndex): readonly ResultingResource[] {
  const planned = changes.flatMap(({ address, change, kind, result }): ResultingResource[] =>
    result === null ? [] : [{ kind, ...result, address, orphaned: change?.action === "orphan" }],
  );
  const concerned = new Set(changes.flatMap(({ deleted }) => deleted.map(({ key }) => key)));
  for (const { resource } of planned) if (resource !== null) concerned.add(resource.key);
  const others = index.all.flatMap((resource): ResultingResource[] => {
    const { key, kind, spec } = resource;
    return concerned.has(key) ? [] : [{ kind, spec, resource, address: null, orphaned: false }];
  });
  return [...planned, ...others];
}

/** How a resulting resource is named for people. */
export function nameOfResulting({ kind, resource, address }: ResultingResource): string {
  if (address !== null) return address;
  if (resource === null) return kind.title;
  if (resource.owned) return addressOfLive(resource);
  const owner = resource.marker === null ? "which no stack owns" : `of stack ${JSON.stringify(resource.marker.stack)}`;
  return `${kind.title} ${resource.id} (${owner})`;
}

/**
 * Judges changes by what refers to the resource, too, directly or through others: each has the hazards of the referrer,
 * at least the impact that it would have there, and comes last when the referrer does.
 */
export function judgeByReferrers(
  changes: readonly ResourceChange[],
  { findings, index }: PlanContext,
): readonly ResourceChange[] {
  if (!changes.some(concernsReferrers)) return changes;
  const referrers = referrersAmong(resultingState(changes, index), index);
  return changes.map((change) => {
    const reached = concernsReferrers(change) ? referrersOf(change, referrers) : [];
    for (const resource of new Set(reached.map((referrer) => referrer.resource))) {
      for (const { code, message, remedy } of resource.kind.hazards?.(null, resource.spec) ?? [])
        findings.refuse(code, change.address, `${nameOfResulting(resource)} refers to it: ${message}`, remedy);
    }
    return reached.length === 0 ? change : judged(change, reached);
  });
}

type ResultingReferrer = Referrer<ResultingResource>;

function judged({ change, kind, sequence, ...rest }: ResourceChange, reached: readonly ResultingReferrer[]) {
  const impacts = reached.map(impactOn);
  const isLast = reached.some(({ resource }) => resource.kind.comesLast?.(resource.spec) === true);
  const fields = change?.fields.map((field) => (isNoticed(kind, field) ? raised(field, impacts) : field)) ?? [];
  return {
    ...rest,
    kind,
    change: change === null ? null : { ...raised(change, impacts), fields },
    sequence: isLast ? sequence.map((operation) => ({ ...operation, layer: 2 as const })) : sequence,
  };
}

/** The worst that a change of what it refers to can do to a referrer: as if it referred to nothing. */
function impactOn({ resource, field }: ResultingReferrer): ImpactReason {
  const { kind, spec } = resource;
  const impact = kind.fields[field]?.impact(spec[field] ?? null, null, { before: spec, after: spec }).impact ?? "none";
  return { impact, reason: `what ${nameOfResulting(resource)} does with traffic changes with it` };
}

function raised<T extends ImpactReason>(item: T, impacts: readonly ImpactReason[]): T {
  const { impact, reason } = worstOf<ImpactReason>([item, ...impacts]) ?? item;
  return { ...item, impact, reason };
}

/** Whether a change of something live touches more than words for people. */
function concernsReferrers({ change, kind, touched }: ResourceChange): boolean {
  return touched.length > 0 && change?.fields.some((field) => isNoticed(kind, field)) === true;
}

function isNoticed({ fields }: Kind, { path }: FieldChange): boolean {
  const field = fields[specPath(path)?.field ?? ""];
  return field !== undefined && !(field.impacts.length > 0 && field.impacts.every((impact) => impact === "cosmetic"));
}

function referrersOf(
  { touched }: ResourceChange,
  referrers: ReadonlyMap<string, readonly ResultingReferrer[]>,
): readonly ResultingReferrer[] {
  const keys = new Set(touched.map(({ key }) => key));
  const found: ResultingReferrer[] = [];
  // Grows while it is walked: referrers have referrers.
  for (const key of keys) {
    for (const referrer of referrers.get(key) ?? []) {
      found.push(referrer);
      if (referrer.resource.resource !== null) keys.add(referrer.resource.resource.key);
    }
  }
  return found;
}
