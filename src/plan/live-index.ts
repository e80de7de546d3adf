import type { JsonObject, Spec } from "../json.js";
import { addrOf, hostportKey } from "../kinds/codecs/reference-codecs.js";
import type { Deletion, Kind, Reference } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import { type Address, addressOf, listedKinds } from "../kinds/names.js";
import type { LiveNormalForm, NormalForms } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { PlanOptions } from "./options.js";

/** One live resource in normal form. */
export interface LiveResource {
  readonly kind: Kind;
  readonly id: string;
  /** Its {@link instanceKey}. */
  readonly key: string;
  readonly wire: JsonObject;
  readonly spec: Spec;
  readonly marker: Marker | null;
  /** `metadata` has a member `edgewise` that is not a valid marker. */
  readonly malformed: boolean;
  /** Whether the marker is this stack's (or a previous one's). */
  readonly owned: boolean;
  /** Milliseconds; 0 when the API doesn't say. */
  readonly createdAt: number;
}

/** The live side of a plan, indexed. What a plan without changes does not need is built on first use. */
export class LiveIndex {
  /** By {@link instanceKey}. */
  readonly byInstance: ReadonlyMap<string, LiveResource>;
  /** Owned ones by the address in their marker. */
  readonly owned: ReadonlyMap<Address, readonly LiveResource[]>;
  #byAddr: ReadonlyMap<string, LiveResource> | undefined;
  #addrShapes: ReadonlySet<string> | undefined;
  #addrDomains: ReadonlySet<string> | undefined;
  #holders: ReadonlyMap<string, readonly LiveResource[]> | undefined;

  /** @param all by kind, then by id */
  constructor(readonly all: readonly LiveResource[]) {
    const byInstance = new Map<string, LiveResource>();
    const owned = new Map<Address, LiveResource[]>();
    for (const resource of all) {
      const { kind, marker } = resource;
      byInstance.set(resource.key, resource);
      if (resource.owned && marker !== null) push(owned, addressOf(kind.kind, marker.name), resource);
    }
    this.byInstance = byInstance;
    this.owned = owned;
  }

