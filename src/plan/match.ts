import { EdgewiseError } from "../core/errors.js";
import type { Spec, Value } from "../core/json.js";
import { addrOf } from "../kinds/codecs.js";
import type { Deletion, Kind, Reference, ReferenceTarget, Replaced } from "../kinds/kind.js";
import { type Address, addressOf } from "../kinds/names.js";
import { specFromManifest } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Manifest } from "../manifest/manifest.js";
import { applyDefaults, diff, type Differences, immutableDifferences, type WithDefaults } from "./diff.js";
import {
  compareText,
  instanceKey,
  type LiveIndex,
  type LiveResource,
  referrersAmong,
  replacedBy,
} from "./live-index.js";
import type { PlanContext } from "./plan-context.js";

export type Match = Readonly<{
  address: Address;
  kind: Kind;
  manifest: Manifest;
  desired: Spec;
  /** `modules`: an HTTPS edge or route, which no stack owns. */
  matchedBy: "marker" | "adopt" | "take-over" | "rename" | "new" | "modules";
  current: LiveResource | null;
  retired: readonly LiveResource[];
  duplicates: readonly LiveResource[];
  refused: boolean;
}>;

export function matchAll(manifests: readonly Manifest[], context: PlanContext) {
  const { mine, owned } = context.index;
  const taken = new Map<string, Address>();
  const take = (match: Match): Match => {
    const { address, current, duplicates, retired } = match;
    for (const one of [current, ...retired, ...duplicates]) if (one !== null) taken.set(one.key, address);
    return match;
  };
  // Markers come before ids and previous names.
  const found = manifests.map(newMatch).map((match) => {
    const candidates = owned.get(match.address) ?? [];
    return { match, byMarker: candidates.length === 0 ? null : take(matchByMarker(match, candidates, context)) };
  });
  const matches = found.map(({ match, byMarker }) => byMarker ?? take(matchOtherwise(match, taken, context)));
  return { matches, unclaimed: mine.filter(({ key }) => !taken.has(key)) };
}

function matchByMarker(match: Match, candidates: readonly LiveResource[], context: PlanContext): Match {
  const { findings, index } = context;
  const { address, kind, manifest } = match;
  const { id } = manifest;
  const found: Match = { ...match, matchedBy: "marker", ...chooseAmong(candidates, match, context) };
  const { current } = found;
  if (id === null || current === null || candidates.some((candidate) => candidate.id === id)) return found;
  if (!index.byInstance.has(instanceKey(kind.kind, id))) {
    findings.warn("id-gone", `metadata.id ${id} is not live; ${current.id} carries this name and is used`, address);
    return found;
  }
  if (candidates.some(({ marker }) => marker?.replaces === id || marker?.adopted === id)) return found;
  const message = `metadata.id is ${id}, but ${current.id} already carries this name and both are live`;
  const remedy = `remove metadata.id to keep ${current.id}, or give ${id} a manifest of its own`;
  return refused(found, context, "ownership-conflict", message, remedy);
}

function refused(
  match: Match,
  { findings }: PlanContext,
  code: "ownership-conflict" | "id-not-live",
  message: string,
  remedy: string,
): Match {
  findings.refuse(code, match.address, message, remedy);
  return { ...match, refused: true };
}

type Taken = ReadonlyMap<string, Address>;

function matchOtherwise(match: Match, taken: Taken, context: PlanContext): Match {
  const { index } = context;
  const { manifest } = match;
  const { collection, kind } = match.kind;
  if (collection === null) {
    const current = index.byInstance.get(instanceKey(kind, manifest.id ?? "")) ?? null;
    return { ...match, matchedBy: "modules", current };
  }
  if (manifest.id !== null) return matchById(match, manifest.id, taken, context);
  const former = manifest.previousNames
    .map((name) => index.owned.get(addressOf(kind, name)) ?? [])
    .find((candidates) => candidates.length > 0 && !candidates.some(({ key }) => taken.has(key)));
  return former === undefined ? match : { ...match, matchedBy: "rename", ...chooseAmong(former, match, context) };
}

