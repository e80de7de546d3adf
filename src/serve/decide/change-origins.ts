import { type Address, addressOf, kindOf } from "../../kinds/names.js";
import { kinds } from "../../kinds/registry.js";
import { fieldAt } from "../../plan/diff.js";
import { type Change, type Plan, canonicalJson, fingerprint } from "../../plan/plan-format.js";
import type { ChangeOrigin, StackMemory } from "../records.js";
import { type Json, type Spec, type Value, isObject } from "../../core/json.js";
import { moduleMember } from "../../kinds/impact.js";
import type { Field, Kind } from "../../kinds/kind.js";
import type { Live } from "../../live/live.js";
import type { Manifest } from "../../manifest/manifest.js";
import { type LiveResource, addressOfLive, deletionOf } from "../../plan/live-index.js";
import { compareAll, planOf } from "../../plan/make-plan.js";
import { type ComparedAll, type Match, type ProposedState, lifecycleOf } from "../../plan/match.js";
import type { PlanContext, PlanOptions } from "../../plan/plan-context.js";
import { closuresIn } from "../../plan/selection.js";

type Synced = StackMemory["synced"];

type Ids = NonNullable<StackMemory["ids"]>;

type States = PlanWithStates["states"];

/** Of what nobody changed itself: who changed what it goes along with. */
export function originsOf(
  { closures, plan, states }: PlanWithStates,
  synced: Synced,
): ReadonlyMap<Address, ChangeOrigin> {
  const own = new Map(plan.changes.map((change) => [change.address, originOf(change, states, synced)]));
  return new Map(
    [...own].map(([address, origin]) => {
      const causes = [...(closures.get(address) ?? [])].flatMap((other) => own.get(other) ?? []);
      const [cause = "both"] = causes;
      return [address, origin ?? (causes.every((one) => one === cause) ? cause : "both")];
    }),
  );
}

function originOf({ address, action, fields }: Change, states: States, synced: Synced): ChangeOrigin | null {
  const state = states.get(address);
  if (state === undefined) return "both";
  const known = knownOf(address, state, synced);
  // What never was live can't have been deleted there.
  if (known === null) return action === "create" ? "commit" : "both";
  const { desired, live } = state;
  const [desiredBefore = "", liveBefore = ""] = known.split("\n");
  // Of an update, what both sides made the same does not count.
  const paths = action === "update" ? fields.map(({ path }) => path) : null;
  const desiredAsKnown = isAsKnown(desired, desiredBefore, paths);
  const liveAsKnown = isAsKnown(live, liveBefore, paths);
  if (desiredAsKnown !== liveAsKnown) return desiredAsKnown ? "drift" : "commit";
  // A reference leads elsewhere; or a secret differs, on an unknown side.
  const kind = kinds[kindOf(address)];
  const isReferring = fields.every(({ path }) => fieldAt(kind, path)?.codec.references !== undefined);
  return desiredAsKnown && isReferring ? null : "both";
}

function isAsKnown(side: string | null, before: string, paths: readonly string[] | null): boolean {
  if (side === null || paths === null) return side === before;
  const [now, then] = [partsOf(side), partsOf(before)];
  return paths.every((path) => now.get(path) === then.get(path));
}

function knownOf(
  address: Address,
  { former }: { readonly former: readonly string[] },
  known: { readonly [address: string]: string },
): string | null {
  for (const name of [address, ...former]) if (Object.hasOwn(known, name)) return known[name] ?? null;
  return null;
}

function perAddress(states: States, valueOf: (address: Address, state: SyncState) => string | null): Synced {
  const all = [...states].map(([address, state]) => [address, valueOf(address, state)] as const);
  return Object.fromEntries(all.flatMap(([address, value]) => (value === null ? [] : [[address, value]])));
}

export function idsAfter(states: States, before: Ids): Ids {
  return perAddress(states, (address, state) =>
    kinds[kindOf(address)].collection === null ? null : (state.id ?? knownOf(address, state, before)),
  );
}

export function idsBefore(
  addresses: readonly Address[],
  { plan, states }: Readonly<{ plan: Plan; states: States }>,
  ids: Ids,
): ReadonlyMap<Address, string> {
  const found = new Map<Address, string>();
  for (const { action, address } of plan.changes) {
    const state = states.get(address);
    if (action !== "create" || !addresses.includes(address) || state?.live !== null) continue;
    const id = knownOf(address, state, ids);
    if (id !== null) found.set(address, id);
  }
  return found;
}

