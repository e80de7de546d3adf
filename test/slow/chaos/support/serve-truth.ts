import { impacts } from "../../../../src/kinds/impact.ts";
import type { Autonomy, StackPolicy } from "../../../../src/serve/fleet/fleet.ts";
import type { Wanted, WantedStack } from "./serve-desired.ts";

export interface Version<T> {
  readonly from: number;
  readonly value: T;
}

/** What was said at any time between two, the one that was in effect at the first included. */
export function during<T>(versions: readonly Version<T>[], from: number, to: number): readonly T[] {
  return versions.flatMap((one, at) => {
    const end = versions[at + 1]?.from ?? Infinity;
    return one.from <= to && end >= from ? [one.value] : [];
  });
}

export interface TrueChange {
  readonly address: string;
  readonly live: Wanted | undefined;
  readonly git: Wanted | undefined;
}

/** The fields that differ; "#" of what is not on both sides. */
export function differing({ git, live }: TrueChange): readonly string[] {
  if (git === undefined || live === undefined) return git === live ? [] : ["#"];
  return Object.keys(git).filter((field) => git[field] !== live[field]);
}

/** Why the policy can't allow a change unasked; null = it may. */
export function forbidden(
  change: TrueChange,
  { apply }: StackPolicy,
  history: readonly (WantedStack | null)[],
): string | null {
  const { address, git, live } = change;
  const fields = differing(change);
  const said = history.flatMap((stack) => (stack?.[address] === undefined ? [] : [stack[address]]));
  if (git === undefined && said.length === 0) return "a delete of what no commit removed";
  const isCommit =
    live === undefined || git === undefined || fields.every((field) => said.some((one) => one[field] === live[field]));
  const impact = impactOf(change);
  if (isCommit && allows(apply.commit, impact)) return null;
  if (git !== undefined && allows(apply.drift, impact)) return null;
  const origin = isCommit ? "any origin" : "drift";
  return `${fields.join(", ")} of impact ${impact} and ${origin}, although commit: ${apply.commit}, drift: ${apply.drift}`;
}

export function surelyAllowed(change: TrueChange, { apply }: StackPolicy): boolean {
  const impact = impactOf(change);
  // Whether the loop ever saw it in sync as it is, only the loop knows: without that nothing is deleted.
  return change.git !== undefined && allows(apply.commit, impact) && allows(apply.drift, impact);
}

type TrueImpact = (typeof impacts)[number];

function impactOf(change: TrueChange): TrueImpact {
  const { address, git, live } = change;
  // The modules of a deleted edge go with it: they leave nothing unguarded.
  if (git === undefined) return "routing";
  if (live === undefined) return address.startsWith("TLSEdge/") ? "routing" : "none";
  const all = differing(change).map((field): TrueImpact => {
    if (field === "description") return "cosmetic";
    return field === "min_version" && (live[field] ?? "") > (git[field] ?? "") ? "security" : "routing";
  });
  return impacts[Math.max(0, ...all.map((one) => impacts.indexOf(one)))] ?? "none";
}

function allows(autonomy: Autonomy, impact: TrueImpact): boolean {
  return autonomy !== "never" && impacts.indexOf(autonomy) >= impacts.indexOf(impact);
}