function matchById(match: Match, id: string, taken: Taken, context: PlanContext): Match {
  const { findings, index, options } = context;
  const { address, kind } = match;
  const current = index.byInstance.get(instanceKey(kind.kind, id));
  if (current === undefined) {
    const message = `metadata.id is ${id}, but the service has no ${kind.title} with that id`;
    return refused(match, context, "id-not-live", message, "correct it, or remove it to create a new one");
  }
  const { marker } = current;
  const holder = taken.get(current.key);
  if (holder !== undefined) {
    const message = `metadata.id is ${id}, which is already ${holder}`;
    return refused(match, context, "ownership-conflict", message, "describe it in one manifest only");
  }
  if (current.owned) return { ...match, matchedBy: "rename", current };
  const managed = kind.managedByService(current.wire);
  if (managed !== null) {
    findings.warn("managed-by-service", `${id} is not adopted: ${managed}; remove the manifest`, address);
    return { ...match, refused: true };
  }
  if (marker === null) return { ...match, matchedBy: "adopt", current };
  if (options.takeOver) return { ...match, matchedBy: "take-over", current };
  const message = `${id} belongs to stack ${JSON.stringify(marker.stack)} as ${addressOf(kind.kind, marker.name)}`;
  const remedy = "have that stack release it (lifecycle.deletion: orphan), or take it over with --take-over";
  return refused(match, context, "ownership-conflict", message, remedy);
}

function newMatch(manifest: Manifest): Match {
  const kind = kinds[manifest.kind];
  const desired = specFromManifest(kind, manifest.spec);
  const nothing = { current: null, retired: [], duplicates: [], refused: false };
  return { address: manifest.address, kind, manifest, desired, matchedBy: "new", ...nothing };
}

export function lifecycleOf({ manifest, kind }: Match): Readonly<{ deletion: Deletion; replaced: Replaced }> {
  const { deletion, replaced } = manifest.lifecycle;
  return { deletion: deletion ?? kind.defaults.deletion, replaced: replaced ?? kind.defaults.replaced };
}

/** Linked by `replaces` they are an interrupted replacement, else duplicates. */
function chooseAmong(
  candidates: readonly LiveResource[],
  { address, kind, desired }: Match,
  context: PlanContext,
): Partial<Match> {
  const [only = null] = candidates;
  if (candidates.length === 1) return { current: only };
  const newestFirst = candidates.toSorted((a, b) => b.createdAt - a.createdAt || compareText(b.id, a.id));
  const { index, options } = context;
  const fitting = newestFirst.filter((resource) => {
    const { spec } = applyDefaults(kind, desired, resource.spec, { ...options, ignore: [] });
    return immutableDifferences(kind, resource.spec, spec).length === 0;
  });
  if (isReplacementChain(candidates)) {
    const current = fitting[0] ?? newestFirst[0];
    // Deleted one by one while `replaces` links the rest.
    return { current: current ?? null, retired: nearestFirst(candidates, current).slice(1).toReversed() };
  }
  if (refuseDuplicates(address, candidates, context))
    return { current: newestFirst.at(-1) ?? null, retired: candidates, refused: true };
  // One to be replaced at once is kept only when all would be.
  const possible = fitting.length > 0 ? fitting : newestFirst;
  const referred = referrersAmong(index.all, index);
  const kept = possible.findLast((one) => referred.has(one.key)) ?? possible.at(-1) ?? null;
  return { current: kept, duplicates: candidates.filter((other) => other !== kept) };
}

export function refuseDuplicates(
  address: Address,
  candidates: readonly LiveResource[],
  { findings }: PlanContext,
): boolean {
  return findings.refuse(
    "duplicate-marker",
    address,
    `${candidates.length} live resources carry this name: ${candidates.map((one) => one.id).join(", ")}`,
    "delete all but one, or {allow}: then the one that is referred to, else the oldest, is kept and the others are deleted",
  );
}

export function isReplacementChain(candidates: readonly LiveResource[]): boolean {
  return nearestFirst(candidates, candidates[0]).length === candidates.length;
}

function nearestFirst(candidates: readonly LiveResource[], from: LiveResource | undefined): readonly LiveResource[] {
  const reached = new Set(from === undefined ? [] : [from]);
  for (const { id, marker } of reached)
    for (const one of candidates) if (one.id === marker?.replaces || one.marker?.replaces === id) reached.add(one);
  return [...reached];
}

export type ProposedState = WithDefaults &
  Readonly<{
    match: Match;
    compared: ComparedWithLive | null;
    replacedFor: readonly string[];
  }>;

export type ComparedWithLive = Readonly<{
  current: LiveResource;
  differences: Differences;
}>;

export type ComparedAll = Readonly<{
  manifests: readonly Manifest[];
  states: readonly ProposedState[];
  unclaimed: readonly LiveResource[];
  context: PlanContext;
}>;