  /** Resources by the key of their addr. */
  get byAddr(): ReadonlyMap<string, LiveResource> {
    this.#byAddr ??= new Map(
      this.all.flatMap((resource): [string, LiveResource][] => {
        const addr = addrOf(resource.kind, resource.wire);
        return addr === null ? [] : [[hostportKey(addr), resource]];
      }),
    );
    return this.#byAddr;
  }

  /** The {@link shapeOfHost} of every addr. */
  get addrShapes(): ReadonlySet<string> {
    this.#addrShapes ??= new Set(Array.from(this.byAddr.keys(), shapeOfHost));
    return this.#addrShapes;
  }

  /** Domains right below which the service names addresses as it likes: live addrs of two shapes or more are there. */
  get addrDomains(): ReadonlySet<string> {
    if (this.#addrDomains !== undefined) return this.#addrDomains;
    const shapes = new Map<string, Set<string>>();
    for (const addr of this.byAddr.keys()) {
      const domain = domainOfHost(addr);
      if (domain !== null) shapes.set(domain, (shapes.get(domain) ?? new Set()).add(shapeOfHost(addr)));
    }
    this.#addrDomains = new Set([...shapes].flatMap(([domain, found]) => (found.size > 1 ? [domain] : [])));
    return this.#addrDomains;
  }

  /** The live resources that hold a claim, by claim. */
  get holders(): ReadonlyMap<string, readonly LiveResource[]> {
    if (this.#holders !== undefined) return this.#holders;
    const holders = new Map<string, LiveResource[]>();
    for (const resource of this.all) {
      for (const claim of resource.kind.claims?.(resource.spec) ?? []) push(holders, claim, resource);
    }
    this.#holders = holders;
    return holders;
  }
}

/**
 * The host of a hostport with `#` for every number in it: hosts that a service assigns differ in their numbers. An IP
 * address is like no other.
 */
export function shapeOfHost(hostport: string): string {
  const host = hostOf(hostport);
  return isIpAddress(host) ? host : host.replaceAll(/\d+/gu, "#");
}

/** The host of a hostport without its first label; null for an IP address, and when less than two labels are left. */
export function domainOfHost(hostport: string): string | null {
  const host = hostOf(hostport);
  const [, ...labels] = host.split(".");
  return labels.length < 2 || isIpAddress(host) ? null : labels.join(".");
}

function hostOf(hostport: string): string {
  return hostport.slice(0, hostport.lastIndexOf(":"));
}

function isIpAddress(host: string): boolean {
  return /^[\d.]+$|^\[/u.test(host);
}

/** Names one live resource across kinds: `TLSEdge@edgtls_1`. */
export function instanceKey(kind: string, id: string): string {
  return `${kind}@${id}`;
}

/** Brings the live lists to normal form and indexes them. Linear in their length, but for sorting by id. */
export function indexLive(
  live: Live,
  options: Pick<PlanOptions, "stack" | "previousStacks">,
  normalForms: NormalForms,
): LiveIndex {
  const stacks = new Set([options.stack, ...options.previousStacks]);
  const all: LiveResource[] = [];
  for (const name of listedKinds) {
    const kind = kinds[name];
    const resources = live.lists[name].map((wire) =>
      liveResource({ kind, wire, form: normalForms.liveOf(kind, wire) }, stacks),
    );
    // Any order of pages gives the same plan.
    for (const resource of resources.sort((a, b) => compareText(a.id, b.id))) all.push(resource);
  }
  for (const { kind: name, id, modules } of live.modules) {
    const kind = kinds[name];
    const { spec } = normalForms.liveOf(kind, modules);
    const key = instanceKey(name, id);
    all.push({ kind, id, key, wire: {}, spec, marker: null, malformed: false, owned: false, createdAt: 0 });
  }
  return new LiveIndex(all);
}

/** Adds to the list under a key. */
export function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Order by code units: the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function liveResource(
  { kind, wire, form }: { readonly kind: Kind; readonly wire: JsonObject; readonly form: LiveNormalForm },
  stacks: ReadonlySet<string>,
): LiveResource {
  const { metadata, spec } = form;
  const { marker, malformed } = metadata;
  const createdAt = wire["created_at"];
  const id = typeof wire["id"] === "string" ? wire["id"] : "";
  return {
    kind,
    id,
    key: instanceKey(kind.kind, id),
    wire,
    spec,
    marker,
    malformed,
    owned: marker !== null && stacks.has(marker.stack),
    createdAt: typeof createdAt === "string" ? Date.parse(createdAt) || 0 : 0,
  };
}

/** The address of a live resource: by the name in its marker when the stack owns it, else by its id. */
export function addressOfLive({ kind, id, marker, owned }: LiveResource): Address {
  return addressOf(kind.kind, owned && marker !== null ? marker.name : id);
}

/** What becomes of a live resource without a manifest, by its marker. */
export function deletionOf({ kind, marker }: LiveResource): Deletion {
  return marker?.deletion ?? kind.defaults.deletion;
}

/** The live resources that a spec refers to, as instance keys. What is not live or not listed is left out. */
export function referencesOf(kind: Kind, spec: Spec, index: LiveIndex): readonly string[] {
  const found: string[] = [];
  eachReference(kind, spec, (reference) => {
    const key = keyOf(reference, index);
    if (key !== null) found.push(key);
  });
  return found;
}

/** Visits every reference in a spec. */
export function eachReference(kind: Kind, spec: Spec, visit: (reference: Reference, field: string) => void): void {
  for (const name in kind.fields) {
    const field = kind.fields[name];
    const value = spec[name];
    if (field?.codec.references === undefined || value === undefined || value === null) continue;
    for (const reference of field.codec.references(value)) visit(reference, name);
  }
}

/** The instance key of a reference to something live; null for names, and for what the API doesn't list. */
export function keyOf(reference: Reference, index: LiveIndex): string | null {
  if ("name" in reference.target) return null;
  if ("addr" in reference.target) {
    const holder = index.byAddr.get(hostportKey(reference.target.addr));
    return holder === undefined ? null : holder.key;
  }
  if (reference.kind === null) return null;
  const key = instanceKey(reference.kind, reference.target.id);
  return index.byInstance.has(key) ? key : null;
}
