import { type Spec, type Value, isObject } from "../core/json.js";

/** The worst that a change can do to traffic, mildest first. */
export const impacts = ["none", "cosmetic", "routing", "security", "irreversible"] as const;

export type Impact = (typeof impacts)[number];

/** How grave an impact is, 0 for none. */
export function impactRank(impact: Impact): number {
  return impacts.indexOf(impact);
}

/** The item with the gravest impact, the first of several; null when there is none. */
export function worstOf<T extends { readonly impact: Impact }>(items: Iterable<T>): T | null {
  let worst: T | null = null;
  for (const item of items) if (worst === null || impactRank(item.impact) > impactRank(worst.impact)) worst = item;
  return worst;
}

/** Whether an impact is as grave as `least`, or worse. */
export function isAtLeast(impact: Impact, least: Impact): boolean {
  return impactRank(impact) >= impactRank(least);
}

/** What a change of a value does to traffic. */
export type ImpactRule = (before: Value, after: Value) => ImpactReason;

/** No impact at all. */
export const noImpact: ImpactReason = { impact: "none", reason: null };

/** Nothing that anybody could notice. */
export const neverAnyImpact: ImpactRule = () => noImpact;

/** Words for people and machines beside the traffic. */
export const cosmetic: ImpactRule = (before, after) =>
  before === null || after === null ? noImpact : { impact: "cosmetic", reason: null };

/** Traffic goes elsewhere or gets another answer. */
export function routing(reason: string): ImpactReason {
  return { impact: "routing", reason };
}

/** Traffic is let through that was not, or is not protected as it was. */
export function security(reason: string): ImpactReason {
  return { impact: "security", reason };
}

/** Whether a module value is there and applied to traffic. */
export function isOn(module: Value): boolean {
  return isObject(module) && module["enabled"] !== false;
}

/** A member of a module value. */
export function moduleMember(module: Value, member: string): Value {
  return isObject(module) ? (module[member] ?? null) : null;
}

/** What one change of a field can do, and why in words. */
export interface ImpactReason {
  readonly impact: Impact;
  readonly reason: string | null;
}

/** A resource before and after a change; null when it is made or deleted. */
export interface WholeResource {
  readonly before: Spec | null;
  readonly after: Spec | null;
}
