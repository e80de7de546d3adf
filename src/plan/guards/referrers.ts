import { type ImpactReason, worstOf } from "../../kinds/impact.js";
import type { Kind } from "../../kinds/kind.js";
import { specPath } from "../diff.js";
import { type Referrer, referrersAmong } from "../live-index.js";
import type { PlanContext } from "../plan-context.js";
import type { FieldChange } from "../plan-format.js";
import { isReferable } from "../proposed-state.js";
import type { ResourceChange } from "../resource-change.js";
import { type ResultingResource, nameOfResulting, resultingState } from "./planned-state.js";

/**
 * Judges changes by what refers to the resource, too, directly or through others: each has the hazards of the referrer,
 * at least the impact that it would have there, and comes last when the referrer does.
 */
export function judgeByReferrers(
  changes: readonly ResourceChange[],
  { findings, index }: PlanContext,
): readonly ResourceChange[] {
  if (!changes.some(concernsReferrers)) return changes;
  const referrers = referrersAmong(resultingState(changes, index).resources, index);
  return changes.map((change) => {
    const reached = concernsReferrers(change) ? referrersOf(change, referrers) : [];
    for (const resource of new Set(reached.map((referrer) => referrer.resource))) {
      for (const { code, message, remedy } of resource.kind.hazards?.(null, resource.spec) ?? [])
        findings.refuse(code, change.address, `${nameOfResulting(resource)} refers to it: ${message}`, remedy);
    }
    return reached.length === 0 ? change : judged(change, reached);
  });
}

function judged(of: ResourceChange, reached: readonly ResultingReferrer[]): ResourceChange {
  const impacts = reached.map(impactOn);
  const isLast = reached.some(({ resource: { kind, spec } }) => kind.comesLast?.(spec) === true);
  const fields = of.change?.fields.map((field) => (isNoticed(of.kind, field) ? raised(field, impacts) : field)) ?? [];
  return {
    ...of,
    change: of.change === null ? null : { ...raised(of.change, impacts), fields },
    sequence: isLast ? of.sequence.map((operation) => ({ ...operation, layer: 2 })) : of.sequence,
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

type ResultingReferrer = Referrer<ResultingResource>;

/** Whether a change of something live touches more than words for people. */
function concernsReferrers({ change, kind, touched }: ResourceChange): boolean {
  return touched.length > 0 && isReferable(kind) && change?.fields.some((field) => isNoticed(kind, field)) === true;
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
