import type { Spec } from "../json.js";
import type { Kind } from "../kinds/kind.js";
import type { Address } from "../kinds/names.js";
import { immutableDifferences } from "./diff.js";
import { type LiveIndex, type LiveResource, compare, push } from "./live-resource.js";
import type { PlanOptions } from "./options.js";
import { referencesOf } from "./references.js";
import { applyDefaults } from "./settle.js";
import type { FindingsCollector } from "./verdicts.js";

/** Which of several live resources with one name is meant, and what becomes of the others. */
export interface Chosen {
  readonly current: LiveResource | null;
  readonly retired: readonly LiveResource[];
  readonly duplicates: readonly LiveResource[];
  readonly refused: boolean;
}

const noResources: readonly LiveResource[] = [];

/**
 * Linked by `replaces`: a replacement cut short; the current one is that whose immutable fields are the desired ones,
 * else the newest. Not linked: twins, refused unless the address is allowed; then the one that is referred to, else the
 * older, is kept.
 */
export function chooseAmong(
  address: Address,
  kind: Kind,
  desired: Spec,
  candidates: readonly LiveResource[],
  index: LiveIndex,
  options: PlanOptions,
  verdicts: FindingsCollector,
): Chosen {
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1)
    return { current: only, retired: noResources, duplicates: noResources, refused: false };
  const newestFirst = candidates.toSorted((a, b) => b.createdAt - a.createdAt || compare(b.id, a.id));
  const fits = (resource: LiveResource): boolean => {
    const { spec } = applyDefaults(kind, desired, resource.spec, {
      ignore: [],
      moduleEndpoints: options.moduleEndpoints,
    });
    return immutableDifferences(kind, resource.spec, spec).length === 0;
  };
  if (isReplacementChain(candidates)) {
    const current = newestFirst.find(fits) ?? newestFirst[0] ?? null;
    return { current, retired: farthestFirst(candidates, current), duplicates: [], refused: false };
  }
  if (refuseDuplicates(address, candidates, verdicts)) {
    return { current: newestFirst.at(-1) ?? null, retired: candidates.slice(1), duplicates: [], refused: true };
  }
  // One that would have to be replaced at once is kept only when all would have to be.
  const fitting = newestFirst.filter(fits);
  const kept = chooseDuplicate(fitting.length > 0 ? fitting : newestFirst, index);
  return { current: kept, retired: [], duplicates: candidates.filter((other) => other !== kept), refused: false };
}

/** Refuses several live resources with one name; returns whether the refusal stands. */
export function refuseDuplicates(
  address: Address,
  candidates: readonly LiveResource[],
  verdicts: FindingsCollector,
): boolean {
  return verdicts.refuse(
    "duplicate-marker",
    address,
    `${candidates.length} live resources carry this name: ${candidates.map((one) => one.id).join(", ")}`,
    "delete the ones that are not wanted, or allow this address: then the one that is referred to, else the oldest, is kept and the others are deleted",
  );
}

/** Whether `replaces` holds them all together. */
export function isReplacementChain(candidates: readonly LiveResource[]): boolean {
  return nearestFirst(candidates, candidates[0] ?? null).length === candidates.length;
}

/** The others in an order in which they can go one by one while `replaces` still holds the rest together. */
function farthestFirst(candidates: readonly LiveResource[], kept: LiveResource | null): readonly LiveResource[] {
  return nearestFirst(candidates, kept).slice(1).toReversed();
}

/** Those that `replaces` leads to from one of them, itself first, by the number of links. */
function nearestFirst(candidates: readonly LiveResource[], from: LiveResource | null): readonly LiveResource[] {
  const byId = new Map(candidates.map((one) => [one.id, one]));
  const neighbours = new Map<LiveResource, LiveResource[]>();
  for (const one of candidates) {
    const replaced = byId.get(one.marker?.replaces ?? "");
    if (replaced === undefined) continue;
    push(neighbours, one, replaced);
    push(neighbours, replaced, one);
  }
  const reached = new Set(from === null ? [] : [from]);
  for (const one of reached) for (const next of neighbours.get(one) ?? []) reached.add(next);
  return [...reached];
}

function chooseDuplicate(newestFirst: readonly LiveResource[], index: LiveIndex): LiveResource | null {
  const referred = new Set<string>();
  for (const resource of index.all) {
    for (const key of referencesOf(resource.kind, resource.spec, index)) referred.add(key);
  }
  const used = newestFirst.filter((one) => referred.has(one.key));
  return used.at(-1) ?? newestFirst.at(-1) ?? null;
}
