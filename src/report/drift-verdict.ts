import { type Drift, type Finding, findingTypes } from "../plan/drift-findings.js";
import type { Impact } from "../plan/plan-format.js";
import { count } from "./count.js";
import { groupBy } from "./groups.js";
import { impactRank } from "./rank.js";

/** What heads a drift report. */
export interface DriftHeadline {
  readonly impact: Impact;
  /** `3 findings: 1 missing, 2 modified`, or that there are none. */
  readonly headline: string;
}

/** Judges drift by the worst of its findings. */
export function driftHeadline(drift: Drift): DriftHeadline {
  if (drift.findings.length === 0) return { impact: "none", headline: "No drift. Live is what the manifests say." };
  let worst: Impact = "none";
  for (const finding of drift.findings) if (impactRank(finding.impact) > impactRank(worst)) worst = finding.impact;
  const parts = findingsByType(drift).map(({ key, items }) => `${items.length} ${key}`);
  return { impact: worst, headline: `${count(drift.findings.length, "finding")}: ${parts.join(", ")}` };
}

/** Findings by type, in the order in which they are shown. */
export function findingsByType(
  drift: Drift,
): readonly { readonly key: Finding["type"]; readonly items: readonly Finding[] }[] {
  return groupBy(drift.findings, findingTypes, (finding) => finding.type);
}
