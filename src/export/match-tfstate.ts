import type { Spec } from "../core/json.js";
import { cut, slug } from "../core/text.js";
import { readMarker } from "../kinds/marker.js";
import { type Address, type KindName, collectionOf, kindNames, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { ExportDocument } from "./export-document.js";
import { resourceKey } from "./exported-resources.js";
import { type TfResource, addressInside } from "./read-tfstate.js";

/** A resource of the state that is of a kind that edgewise manages. */
export interface MatchedResource {
  readonly kind: KindName;
  readonly resource: Pick<TfResource, "address" | "deposed" | "id">;
  /** What its manifest says of the resource that it is a part of; empty = it is none. */
  readonly within: Spec;
  /** The resource of the state that has the same kind and id and comes first, when that is another one. */
  readonly sameAs: MatchedResource["resource"] | null;
}

/** Whether what was matched can have a manifest: everything has one at most, named after where it comes first. */
export function hasOwnManifest({ resource: { deposed, id }, sameAs }: MatchedResource): boolean {
  return id !== null && !deposed && sameAs === null;
}

/** A state, sorted by what edgewise can do with it. */
export interface MatchedState {
  /** In the order of the state. */
  readonly matched: readonly MatchedResource[];
  /** Names of manifests, by `resourceKey`, made of the addresses; null = the address has no letter or digit. */
  readonly names: ReadonlyMap<string, string | null>;
  /** By type, those of a provider of this service first. */
  readonly unmanaged: readonly {
    readonly type: string;
    readonly ofService: boolean;
    readonly resources: readonly TfResource[];
  }[];
}

/**
 * Finds the kinds of Terraform's resources. A type is the provider's prefix and what the kind's declaration says. A provider
 * is one of this service when it has a resource of such a type whose id is live as that kind, or looks like one. So forks
 * and mirrors need no list of names, and a type that only sounds alike, of another provider, is not taken.
 */
export function matchTfState(resources: readonly TfResource[], lists: Live["lists"]): MatchedState {
  const live = new Set(listedKinds.flatMap((kind) => lists[kind].map(({ id }) => resourceKey(kind, String(id)))));
  const isOfKind = ({ id, type }: TfResource): boolean => {
    const kind = kindsByType.get(nameOfType(type));
    if (kind === undefined || id === null) return false;
    return id.startsWith(kinds[kind].idPrefix ?? "") || live.has(resourceKey(kind, id));
  };
  const providers = new Set(resources.filter(isOfKind).map(({ type }) => providerOf(type)));
  const matched: MatchedResource[] = [];
  const first = new Map<string, MatchedResource["resource"]>();
  const names = new Map<string, string | null>();
  const unmanaged = new Map<string, TfResource[]>();
  const add = (kind: KindName, resource: MatchedResource["resource"], within: Spec): void => {
    const key = resourceKey(kind, resource.id ?? "");
    const each = { kind, resource, within, sameAs: resource.id === null ? null : (first.get(key) ?? null) };
    matched.push(each);
    if (!hasOwnManifest(each)) return;
    first.set(key, resource);
    names.set(key, slug(resource.address.words.join("-")));
  };
  for (const resource of resources) {
    const { address, deposed, id, parts, type } = resource;
    const kind = providers.has(providerOf(type)) ? kindsByType.get(nameOfType(type)) : undefined;
    if (kind === undefined) {
      unmanaged.set(type, [...(unmanaged.get(type) ?? []), resource]);
      continue;
    }
    add(kind, resource, {});
    for (const partKind of kindNames) {
      const { terraformPart } = kinds[partKind];
      if (terraformPart?.of !== kind || id === null) continue;
      for (const part of parts.filter(({ attribute }) => terraformPart.attributes.includes(attribute)))
        add(partKind, { address: addressInside(address, part), deposed, id: part.id }, terraformPart.spec(id));
    }
  }
  const types = [...unmanaged]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([type, same]) => ({ type, ofService: providers.has(providerOf(type)), resources: same }));
  return { matched, names, unmanaged: types.sort((a, b) => Number(b.ofService) - Number(a.ofService)) };
}

/** The prefix of a type: `acme` of `acme_reserved_addr`. */
function providerOf(type: string): string {
  return type.split("_", 1)[0] ?? type;
}

function nameOfType(type: string): string {
  return type.slice(providerOf(type).length + 1);
}

const kindsByType: ReadonlyMap<string, KindName> = new Map(
  kindNames.flatMap((kind) => (kinds[kind].terraformTypes ?? []).map((type) => [type, kind] as const)),
);

/** What became of everything in a Terraform state. Members as in schemas/export.schema.json. */
export interface StateReport {
  /** What has a manifest now. A resource that stands in the state twice is here twice. */
  readonly exported: readonly {
    readonly terraform: string;
    readonly address: Address;
    readonly id: string;
  }[];
  /** What is of a kind that edgewise manages, and has no manifest. */
  readonly notExported: readonly {
    readonly terraform: string;
    readonly id: string | null;
    /** In words, without a full stop. */
    readonly reason: string;
  }[];
  /** What edgewise doesn't manage, by type. */
  readonly unmanaged: readonly { readonly type: string; readonly terraform: readonly string[] }[];
}

