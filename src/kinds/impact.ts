import { type Value, isObject } from "../core/json.js";

/** Mildest first. */
export const impacts = ["none", "cosmetic", "routing", "security", "irreversible"] as const;

export type Impact = (typeof impacts)[number];

export function impactRank(impact: Impact): number {
  return impacts.indexOf(impact);
}

export function worstOf<T extends { readonly impact: Impact }>(items: Iterable<T>): T | null {
  let worst: T | null = null;
  for (const item of items) if (worst === null || impactRank(item.impact) > impactRank(worst.impact)) worst = item;
  return worst;
}

export function isAtLeast(impact: Impact, least: Impact): boolean {
  return impactRank(impact) >= impactRank(least);
}

export type ImpactRule = (before: Value, after: Value) => ImpactReason;

export const noImpact: ImpactReason = { impact: "none", reason: null };

export const neverAnyImpact: ImpactRule = () => noImpact;

export const cosmetic: ImpactRule = (before, after) =>
  before === null || after === null ? noImpact : { impact: "cosmetic", reason: null };

export function routing(reason: string): ImpactReason {
  return { impact: "routing", reason };
}

export function security(reason: string): ImpactReason {
  return { impact: "security", reason };
}

export function isOn(module: Value): boolean {
  return isObject(module) && module["enabled"] !== false;
}

export function moduleMember(module: Value, member: string): Value {
  return isObject(module) ? (module[member] ?? null) : null;
}

export type ImpactReason = Readonly<{
  impact: Impact;
  reason: string | null;
}>;
