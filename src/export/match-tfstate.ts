import type { JsonObject, Spec } from "../core/json.js";
import { readMarker } from "../kinds/marker.js";
import { type Address, type KindName, collectionOf, kindNames, listedKinds } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import { cut, slug } from "../core/text.js";
import type { ExportDocument } from "./export-document.js";
import { resourceKey } from "./exported-resources.js";
import { type TfResource, addressInside } from "./read-tfstate.js";

/** A resource of the state that is of a kind that edgewise manages. */
export interface MatchedResource {
  readonly kind: KindName;
  readonly resource: Omit<TfResource, "parts">;
  /** What its manifest says of the resource that it is a part of; empty = it is none. */
  readonly within: Spec;
  /** The resource of the state that has the same kind and id and comes first, when that is another one. */
  readonly sameAs: MatchedResource["resource"] | null;
}

/** Whether what was matched can have a manifest: everything has one at most, named after where it comes first. */
export function hasOwnManifest({ resource: { condition, id }, sameAs }: MatchedResource): boolean {
  return id !== null && condition !== "deposed" && sameAs === null;
}

/** A type that edgewise doesn't manage, with its resources in the order of the state. */
export interface UnmanagedType {
  readonly type: string;
  /** Whether it is a type of a provider of this service, not of something else like DNS. */
  readonly ofService: boolean;
  readonly resources: readonly TfResource[];
}

/** A state, sorted by what edgewise can do with it. */
export interface MatchedState {
  /** In the order of the state. */
  readonly matched: readonly MatchedResource[];
  /** Names of manifests, by `resourceKey`, made of the addresses; null = the address has no letter or digit. */
  readonly names: ReadonlyMap<string, string | null>;
  /** Those of this service first, then by type. */
  readonly unmanaged: readonly UnmanagedType[];
}

/**
 * Finds the kinds of Terraform's resources. A type is the provider's prefix and what the kind's declaration says. A provider
 * is one of this service when it has a resource of such a type whose id is live as that kind, or looks like one. So forks
 * and mirrors need no list of names, and a type that only sounds alike, of another provider, is not taken.
 */
export function matchTfState(resources: readonly TfResource[], lists: Live["lists"]): MatchedState {
  const live = new Set(listedKinds.flatMap((kind) => lists[kind].map(({ id }) => resourceKey(kind, String(id)))));
  const ofKind = ({ id, type }: TfResource): boolean => {
    const kind = kindOfType(type);
    if (kind === null || id === null) return false;
    return id.startsWith(kinds[kind].idPrefix ?? "") || live.has(resourceKey(kind, id));
  };
  const providers = new Set(resources.filter(ofKind).map(({ type }) => providerOf(type)));
  const matched: MatchedResource[] = [];
  const first = new Map<string, MatchedResource["resource"]>();
  const names = new Map<string, string | null>();
  const unmanaged = new Map<string, TfResource[]>();
  const add = (kind: KindName, resource: MatchedResource["resource"], within: Spec): void => {
    const { address, condition, id } = resource;
    const key = resourceKey(kind, id ?? "");
    const same = id === null ? undefined : first.get(key);
    matched.push({ kind, resource, within, sameAs: same ?? null });
    if (id === null || condition === "deposed" || same !== undefined) return;
    first.set(key, resource);
    names.set(key, slug(address.words.join("-")));
  };
  for (const resource of resources) {
    const ofService = providers.has(providerOf(resource.type));
    const kind = ofService ? kindOfType(resource.type) : null;
    if (kind === null) {
      unmanaged.set(resource.type, [...(unmanaged.get(resource.type) ?? []), resource]);
      continue;
    }
    add(kind, resource, {});
    for (const part of partsOf(kind, resource)) add(...part);
  }
  const types = [...unmanaged].map(([type, same]) => ({
    type,
    ofService: providers.has(providerOf(type)),
    resources: same,
  }));
  const rank = ({ ofService, type }: UnmanagedType): string => `${ofService ? 0 : 1} ${type}`;
  return { matched, names, unmanaged: types.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)) };
}

/** The prefix of a type: `acme` of `acme_reserved_addr`. */
function providerOf(type: string): string {
  return type.split("_", 1)[0] ?? type;
}

const kindsByType: ReadonlyMap<string, KindName> = new Map(
  kindNames.flatMap((kind) => (kinds[kind].terraformTypes ?? []).map((type) => [type, kind] as const)),
);

function kindOfType(type: string): KindName | null {
  return kindsByType.get(type.slice(providerOf(type).length + 1)) ?? null;
}

/** What a resource contains that is of a kind of its own. */
function partsOf(
  kind: KindName,
  { address, condition, id: parent, parts, type }: TfResource,
): readonly [KindName, MatchedResource["resource"], Spec][] {
  return kindNames.flatMap((each) => {
    const { terraformPart } = kinds[each];
    if (terraformPart?.of !== kind || parent === null) return [];
    return parts
      .filter(({ attribute }) => terraformPart.attributes.includes(attribute))
      .map(({ attribute, id, index }): [KindName, MatchedResource["resource"], Spec] => {
        const inside = addressInside(address, attribute, index);
        return [each, { address: inside, condition, id, type }, terraformPart.spec(parent)];
      });
  });
}

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

/** A report for programs, and the same for people: what is exported needs no line. */
export interface ReportedState {
  readonly report: StateReport;
  readonly lines: readonly string[];
}

