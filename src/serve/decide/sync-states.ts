import { isObject, type Json, type Spec, type Value } from "../../core/json.js";
import { addrOf, hostportKey } from "../../kinds/codecs/reference-codecs.js";
import { moduleMember } from "../../kinds/impact.js";
import type { Field, Kind, Reference } from "../../kinds/kind.js";
import { type Address, addressOf } from "../../kinds/names.js";
import type { Live } from "../../live/live.js";
import type { Manifest } from "../../manifest/manifest.js";
import { canonicalJson, fingerprint } from "../../plan/canonical-json.js";
import { removable } from "../../plan/defaults.js";
import {
  addressOfLive,
  deletionOf,
  instanceKey,
  type LiveIndex,
  type LiveResource,
  replacedBy,
} from "../../plan/live-index.js";
import { compareAll, planOf } from "../../plan/make-plan.js";
import { lifecycleOf, type Match } from "../../plan/match.js";
import type { PlanContext, PlanOptions } from "../../plan/plan-context.js";
import type { Plan } from "../../plan/plan-format.js";
import type { ComparedAll, ProposedState } from "../../plan/proposed-state.js";
import { closuresIn } from "../../plan/selection.js";

/** One resource on both sides, each as the fingerprint of its normal form; null = it is not there. */
export interface SyncState {
  readonly desired: string | null;
  readonly live: string | null;
  readonly id: string | null;
  readonly former: readonly Address[];
}

export interface PlanWithStates {
  readonly plan: Plan;
  readonly states: ReadonlyMap<Address, SyncState>;
  readonly closures: ReadonlyMap<Address, ReadonlySet<Address>>;
}

export function planWithStates(desired: readonly Manifest[], live: Live, options: PlanOptions): PlanWithStates {
  const compared = compareAll(desired, live, options);
  const plan = planOf(compared);
  const closureOf = closuresIn(compared);
  const closures = new Map(plan.changes.map(({ address }) => [address, closureOf([address])]));
  return { plan, states: syncStatesOf(compared), closures };
}

function syncStatesOf({ states, unclaimed, context }: ComparedAll): ReadonlyMap<Address, SyncState> {
  const found = new Map<Address, SyncState>();
  const names = stableNames(states, context.index);
  for (const resource of unclaimed) {
    const side = { kind: resource.kind, spec: resource.spec, other: null, marker: liveMarker(resource) };
    const live = fingerprintOf({ ...side, isLeftOut: () => false }, names);
    found.set(addressOfLive(resource), { desired: null, live, id: resource.id, former: [] });
  }
  for (const state of states) found.set(state.match.address, stateOf(state, names, context));
  return found;
}

function stateOf(state: ProposedState, names: StableNames, context: PlanContext): SyncState {
  const { match, compared } = state;
  const live = compared === null ? null : originalOf(match, compared.current);
  const [desiredSpec, liveSpec] = withoutDisabled(state, live, context);
  const { kind } = match;
  const former = formerAddresses(match);
  const marker = desiredMarker(match, context);
  const isLeftOut = (path: string): boolean => isIgnored(match, path) || isLeftToService(match, liveSpec, path);
  const desired = fingerprintOf({ kind, spec: desiredSpec, other: liveSpec, marker, isLeftOut }, names);
  if (live === null || liveSpec === null) return { desired, live: null, id: null, former };
  const { id } = live;
  const found = liveMarker(live);
  // Mostly nothing differs: then one fingerprint is that of both sides.
  const isSame = desiredSpec === liveSpec && canonicalJson(marker) === canonicalJson(found);
  if (isSame) return { desired, live: desired, id, former };
  const side = { kind, spec: liveSpec, other: desiredSpec, marker: found };
  return { desired, live: fingerprintOf({ ...side, isLeftOut: (path) => isIgnored(match, path) }, names), id, former };
}

function originalOf({ retired }: Match, current: LiveResource): LiveResource {
  const replaced = current.marker?.replaces;
  return retired.find(({ id }) => id === replaced) ?? current;
}