export function syncedAfter(states: States, plan: Plan, before: Synced): Synced {
  const changed = new Set(plan.changes.map(({ address }) => address));
  return perAddress(states, (address, state) =>
    state.same && !changed.has(address)
      ? `${state.desired ?? ""}\n${state.live ?? ""}`
      : knownOf(address, state, before),
  );
}

/** A side is a list of parts, `path:hash`, without secrets: it is compared with itself before. Null = it is not there. */
export type SyncState = Readonly<{
  desired: string | null;
  live: string | null;
  same: boolean;
  id: string | null;
  former: readonly Address[];
}>;

export type PlanWithStates = ReturnType<typeof planWithStates>;

export function planWithStates(desired: readonly Manifest[], live: Live, options: PlanOptions) {
  const compared = compareAll(desired, live, options);
  const plan = planOf(compared);
  const closureOf = closuresIn(compared);
  const closures = new Map(plan.changes.map(({ address }) => [address, closureOf([address])]));
  return { plan, states: syncStatesOf(compared), closures };
}

function syncStatesOf({ states, unclaimed, context }: ComparedAll): ReadonlyMap<Address, SyncState> {
  const found = new Map<Address, SyncState>();
  for (const resource of unclaimed) {
    const { id, kind, spec } = resource;
    const live = partsIn(kind, spec, null, liveMarker(resource));
    found.set(addressOfLive(resource), { desired: null, live, same: false, id, former: [] });
  }
  for (const state of states) found.set(state.match.address, stateOf(state, context));
  return found;
}

function stateOf({ compared, match, replacedFor }: ProposedState, context: PlanContext): SyncState {
  const { desired: spec, kind, refused } = match;
  const live = compared === null ? null : originalOf(match, compared.current);
  const same = !refused && compared?.differences.changed.length === 0 && replacedFor.length === 0;
  return {
    desired: partsIn(kind, spec, live?.spec ?? null, desiredMarker(match, context)),
    live: live && partsIn(kind, live.spec, spec, liveMarker(live)),
    same,
    id: live?.id ?? null,
    former: formerAddresses(match),
  };
}

function originalOf({ retired }: Match, current: LiveResource): LiveResource {
  const replaced = current.marker?.replaces;
  return retired.find(({ id }) => id === replaced) ?? current;
}

function formerAddresses({ address, kind, manifest, current, retired }: Match): readonly Address[] {
  const marked = [current, ...retired].flatMap((one) => (one?.owned === true ? (one.marker?.name ?? []) : []));
  const names = [...manifest.previousNames, ...marked];
  return [...new Set(names.map((name) => addressOf(kind.kind, name)))].filter((one) => one !== address);
}

function desiredMarker(match: Match, { options }: PlanContext): Json {
  const { deletion, replaced } = lifecycleOf(match);
  return match.kind.collection === null
    ? null
    : { stack: options.stack, name: match.manifest.name, deletion, replaced };
}

function liveMarker(resource: LiveResource): Json {
  const { kind, marker } = resource;
  if (marker === null) return null;
  const replaced = marker.replaced ?? kind.defaults.replaced;
  return { stack: marker.stack, name: marker.name, deletion: deletionOf(resource), replaced };
}

/** The other side tells where secrets are. */
function partsIn(kind: Kind, spec: Spec, other: Spec | null, marker: Json): string {
  const parts = [`metadata.marker:${hashOf(marker)}`];
  const add = (path: string, field: Field, value: Value, beside: Value): void => {
    if (field.secret === true || value === null) return;
    const shown = field.codec.comparable?.(value, beside) ?? value;
    const isSet = Array.isArray(value) && field.codec.same(value, value.toReversed()) === true;
    parts.push(`spec.${path}:${hashOf(isSet ? value.map(canonicalJson).toSorted() : shown)}`);
  };
  for (const { field, name } of kind.fieldList) {
    if (field.writeOnly === true || field.write === "never") continue;
    const [value, beside] = [spec[name] ?? null, other?.[name] ?? null];
    if (field.module === undefined || !isObject(value)) add(name, field, value, beside);
    else {
      parts.push(`spec.${name}:present`);
      for (const { field: inner, name: member } of field.module.memberList)
        add(`${name}.${member}`, inner, moduleMember(value, member), moduleMember(beside, member));
    }
  }
  return parts.join(" ");
}

function hashOf(value: unknown): string {
  return fingerprint(value).slice("sha256:".length, "sha256:".length + 32);
}

export function partsOf(side: string): ReadonlyMap<string, string> {
  return new Map(side.split(" ").map((part) => [part.slice(0, part.indexOf(":")), part.slice(part.indexOf(":") + 1)]));
}
