import type { Spec } from "../core/json.js";
import type { Deletion, Kind, Replaced } from "../kinds/kind.js";
import { describeLock } from "../kinds/lock-object.js";
import { type Address, addressOf } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import { applyDefaults } from "./apply-defaults.js";
import { immutableDifferences } from "./diff.js";
import { type LiveResource, addressOfLive, compareText, instanceKey, push, referrersAmong } from "./live-index.js";
import type { PlanContext } from "./plan-context.js";

/** How a manifest came to its live resource. `modules`: an HTTPS edge or route, which no stack owns. */
type MatchedBy = "marker" | "adopt" | "take-over" | "rename" | "new" | "modules";

/** A manifest and its live resource. */
export interface Match {
  readonly address: Address;
  readonly kind: Kind;
  readonly manifest: Manifest;
  /** Normal form, without defaults and with references as the manifest gives them. */
  readonly desired: Spec;
  readonly matchedBy: MatchedBy;
  readonly current: LiveResource | null;
  /** Older or newer resources of an interrupted replacement; to be retired. */
  readonly retired: readonly LiveResource[];
  /** Duplicates to be deleted, as allowed. */
  readonly duplicates: readonly LiveResource[];
  /** Nothing can be planned for it: a refusal or a warning says why. */
  readonly refused: boolean;
}

/** What `matchAll` found. */
export interface Matches {
  readonly matches: readonly Match[];
  /** Owned resources without a manifest. */
  readonly unclaimed: readonly LiveResource[];
}

/**
 * Finds the live resource of every manifest: marker name, else id, else a previous name.
 * @param manifests in the order of plans
 */
export function matchAll(manifests: readonly Manifest[], context: PlanContext): Matches {
  const { mine, owned } = context.index;
  // Markers first: what a marker names can't be claimed by the id or previous name of another manifest.
  const byMarker: (Match | null)[] = [];
  let areDifferent = true;
  let before: Address | null = null;
  let described: ReadonlySet<Address> | null = null;
  const isDescribed = (address: Address): boolean =>
    (described ??= new Set(manifests.map((manifest) => manifest.address))).has(address);
  for (const manifest of manifests) {
    areDifferent &&= manifest.address !== before;
    before = manifest.address;
    const candidates = withReplaced(owned.get(manifest.address), isDescribed, context);
    byMarker.push(candidates === undefined ? null : matchByMarker(manifest, candidates, context));
  }
  const found = byMarker.filter((match) => match !== null);
  // Mostly there is one resource for each manifest, by name: none is left, and nobody has to look further.
  const isOneForEach = owned.size === mine.length && found.length === mine.length && areDifferent;
  if (isOneForEach && found.length === manifests.length) return { matches: found, unclaimed: [] };
  const taken = new Map<string, Address>();
  for (const match of found) markTaken(match, taken);
  const matches = manifests.map(
    (manifest, place) => byMarker[place] ?? markTaken(matchOtherwise(manifest, { isDescribed, taken }, context), taken),
  );
  return { matches, unclaimed: mine.filter((resource) => !taken.has(resource.key)) };
}

/** What manifests have: which addresses, and by instance key the live resources that they are matched with. */
interface Others {
  readonly isDescribed: (address: Address) => boolean;
  readonly taken: ReadonlyMap<string, Address>;
}

/**
 * What carries a name, and what that replaces under a former name: a replacement that also renames may be cut short. Not
 * where other manifests may have that name.
 */
function withReplaced(
  named: readonly LiveResource[] | undefined,
  isDescribed: Others["isDescribed"],
  { index, options }: PlanContext,
): readonly LiveResource[] | undefined {
  if (options.lookUp || named?.every(({ marker }) => marker?.replaces === undefined) !== false) return named;
  const found = new Set(named);
  for (const one of found) {
    const old = index.replacedBy(one);
    if (old === undefined || !old.owned || isDescribed(addressOfLive(old))) continue;
    index.owned.get(addressOfLive(old))?.forEach((namesake) => found.add(namesake));
  }
  return [...found];
}

function markTaken(match: Match, taken: Map<string, Address>): Match {
  if (match.current !== null) taken.set(match.current.key, match.address);
  for (const resource of match.retired) taken.set(resource.key, match.address);
  for (const resource of match.duplicates) taken.set(resource.key, match.address);
  return match;
}