/** Says of every resource of a state what became of it, so that nothing is dropped silently. */
export function reportTfState({ matched, unmanaged }: MatchedState, outcome: ExportOutcome): ReportedState {
  const documents = new Map(
    outcome.documents.map((document) => [resourceKey(document.kind, document.id), document] as const),
  );
  const exported: StateReport["exported"][number][] = [];
  const notExported: StateReport["notExported"][number][] = [];
  const lines: string[] = [];
  const wires = new Map(
    listedKinds.flatMap((kind) =>
      outcome.live.lists[kind].map((wire) => [resourceKey(kind, String(wire["id"])), wire]),
    ),
  );
  for (const each of matched.filter(({ kind }) => outcome.kinds.includes(kind))) {
    const { kind, resource, sameAs } = each;
    const { address, condition, id } = resource;
    const document = id === null ? undefined : documents.get(resourceKey(kind, id));
    if (document === undefined || id === null || condition === "deposed") {
      const { known, reason } = reasonAgainst(each, outcome, wires);
      notExported.push({ terraform: address.text + address.inside, id, reason });
      // A warning says it already, with more to do about it.
      if (!known) lines.push(`${shown(resource)} was not exported: ${reason}`);
      continue;
    }
    exported.push({ terraform: address.text, address: document.address, id });
    if (kinds[kind].collection === null && address.inside === "" && sameAs === null) {
      lines.push(
        `${shown(resource)}: edgewise manages ${modulesInWords(kind)} of it; what else it has, nobody manages once it has left Terraform`,
      );
    }
    if (sameAs !== null) lines.push(`${shown(resource)} is the same resource as ${shown(sameAs)}: ${document.address}`);
    if (condition === "tainted") {
      lines.push(
        `${shown(resource)} is tainted: Terraform would replace it, and ${document.address} adopts it as it is`,
      );
    }
  }
  const reported = unmanaged.map(({ resources, type }) => ({
    type,
    terraform: resources.map(({ address }) => address.text),
  }));
  return {
    report: { exported, notExported, unmanaged: reported },
    lines: [...lines, ...linesOfUnmanaged(unmanaged)],
  };
}

/** Of a kind that is managed in parts: which, and those of what it contains. */
function modulesInWords(kind: KindName): string {
  const modules = kinds[kind].fieldList.filter(({ field }) => field.module !== undefined).map(({ name }) => name);
  const contained = kindNames.filter((each) => kinds[each].terraformPart?.of === kind);
  return [...modules, ...contained.map((each) => `modules of each ${kinds[each].title}`)].join(", ");
}

/** How many addresses or types stand in one line. */
const shownInLine = 50;

function shown({ address }: Pick<TfResource, "address">): string {
  return cut(address.text + address.inside, 200);
}

function listInWords(items: readonly string[], more: string): string {
  const rest = items.length - shownInLine;
  return items.slice(0, shownInLine).join(", ") + (rest > 0 ? `, and ${rest} more${more}` : "");
}

function linesOfUnmanaged(unmanaged: MatchedState["unmanaged"]): readonly string[] {
  const lines = unmanaged
    .filter(({ ofService }) => ofService)
    .map(
      ({ resources, type }) =>
        `edgewise doesn't manage ${cut(type, 200)}, which stays with Terraform (${resources.length}): ${listInWords(resources.map(shown), "")}`,
    );
  const others = unmanaged.filter(({ ofService }) => !ofService);
  if (others.length === 0) return lines;
  const counts = others.map(({ resources, type }) => `${cut(type, 200)} (${resources.length})`);
  return [
    ...lines,
    `other types stay with Terraform, as no id of them is known here: ${listInWords(counts, " types")}`,
  ];
}

/** Why something has no manifest. `known`: a warning of the export says so too. */
function reasonAgainst(
  { kind, resource: { condition, id } }: MatchedResource,
  { live, reasons, refused, stacks }: ExportOutcome,
  wires: ReadonlyMap<string, JsonObject>,
): { readonly known: boolean; readonly reason: string } {
  const news = (reason: string): { readonly known: false; readonly reason: string } => ({ known: false, reason });
  if (id === null) return news("the state has no id of it");
  if (condition === "deposed")
    return news(`it is deposed: Terraform has replaced ${id}, and would delete it with its next apply`);
  const unreadable = live.unreadable.find((each) => each.kind === kind);
  if (unreadable !== undefined)
    return news(`listing ${collectionOf(unreadable.kind).path} returned HTTP ${unreadable.status}`);
  const key = resourceKey(kind, id);
  const reason = reasons.get(key);
  if (reason !== undefined) return { known: true, reason };
  const status = refused.get(key);
  if (status !== undefined) return news(`reading the modules of ${id} returned HTTP ${status}`);
  if (kinds[kind].collection === null) return news(`${id} is not live, or has no module that edgewise manages`);
  const wire = wires.get(key);
  if (wire === undefined) return news(`no live ${kind} has the id ${id}: it was deleted, or it is in another account`);
  const { marker } = readMarker(wire["metadata"]);
  if (marker !== null && stacks.includes(marker.stack))
    return news(`this stack owns ${kind} ${id} already; --all exports it, too`);
  if (marker !== null) return news(`${kind} ${id} belongs to stack ${marker.stack} already`);
  const managed = kinds[kind].managedByService?.(wire) ?? null;
  return managed === null ? news(`${kind} ${id} was not selected`) : { known: true, reason: managed };
}
