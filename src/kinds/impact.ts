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