/** Modules that can only be disabled, and that the manifest does not name, count as absent when disabled. */
function withoutDisabled(
  { match, spec }: ProposedState,
  live: LiveResource | null,
  { options }: PlanContext,
): readonly [Spec, Spec | null] {
  const { kind, desired } = match;
  const disabled = kind.fieldList.filter(
    ({ name, field }) =>
      field.module !== undefined &&
      (desired[name] ?? null) === null &&
      field.unset !== "inherit" &&
      !removable(kind, name, options.moduleEndpoints),
  );
  const isOff = (name: string, value: Value): boolean =>
    disabled.some((one) => one.name === name) && isObject(value) && value["enabled"] === false;
  const cleared = (from: Spec): Spec => {
    if (!disabled.some(({ name }) => isOff(name, from[name] ?? null))) return from;
    return Object.fromEntries(
      Object.entries(from).map(([name, value = null]) => [name, isOff(name, value) ? null : value]),
    );
  };
  const desiredSpec = cleared(spec);
  if (live === null) return [desiredSpec, null];
  return [desiredSpec, live.spec === spec ? desiredSpec : cleared(live.spec)];
}

function isIgnored({ manifest }: Match, path: string): boolean {
  return manifest.lifecycle.ignore.includes(path);
}

function isLeftToService({ kind, desired }: Match, live: Spec | null, path: string): boolean {
  const [, name = "", member] = path.split(".");
  const field = kind.fields[name];
  const said = desired[name];
  if (member === undefined) return live === null && said === undefined && field?.unset === "inherit";
  if (isObject(live?.[name])) return false;
  const isSaid = isObject(said) && said[member] !== undefined;
  return !isSaid && field?.module?.members[member]?.unset === "inherit";
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
  const { marker } = resource;
  if (marker === null) return null;
  const replaced = marker.replaced ?? resource.kind.defaults.replaced;
  return { stack: marker.stack, name: marker.name, deletion: deletionOf(resource), replaced };
}

interface Side {
  readonly kind: Kind;
  readonly spec: Spec;
  readonly other: Spec | null;
  readonly marker: Json;
  readonly isLeftOut: (path: string) => boolean;
}

function fingerprintOf({ kind, spec, other, marker, isLeftOut }: Side, names: StableNames): string {
  const parts: string[] = [];
  const put = (path: string, value: unknown): void => void parts.push(`${path}:${hashOf(value)}`);
  put("marker", marker);
  const add = (path: string, field: Field, value: Value, beside: Value): void => {
    if (field.secret === true || isLeftOut(`spec.${path}`)) return;
    const items = names.itemsOf(field, value);
    put(path, items === null ? names.valueOf(field, value, beside) : "list");
    for (const item of items ?? []) parts.push(`${path}[${hashOf(item)}]:in`);
  };
  for (const { field, name } of kind.fieldList) {
    if (field.writeOnly === true || field.write === "never" || isLeftOut(`spec.${name}`)) continue;
    const [value, beside] = [spec[name] ?? null, other?.[name] ?? null];
    if (field.module === undefined || !isObject(value)) {
      add(name, field, value, beside);
      continue;
    }
    put(name, "present");
    for (const { field: inner, name: member } of field.module.memberList)
      add(`${name}.${member}`, inner, moduleMember(value, member), moduleMember(beside, member));
  }
  return parts.join(" ");
}

const hashStart = "sha256:".length;
const hashLength = 32;

function hashOf(value: unknown): string {
  return fingerprint(value).slice(hashStart, hashStart + hashLength);
}

/** Values in a form that is the same on both sides, and stays the same while ids come and go. */
interface StableNames {
  readonly itemsOf: (field: Field, value: Value) => readonly string[] | null;
  readonly valueOf: (field: Field, value: Value, beside: Value) => unknown;
}