/** The one candidate, when it is what the manifest means beyond doubt. */
function onlyOne({ id }: Manifest, candidates: readonly LiveResource[]): LiveResource | null {
  const [only] = candidates;
  return only !== undefined && candidates.length === 1 && (id === null || id === only.id) ? only : null;
}

function matchByMarker(manifest: Manifest, candidates: readonly LiveResource[], context: PlanContext): Match {
  const { findings, index } = context;
  const only = onlyOne(manifest, candidates);
  if (only !== null) return matchOf(manifest, "marker", only);
  const unmatched = matchOf(manifest, "new", null);
  const found: Match = { ...unmatched, matchedBy: "marker", ...chooseAmong(candidates, unmatched, context) };
  const { current } = found;
  const { id, address } = manifest;
  if (id === null || current === null || candidates.some((candidate) => candidate.id === id)) return found;
  if (!index.byInstance.has(instanceKey(found.kind.kind, id))) {
    findings.warn("id-gone", `metadata.id ${id} is not live; ${current.id} carries this name and is used`, address);
    return found;
  }
  // The adopted resource was replaced: what replaces it, or replaced it once, is meant.
  if (candidates.some(({ marker }) => marker?.replaces === id || marker?.adopted === id)) return found;
  findings.refuse(
    "ownership-conflict",
    address,
    `metadata.id is ${id}, but ${current.id} already carries this name and both are live`,
    `remove metadata.id to keep ${current.id}, or give ${id} a manifest of its own`,
  );
  return { ...found, refused: true };
}

function matchOtherwise(manifest: Manifest, others: Others, context: PlanContext): Match {
  const { index } = context;
  const match = matchOf(manifest, "new", null);
  const { kind } = match.kind;
  if (match.kind.collection === null) {
    const current = manifest.id === null ? undefined : index.byInstance.get(instanceKey(kind, manifest.id));
    return { ...match, matchedBy: "modules", current: current ?? null };
  }
  if (manifest.id !== null) return matchById(match, manifest.id, others, context);
  for (const name of manifest.previousNames) {
    const former = addressOf(kind, name);
    const candidates = others.isDescribed(former)
      ? []
      : (withReplaced(index.owned.get(former), others.isDescribed, context) ?? []);
    if (candidates.length === 0 || candidates.some((candidate) => others.taken.has(candidate.key))) continue;
    return { ...match, matchedBy: "rename", ...chooseAmong(candidates, match, context) };
  }
  return match;
}

function matchById(
  match: Match,
  id: string,
  { isDescribed, taken }: Others,
  { findings, index, live, options }: PlanContext,
): Match {
  const { address, kind } = match;
  const current = index.byInstance.get(instanceKey(kind.kind, id));
  const lock = live.locks?.find((each) => each.id === id);
  if (current === undefined && lock !== undefined) {
    findings.refuse(
      "ownership-conflict",
      address,
      `metadata.id is ${id}, which is the account's lock and not a resource: ${describeLock(lock)}`,
      "remove metadata.id; `edgewise unlock` removes a lock that was left behind",
    );
    return { ...match, refused: true };
  }
  if (current === undefined) {
    findings.refuse(
      "id-not-live",
      address,
      `metadata.id is ${id}, but the service has no ${kind.title} with that id`,
      "correct the id, or remove metadata.id to create a new one",
    );
    return { ...match, refused: true };
  }
  const holder = taken.get(instanceKey(kind.kind, id));
  const marker = current.marker;
  const former = marker === null ? null : addressOf(kind.kind, marker.name);
  if (holder !== undefined || (current.owned && former !== null && isDescribed(former))) {
    findings.refuse(
      "ownership-conflict",
      address,
      `metadata.id is ${id}, which is already ${holder ?? former ?? "another's"}`,
      "describe it in one manifest only",
    );
    return { ...match, refused: true };
  }
  if (current.owned) return { ...match, matchedBy: "rename", current };
  const managed = kind.managedByService?.(current.wire) ?? null;
  if (managed !== null) {
    findings.warn("managed-by-service", `${id} is not adopted: ${managed}; remove the manifest`, address);
    return { ...match, refused: true };
  }
  if (marker === null) return { ...match, matchedBy: "adopt", current };
  if (options.takeOver) return { ...match, matchedBy: "take-over", current };
  findings.refuse(
    "ownership-conflict",
    address,
    `${id} belongs to stack ${JSON.stringify(marker.stack)} as ${former ?? ""}`,
    "have that stack release it (lifecycle.deletion: orphan), or take it over with --take-over",
  );
  return { ...match, refused: true };
}