/** What an export made of the resources that a state names. */
export interface ExportOutcome {
  readonly live: Live;
  readonly documents: readonly ExportDocument[];
  /** This stack, and those that it was called before. */
  readonly stacks: readonly string[];
  /** The kinds that were asked for. */
  readonly kinds: readonly KindName[];
  /** Why resources that were selected have no manifest, by `resourceKey`. */
  readonly reasons: ReadonlyMap<string, string>;
  /** The statuses of what could not be read by its id, by `resourceKey`. */
  readonly refused: ReadonlyMap<string, number>;
}

/**
 * Says of every resource of a state what became of it, so that nothing is dropped silently: for programs, and in lines for
 * people, where what is exported needs none.
 */
export function reportTfState(
  { matched, unmanaged }: MatchedState,
  outcome: ExportOutcome,
): { readonly report: StateReport; readonly lines: readonly string[] } {
  const documents = new Map(outcome.documents.map(({ address, id, kind }) => [resourceKey(kind, id), address]));
  const exported: StateReport["exported"][number][] = [];
  const notExported: StateReport["notExported"][number][] = [];
  const lines: string[] = [];
  for (const each of matched.filter(({ kind }) => outcome.kinds.includes(kind))) {
    const { kind, resource, sameAs } = each;
    const { address, deposed, id } = resource;
    const document = id === null || deposed ? undefined : documents.get(resourceKey(kind, id));
    if (document === undefined || id === null) {
      const { known, reason } = reasonAgainst(each, outcome);
      notExported.push({ terraform: address.text + address.inside, id, reason });
      // A warning says it already, with more to do about it.
      if (!known) lines.push(`${shown(resource)} was not exported: ${reason}`);
      continue;
    }
    exported.push({ terraform: address.text, address: document, id });
    if (sameAs !== null) lines.push(`${shown(resource)} is the same resource as ${shown(sameAs)}: ${document}`);
    else if (kinds[kind].collection === null && address.inside === "") {
      lines.push(
        `${shown(resource)}: edgewise manages ${modulesInWords(kind)} of it; what else it has, nobody manages once it has left Terraform`,
      );
    }
  }
  for (const { resources, type } of unmanaged.filter(({ ofService }) => ofService)) {
    const which = `${cut(type, 200)}, which stays with Terraform (${resources.length})`;
    lines.push(`edgewise doesn't manage ${which}: ${cut(resources.map(shown).join(", "), 2000)}`);
  }
  const others = unmanaged
    .filter(({ ofService }) => !ofService)
    .map((each) => `${each.type} (${each.resources.length})`);
  if (others.length > 0)
    lines.push(`other types stay with Terraform, as no id of them is known here: ${cut(others.join(", "), 2000)}`);
  const types = unmanaged.map(({ resources, type }) => ({
    type,
    terraform: resources.map(({ address }) => address.text),
  }));
  return { report: { exported, notExported, unmanaged: types }, lines };
}

/** Of a kind that is managed in parts: which, and those of what it contains. */
function modulesInWords(kind: KindName): string {
  const modules = kinds[kind].fieldList.filter(({ field }) => field.module !== undefined).map(({ name }) => name);
  const contained = kindNames.filter((each) => kinds[each].terraformPart?.of === kind);
  return [...modules, ...contained.map((each) => `modules of each ${kinds[each].title}`)].join(", ");
}

function shown({ address }: Pick<TfResource, "address">): string {
  return cut(address.text + address.inside, 200);
}

/** Why something has no manifest. `known`: a warning of the export says so too. */
function reasonAgainst(
  { kind, resource: { deposed, id } }: MatchedResource,
  { live, reasons, refused, stacks }: ExportOutcome,
): { readonly known: boolean; readonly reason: string } {
  const news = (reason: string) => ({ known: false, reason });
  if (id === null) return news("the state has no id of it");
  if (deposed) return news(`it is deposed: Terraform has replaced ${id}, and would delete it with its next apply`);
  const unreadable = live.unreadable.find((each) => each.kind === kind);
  if (unreadable !== undefined)
    return news(`listing ${collectionOf(unreadable.kind).path} returned HTTP ${unreadable.status}`);
  const key = resourceKey(kind, id);
  const reason = reasons.get(key);
  if (reason !== undefined) return { known: true, reason };
  const status = refused.get(key);
  if (status !== undefined) return news(`reading the modules of ${id} returned HTTP ${status}`);
  const listed = listedKinds.find((each) => each === kind);
  if (listed === undefined) return news(`${id} is not live, or has no module that edgewise manages`);
  const wire = live.lists[listed].find((each) => each["id"] === id);
  if (wire === undefined) return news(`no live ${kind} has the id ${id}: it was deleted, or it is in another account`);
  const { marker } = readMarker(wire["metadata"]);
  if (marker !== null && stacks.includes(marker.stack))
    return news(`this stack owns ${kind} ${id} already; --all exports it, too`);
  if (marker !== null) return news(`${kind} ${id} belongs to stack ${marker.stack} already`);
  const managed = kinds[kind].managedByService?.(wire) ?? null;
  return managed === null ? news(`${kind} ${id} was not selected`) : { known: true, reason: managed };
}