/** Names what references lead to: a resource of the stack by its name, anything else by its id or addr. */
function stableNames(states: readonly ProposedState[], index: LiveIndex): StableNames {
  const described = new Map(states.map((state) => [state.match.address, state]));
  const nameOf = (reference: Reference): string => {
    const { kind, part, target } = reference;
    if ("addr" in target) {
      const holder = index.byAddr.get(hostportKey(target.addr));
      return holder === undefined ? hostportKey(target.addr) : nameOfLive(holder, part, index);
    }
    if ("id" in target) {
      const found = kind === null ? undefined : index.byInstance.get(instanceKey(kind, target.id));
      return found === undefined ? target.id : nameOfLive(found, part, index);
    }
    if ("stack" in target) return `${target.stack}/${target.named}`;
    if (kind === null) return target.name;
    const address = addressOf(kind, target.name);
    const state = described.get(address);
    if (state !== undefined) return nameOfDescribed(state, part, index);
    const [live] = index.owned.get(address) ?? [];
    return live === undefined ? address : nameOfLive(live, part, index);
  };
  const namesIn = ({ codec }: Field, value: Value): readonly string[] | null => {
    const references = value === null ? undefined : codec.references?.(value);
    // What is no reference, though it should be one, counts as it stands.
    if (references === undefined || references.length !== (Array.isArray(value) ? value.length : 1)) return null;
    return [...new Set(references.map(nameOf))].toSorted();
  };
  return {
    itemsOf: (field, value) => (Array.isArray(value) ? namesIn(field, value) : null),
    valueOf: (field, value, beside) => namesIn(field, value) ?? field.codec.comparable?.(value, beside) ?? value,
  };
}

function nameOfDescribed({ match, replacedFor }: ProposedState, part: Reference["part"], index: LiveIndex): string {
  const { address, current } = match;
  if (current === null) return address;
  return replacedFor.length > 0 ? replacing(formerOf(match, current), current.id) : nameOfLive(current, part, index);
}

function formerOf({ address }: Match, current: LiveResource): Address {
  return current.owned ? addressOfLive(current) : address;
}

function nameOfLive(resource: LiveResource, part: Reference["part"], index: LiveIndex): string {
  const { id, kind, owned, wire } = resource;
  if (!owned) {
    const addr = part === "addr" ? addrOf(kind, wire) : null;
    return addr === null ? id : hostportKey(addr);
  }
  const address = addressOfLive(resource);
  const replaced = replacedBy(resource, index);
  if (replaced?.owned === true) return replacing(addressOfLive(replaced), replaced.id);
  const namesakes = index.owned.get(address) ?? [];
  const isAlone = namesakes.every((other) => other === resource || isLinked(other, namesakes));
  return isAlone ? address : `${address} ${id}`;
}

function isLinked({ marker }: LiveResource, namesakes: readonly LiveResource[]): boolean {
  return namesakes.some(({ id }) => id === marker?.replaces);
}

function replacing(address: Address, id: string): string {
  return `${address} in place of ${id}`;
}

export interface ComparedWithKnown {
  readonly desiredAsKnown: boolean;
  readonly liveAsKnown: boolean;
}

export function compareWithKnown({ desired, live }: SyncState, known: string): ComparedWithKnown {
  const [wanted, found, before] = [partsOf(desired), partsOf(live), partsOf(known)];
  const isWhole = desired === null || live === null;
  // What is made or deleted as a whole is compared as a whole; else what differs now.
  const paths = [...new Set([...wanted.keys(), ...found.keys(), ...(isWhole ? before.keys() : [])])];
  const differing = paths.filter((path) => isWhole || wanted.get(path) !== found.get(path));
  const asKnown = (side: ReadonlyMap<string, string>): boolean =>
    differing.every((path) => {
      const field = path.replace(/\[.*/u, "");
      // That a module is not there is a part of its own; and what was left out before says nothing of a whole.
      if (!side.has(field)) return true;
      return before.has(field) ? side.get(path) === before.get(path) : isWhole;
    });
  return { desiredAsKnown: desired !== null && asKnown(wanted), liveAsKnown: live !== null && asKnown(found) };
}

function partsOf(state: string | null): ReadonlyMap<string, string> {
  const parts = state === null ? [] : state.split(" ");
  return new Map(parts.map((part) => [part.slice(0, part.indexOf(":")), part.slice(part.indexOf(":") + 1)]));
}
