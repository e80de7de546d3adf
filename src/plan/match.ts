import type { Spec } from "../json.js";
import type { Kind } from "../kinds/kind.js";
import { type Address, addressOf } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import { applyDefaults } from "./apply-defaults.js";
import { immutableDifferences } from "./diff.js";
import type { FindingsCollector } from "./findings-collector.js";
import { type LiveIndex, type LiveResource, compare, instanceKey, push, referencesOf } from "./live-index.js";
import type { PlanOptions } from "./options.js";

/** How a manifest came to its live resource. `modules`: an HTTPS edge or route, which nobody owns. */
type MatchedBy = "marker" | "adopt" | "take-over" | "rename" | "new" | "modules";

/** A manifest and what is live of it. */
export interface Match {
  readonly address: Address;
  readonly kind: Kind;
  readonly manifest: Manifest;
  /** Normal form, neither settled nor resolved. */
  readonly desired: Spec;
  readonly matchedBy: MatchedBy;
  readonly current: LiveResource | null;
  /** Older or newer ones of a replacement that was cut short; to be retired. */
  readonly retired: readonly LiveResource[];
  /** Twins to be deleted, as allowed. */
  readonly duplicates: readonly LiveResource[];
  /** Nothing can be planned for it: a refusal says why. */
  readonly refused: boolean;
}

export interface Matches {
  readonly matches: readonly Match[];
  /** Owned resources that no manifest speaks of. */
  readonly unclaimed: readonly LiveResource[];
}

/** Finds the live resource of every manifest: marker name, else id, else a previous name. */
export function matchAll(
  manifests: readonly Manifest[],
  index: LiveIndex,
  options: PlanOptions,
  verdicts: FindingsCollector,
): Matches {
  const taken = new Map<string, Address>();
  // Markers first: what a marker names is nobody else's to claim by id or previous name.
  const byMarker = manifests.map((manifest) => {
    const candidates = index.owned.get(manifest.address);
    if (candidates === undefined) return null;
    return markTaken(matchByMarker(manifest, candidates, index, options, verdicts), taken);
  });
  const names = new Set(byMarker.includes(null) ? manifests.map((manifest) => manifest.address) : []);
  const matches = manifests.map(
    (manifest, place) =>
      byMarker[place] ?? markTaken(matchOtherwise(manifest, names, taken, index, options, verdicts), taken),
  );
  const leftovers = index.all.filter((resource) => resource.owned && !taken.has(resource.key));
  return { matches, unclaimed: leftovers };
}

function markTaken(match: Match, taken: Map<string, Address>): Match {
  if (match.current !== null) taken.set(match.current.key, match.address);
  for (const resource of match.retired) taken.set(resource.key, match.address);
  for (const resource of match.duplicates) taken.set(resource.key, match.address);
  return match;
}

function matchByMarker(
  manifest: Manifest,
  candidates: readonly LiveResource[],
  index: LiveIndex,
  options: PlanOptions,
  verdicts: FindingsCollector,
): Match {
  const kind = kinds[manifest.kind];
  const desired = specFromManifest(kind, manifest.spec);
  const chosen = chooseAmong(manifest.address, kind, desired, candidates, index, options, verdicts);
  const { current } = chosen;
  const found = matchOf(manifest, desired, "marker", chosen);
  const id = manifest.id;
  if (id === null || current === null || candidates.some((candidate) => candidate.id === id)) return found;
  const other = index.byInstance.get(instanceKey(kind.kind, id));
  if (other === undefined) {
    verdicts.warn(
      "id-gone",
      `metadata.id ${id} is not live; ${current.id} carries this name and is used`,
      manifest.address,
    );
    return found;
  }
  // The adopted one was replaced: the one that replaced it is meant.
  if (candidates.some((candidate) => candidate.marker?.replaces === id)) return found;
  verdicts.refuse(
    "ownership-conflict",
    manifest.address,
    `metadata.id says ${id}, but ${current.id} already carries this name and both are live`,
    `remove metadata.id to keep ${current.id}, or give ${id} a manifest of its own`,
  );
  return { ...found, refused: true };
}

function matchOtherwise(
  manifest: Manifest,
  names: ReadonlySet<Address>,
  taken: ReadonlyMap<string, Address>,
  index: LiveIndex,
  options: PlanOptions,
  verdicts: FindingsCollector,
): Match {
  const match = matchOf(manifest, specFromManifest(kinds[manifest.kind], manifest.spec), "new", nobody);
  if (match.kind.collection === null) {
    const current = manifest.id === null ? undefined : index.byInstance.get(instanceKey(match.kind.kind, manifest.id));
    return { ...match, matchedBy: "modules", current: current ?? null };
  }
  if (manifest.id !== null) return matchById(match, manifest.id, names, taken, index, options, verdicts);
  for (const name of manifest.previousNames) {
    const former = addressOf(match.kind.kind, name);
    const candidates = names.has(former) ? [] : (index.owned.get(former) ?? []);
    if (candidates.length === 0 || candidates.some((candidate) => taken.has(candidate.key))) continue;
    const chosen = chooseAmong(manifest.address, match.kind, match.desired, candidates, index, options, verdicts);
    return { ...match, matchedBy: "rename", ...chosen };
  }
  return match;
}

function matchById(
  match: Match,
  id: string,
  names: ReadonlySet<Address>,
  taken: ReadonlyMap<string, Address>,
  index: LiveIndex,
  options: PlanOptions,
  verdicts: FindingsCollector,
): Match {
  const { address, kind } = match;
  const current = index.byInstance.get(instanceKey(kind.kind, id));
  if (current === undefined) {
    verdicts.refuse(
      "id-not-live",
      address,
      `metadata.id says ${id}, and the service has no ${kind.title} with that id`,
      "correct the id, or remove metadata.id to have a new one made",
    );
    return { ...match, refused: true };
  }
  const holder = taken.get(instanceKey(kind.kind, id));
  const marker = current.marker;
  const former = marker === null ? null : addressOf(kind.kind, marker.name);
  if (holder !== undefined || (current.owned && former !== null && names.has(former))) {
    verdicts.refuse(
      "ownership-conflict",
      address,
      `metadata.id says ${id}, which already is ${holder ?? former ?? "another's"}`,
      "let one manifest describe it",
    );
    return { ...match, refused: true };
  }
  if (current.owned) return { ...match, matchedBy: "rename", current };
  if (marker === null) return { ...match, matchedBy: "adopt", current };
  if (options.takeOver) return { ...match, matchedBy: "take-over", current };
  verdicts.refuse(
    "ownership-conflict",
    address,
    `${id} belongs to stack ${JSON.stringify(marker.stack)} as ${former ?? ""}`,
    "let that stack give it up (lifecycle.deletion: orphan), or take it over on purpose with --take-over",
  );
  return { ...match, refused: true };
}

const nobody: Chosen = { current: null, retired: [], duplicates: [], refused: false };

function matchOf(manifest: Manifest, desired: Spec, how: MatchedBy, chosen: Chosen): Match {
  const { current, refused, retired, duplicates: surplus } = chosen;
  const { address } = manifest;
  return {
    address,
    kind: kinds[manifest.kind],
    manifest,
    desired,
    matchedBy: how,
    current,
    retired,
    duplicates: surplus,
    refused,
  };
}

/** Which of several live resources with one name is meant, and what becomes of the others. */
interface Chosen {
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
function chooseAmong(
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
