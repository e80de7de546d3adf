import type { JsonObject, Spec } from "../core/json.js";
import { addrOf, hostportKey } from "../kinds/codecs/reference-codecs.js";
import type { Kind } from "../kinds/kind.js";
import type { Marker } from "../kinds/marker.js";
import { listedKinds } from "../kinds/names.js";
import { readWire } from "../kinds/normal-form.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";

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

/**
 * The lists of an account, indexed. What a plan without changes does not need is built on first use.
 */
export class AccountIndex {
  /** What it is an index of. */
  readonly lists: Live["lists"];
  /** By kind, then by id; none counts as owned. */
  readonly all: readonly LiveResource[];
  /** By {@link instanceKey}. */
  readonly byKey: ReadonlyMap<string, LiveResource>;
  #malformed: readonly LiveResource[] | undefined;
  #ofStack: ReadonlyMap<string, readonly number[]> | undefined;
  #byAddr: ReadonlyMap<string, LiveResource> | undefined;
  #addrShapes: ReadonlySet<string> | undefined;
  #addrDomains: ReadonlySet<string> | undefined;
  #holders: ReadonlyMap<string, readonly LiveResource[]> | undefined;

  /** @param lists which must not be changed while the index is in use */
  constructor(lists: Live["lists"]) {
    this.lists = lists;
    // Any order of pages gives the same plan.
    this.all = listedKinds.flatMap((kind) => lists[kind].map((wire) => liveResource(kinds[kind], wire)).sort(byId));
    this.byKey = new Map(this.all.map((resource) => [resource.key, resource]));
  }

  /** Those whose marker can't be read. */
  get malformed(): readonly LiveResource[] {
    this.#malformed ??= this.all.filter(({ malformed }) => malformed);
    return this.#malformed;
  }

  /** Where the resources of each stack stand in `all`, by the stack in their marker. */
  get ofStack(): ReadonlyMap<string, readonly number[]> {
    if (this.#ofStack !== undefined) return this.#ofStack;
    const ofStack = new Map<string, number[]>();
    for (const [place, { marker }] of this.all.entries()) if (marker !== null) push(ofStack, marker.stack, place);
    this.#ofStack = ofStack;
    return ofStack;
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

  /** The resources that hold a claim, by claim. */
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

function byId(a: LiveResource, b: LiveResource): number {
  return compareText(a.id, b.id);
}

function liveResource(kind: Kind, wire: JsonObject): LiveResource {
  const { metadata, spec } = readWire(kind, wire);
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
    owned: false,
    createdAt: typeof createdAt === "string" ? Date.parse(createdAt) || 0 : 0,
  };
}