export function proposeStates(matches: readonly Match[], context: PlanContext): readonly ProposedState[] {
  const defaulted = matches.map((match) => {
    const { current, desired, kind, manifest, refused } = match;
    const live = current === null ? null : withWhatIsToCome(current, context.index);
    const options = { ignore: manifest.lifecycle.ignore, moduleEndpoints: context.options.moduleEndpoints };
    const completed = applyDefaults(kind, desired, live, options);
    const replacedFor = live === null || refused ? [] : immutableDifferences(kind, live, completed.spec);
    return { match, replacedFor, ...completed };
  });
  // References to what is replaced are resolved later.
  const described = new Map(defaulted.map((one) => [one.match.address, one]));
  return defaulted.map((one): ProposedState => {
    const { kind, current } = one.match;
    const spec = resolveSpec(kind, one.spec, (reference) => resolveReference(reference, one.match, described, context));
    if (current === null) return { ...one, spec, compared: null };
    const differences = diff(kind, current.spec, spec);
    const isSame = differences.changed.length === 0 && differences.uncertain.length === 0;
    return { ...one, spec: isSame ? current.spec : spec, compared: { current, differences } };
  });
}

/** With what a create doesn't take, from the one that it replaces. */
function withWhatIsToCome(current: LiveResource, index: LiveIndex): Spec {
  const { kind, spec } = current;
  // It may have another name.
  const replaced = replacedBy(current, index);
  const missing = kind.fieldList.filter(({ field, name }) => field.write === "update" && (spec[name] ?? null) === null);
  if (replaced?.owned !== true || missing.length === 0) return spec;
  return { ...spec, ...Object.fromEntries(missing.map(({ name }) => [name, replaced.spec[name] ?? null])) };
}

function resolveSpec(kind: Kind, spec: Spec, resolve: (reference: Reference) => ReferenceTarget | null): Spec {
  const resolved = kind.fieldList.flatMap(({ field: { codec }, name }): [string, Value][] => {
    const value = spec[name] ?? null;
    return codec.resolve === undefined || value === null ? [] : [[name, codec.resolve(value, resolve)]];
  });
  return { ...spec, ...Object.fromEntries(resolved) };
}

function resolveReference(
  { kind, part, target }: Reference,
  from: Match,
  described: ReadonlyMap<Address, Pick<ProposedState, "match" | "replacedFor">>,
  { findings, index, live: { unreadable }, options: { lookUp, stack: own } }: PlanContext,
): ReferenceTarget | null {
  if ("stack" in target && kind !== null) {
    const { named, stack } = target;
    const found = index.all.filter(
      (one) => one.kind.kind === kind && one.marker?.stack === stack && one.marker.name === named,
    );
    if (found.length === 1 && found[0] !== undefined) return { id: found[0].id };
    const what = `${addressOf(kind, named)} of the stack ${stack}`;
    const isUnread = unreadable.some((one) => one.kind === kind);
    const missing = isUnread ? "can't be looked for: the list of its kind can't be read" : "is not live";
    const ids = found.map(({ id }) => id).join(", ");
    const why = ids === "" ? missing : `is live ${found.length} times: ${ids}`;
    const remedy = stack === own ? "leave `stack` out" : `apply the stack ${stack} first, or correct the reference`;
    // Without an id no flag lifts it.
    findings.refuse("reference-not-live", from.address, `it refers to ${what}, which ${why}`, remedy, {
      isFinal: true,
    });
    return { id: `${stack}/${named}` };
  }
  if (!("name" in target) || kind === null) return null;
  const address = addressOf(kind, target.name);
  const found = described.get(address);
  if (found !== undefined) {
    const { current } = found.match;
    return current === null || found.replacedFor.length > 0 ? null : targetOf(part, current);
  }
  const [live] = index.owned.get(address) ?? [];
  if (live !== undefined && lookUp) return targetOf(part, live);
  const { file, line } = from.manifest.source;
  const nobody = `which no manifest describes${lookUp ? " and the stack doesn't own" : ""}`;
  throw new EdgewiseError("manifests", `${file}:${line}: ${from.address} refers to ${address}, ${nobody}`, {
    remedy: `write a manifest for ${address}, correct the name, or refer to a live resource by {id: …}`,
  });
}

function targetOf(
  part: Reference["part"],
  { id, kind, wire }: Pick<LiveResource, "id" | "kind" | "wire">,
): ReferenceTarget | null {
  if (part === "id") return { id };
  const addr = addrOf(kind, wire);
  return addr === null ? null : { addr };
}
