import { isObject, type Json, type Spec, type Value } from "../../core/json.js";
import { moduleMember } from "../../kinds/impact.js";
import type { Field, Kind } from "../../kinds/kind.js";
import { type Address, addressOf } from "../../kinds/names.js";
import type { Live } from "../../live/live.js";
import type { Manifest } from "../../manifest/manifest.js";
import { canonicalJson, fingerprint } from "../../plan/plan-format.js";
import { addressOfLive, deletionOf, type LiveResource } from "../../plan/live-index.js";
import { compareAll, planOf } from "../../plan/make-plan.js";
import { type ComparedAll, lifecycleOf, type Match, type ProposedState } from "../../plan/match.js";
import type { PlanContext, PlanOptions } from "../../plan/plan-context.js";
import { closuresIn } from "../../plan/selection.js";

/**
 * One resource on both sides: as its manifest has it, with names, and as it is live, with ids; null = it is not there.
 * Each is a list of parts, `path:hash`, without secrets. A side is only compared with what it was before.
 */
export interface SyncState {
  readonly desired: string | null;
  readonly live: string | null;
  readonly same: boolean;
  readonly id: string | null;
  readonly former: readonly Address[];
}

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