const noResources: readonly LiveResource[] = [];

function matchOf(manifest: Manifest, matchedBy: MatchedBy, current: LiveResource | null): Match {
  const kind = kinds[manifest.kind];
  return {
    address: manifest.address,
    kind,
    manifest,
    desired: specFromManifest(kind, manifest.spec),
    matchedBy,
    current,
    retired: noResources,
    duplicates: noResources,
    refused: false,
  };
}

/** The manifest's lifecycle with the defaults of its kind. */
export function lifecycleOf({ manifest, kind }: Match): { readonly deletion: Deletion; readonly replaced: Replaced } {
  const { deletion, replaced } = manifest.lifecycle;
  return { deletion: deletion ?? kind.defaults.deletion, replaced: replaced ?? kind.defaults.replaced };
}

/** Which of several live resources with one name is meant, and what becomes of the others. */
type Chosen = Pick<Match, "current" | "retired" | "duplicates" | "refused">;

/**
 * Linked by `replaces`: an interrupted replacement; the current resource is the one whose immutable fields are the
 * desired ones, else the newest. Not linked: duplicates, refused unless the address is allowed; then the one that is
 * referred to, else the older, is kept.
 */
function chooseAmong(
  candidates: readonly LiveResource[],
  { address, kind, desired }: Match,
  context: PlanContext,
): Chosen {
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1)
    return { current: only, retired: noResources, duplicates: noResources, refused: false };
  const newestFirst = candidates.toSorted((a, b) => b.createdAt - a.createdAt || compareText(b.id, a.id));
  const { moduleEndpoints } = context.options;
  const fits = (resource: LiveResource): boolean => {
    const { spec } = applyDefaults(kind, desired, resource.spec, { ignore: [], moduleEndpoints });
    return immutableDifferences(kind, resource.spec, spec).length === 0;
  };
  if (isReplacementChain(candidates)) {
    const current = newestFirst.find(fits) ?? newestFirst[0] ?? null;
    return { current, retired: farthestFirst(candidates, current), duplicates: [], refused: false };
  }
  if (refuseDuplicates(address, candidates, context)) {
    return { current: newestFirst.at(-1) ?? null, retired: candidates.slice(1), duplicates: [], refused: true };
  }
  // One that would have to be replaced at once is kept only when all would have to be.
  const fitting = newestFirst.filter(fits);
  const kept = chooseDuplicate(fitting.length > 0 ? fitting : newestFirst, context);
  return { current: kept, retired: [], duplicates: candidates.filter((other) => other !== kept), refused: false };
}

/** Refuses several live resources with one name; returns whether the refusal stands. */
export function refuseDuplicates(
  address: Address,
  candidates: readonly LiveResource[],
  { findings }: PlanContext,
): boolean {
  return findings.refuse(
    "duplicate-marker",
    address,
    `${candidates.length} live resources carry this name: ${candidates.map((one) => one.id).join(", ")}`,
    "delete the ones that are not wanted, or {allow}: then the one that is referred to, else the oldest, is kept and the others are deleted",
  );
}

/** Whether `replaces` links them all. */
export function isReplacementChain(candidates: readonly LiveResource[]): boolean {
  return nearestFirst(candidates, candidates[0] ?? null).length === candidates.length;
}

/** The others in an order in which they can be deleted one by one while `replaces` still links the rest. */
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

function chooseDuplicate(newestFirst: readonly LiveResource[], { index }: PlanContext): LiveResource | null {
  const referred = referrersAmong(index.all, index);
  const used = newestFirst.filter((one) => referred.has(one.key));
  return used.at(-1) ?? newestFirst.at(-1) ?? null;
}
