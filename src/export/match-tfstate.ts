import { isObject } from "../core/json.js";
import { cut, slug } from "../core/text.js";
import { readMarker } from "../kinds/marker.js";
import { type Address, type KindName, collectionOf, kindNames, listedKinds, isResourceId } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Live } from "../live/live.js";
import type { ExportDocument } from "./export-document.js";
import { resourceKey } from "./exported-resources.js";
import { escapeActive, unicodeEscape } from "../core/visible.js";

export type MatchedState = Readonly<{
  matched: readonly Readonly<{
    kind: KindName;
    resource: TfResource;
    /** What comes twice is named after the first. */
    hasManifest: boolean;
  }>[];
  /** By {@link resourceKey}; null = the address has no letter or digit. */
  names: ReadonlyMap<string, string | null>;
  unmanaged: readonly TfResource[];
}>;

/** A provider is one of this service when an id is live as the kind of its type, or looks like it: forks need no list. */
export function matchTfState(resources: readonly TfResource[], lists: Live["lists"]): MatchedState {
  const live = new Set(listedKinds.flatMap((kind) => lists[kind].map(({ id }) => resourceKey(kind, String(id)))));
  const isOfKind = ({ id, type }: TfResource): boolean => {
    const kind = kindsByType.get(nameOfType(type));
    if (kind === undefined || id === null) return false;
    return id.startsWith(kinds[kind].idPrefix ?? "") || live.has(resourceKey(kind, id));
  };
  const providers = new Set(resources.filter(isOfKind).map(({ type }) => providerOf(type)));
  const names = new Map<string, string | null>();
  const unmanaged: TfResource[] = [];
  const matched = resources.flatMap((resource): MatchedState["matched"] => {
    const { address, deposed, id, type } = resource;
    const kind = providers.has(providerOf(type)) ? kindsByType.get(nameOfType(type)) : undefined;
    if (kind === undefined) {
      unmanaged.push(resource);
      return [];
    }
    const key = resourceKey(kind, id ?? "");
    const hasManifest = id !== null && !deposed && !names.has(key);
    if (hasManifest) names.set(key, slug(address.words.join("-")));
    return [{ kind, resource, hasManifest }];
  });
  return { matched, names, unmanaged };
}

function providerOf(type: string): string {
  return type.split("_", 1)[0] ?? type;
}

function nameOfType(type: string): string {
  return type.slice(providerOf(type).length + 1);
}

const kindsByType: ReadonlyMap<string, KindName> = new Map(
  kindNames.flatMap((kind) => kinds[kind].terraformTypes.map((type) => [type, kind] as const)),
);

export type StateReport = Readonly<{
  exported: readonly Readonly<{ terraform: string; address: Address; id: string }>[];
  notExported: readonly Readonly<{ terraform: string; id: string | null; reason: string }>[];
  unmanaged: readonly Readonly<{ type: string; terraform: readonly string[] }>[];
}>;

type ExportOutcome = Readonly<{
  live: Live;
  documents: readonly ExportDocument[];
  /** With previous ones. */
  stacks: readonly string[];
  kinds: readonly KindName[];
  /** By {@link resourceKey}; also in warnings. */
  reasons: ReadonlyMap<string, string>;
  /** HTTP statuses, by {@link resourceKey}. */
  refused: ReadonlyMap<string, number>;
}>;

export function reportTfState(
  { matched, unmanaged }: MatchedState,
  outcome: ExportOutcome,
): Readonly<{ report: StateReport; lines: readonly string[] }> {
  const documents = new Map(outcome.documents.map(({ address, id, kind }) => [resourceKey(kind, id), address]));
  const exported: StateReport["exported"][number][] = [];
  const notExported: StateReport["notExported"][number][] = [];
  const lines: string[] = [];
  for (const { kind, resource } of matched.filter((each) => outcome.kinds.includes(each.kind))) {
    const { address, deposed, id } = resource;
    const key = resourceKey(kind, id ?? "");
    const document = deposed ? undefined : documents.get(key);
    if (document === undefined || id === null) {
      const known = id === null || deposed ? undefined : outcome.reasons.get(key);
      const reason = known ?? reasonAgainst(kind, resource, outcome);
      notExported.push({ terraform: address.text, id, reason });
      if (known === undefined) lines.push(`${cut(address.text, 200)} was not exported: ${reason}`);
      continue;
    }
    exported.push({ terraform: address.text, address: document, id });
    if (kinds[kind].collection === null)
      lines.push(
        `${cut(address.text, 200)}: edgewise manages only its modules; write manifests of its routes by hand, nobody manages its other parts once it has left Terraform`,
      );
  }
  const types = [...new Set(unmanaged.map(({ type }) => type))].sort().map((type) => {
    return { type, terraform: unmanaged.flatMap((each) => (each.type === type ? [each.address.text] : [])) };
  });
  if (types.length > 0) {
    const counted = types.map(({ terraform, type }) => `${type} (${terraform.length})`).join(", ");
    lines.push(`edgewise doesn't manage these types, which stay with Terraform: ${cut(counted, 2000)}`);
  }
  return { report: { exported, notExported, unmanaged: types }, lines };
}

function reasonAgainst(kind: KindName, { deposed, id }: TfResource, { live, refused, stacks }: ExportOutcome): string {
  if (id === null) return "the state has no id of it";
  if (deposed) return `it is deposed: Terraform has replaced ${id}, and would delete it with its next apply`;
  const unreadable = live.unreadable.find((each) => each.kind === kind);
  if (unreadable !== undefined)
    return `listing ${collectionOf(unreadable.kind).path} returned HTTP ${unreadable.status}`;
  const status = refused.get(resourceKey(kind, id));
  if (status !== undefined) return `reading the modules of ${id} returned HTTP ${status}`;
  const listed = listedKinds.find((each) => each === kind);
  if (listed === undefined) return `${id} is not live, or has no module that edgewise manages`;
  const wire = live.lists[listed].find((each) => each["id"] === id);
  if (wire === undefined) return `no live ${kind} has the id ${id}: it was deleted, or it is in another account`;
  const { marker } = readMarker(wire["metadata"]);
  if (marker === null) return `${kind} ${id} was not selected`;
  const isOwn = stacks.includes(marker.stack);
  return isOwn
    ? `this stack owns ${kind} ${id} already; --all exports it, too`
    : `${kind} ${id} belongs to stack ${marker.stack} already`;
}

/** Of the attributes, which hold secrets in clear, only ids are taken over. */
export type TfResource = Readonly<{
  address: TfAddress;
  type: string;
  id: string | null;
  /** Terraform has replaced it already, and would still delete it. */
  deposed: boolean;
}>;

type TfAddress = Readonly<{
  /** Safe for one line: `acme_reserved_addr.tcp["eu"]`. */
  text: string;
  /** The names and keys of the modules and the resource. */
  words: readonly string[];
}>;

interface Members {
  readonly [member: string]: unknown;
}

/** The managed resources of a state; null when it is none of version 4. */
export function readTfState(state: unknown): readonly TfResource[] | null {
  if (!isObject(state) || state["version"] !== 4) return null;
  const found = itemsOf(state["resources"]).flatMap((resource): readonly (TfResource | null)[] => {
    if (resource === null) return [null];
    // Terraform always writes a mode; what has none was written by hand.
    if (resource["mode"] !== undefined && resource["mode"] !== "managed") return [];
    return itemsOf(resource["instances"]).map((instance) =>
      instance === null ? null : tfResource(resource, instance),
    );
  });
  const resources = found.filter((resource) => resource !== null);
  return resources.length === found.length ? resources : null;
}

function itemsOf(list: unknown): readonly (Members | null)[] {
  if (!Array.isArray(list)) return list === undefined || list === null ? [] : [null];
  return list.map((item: unknown) => (isObject(item) ? item : null));
}

function tfResource(
  { module, name, type }: Members,
  { attributes, deposed, index_key: key }: Members,
): TfResource | null {
  const address = tfAddress(module ?? "", type, name, key ?? null);
  if (address === null || typeof type !== "string") return null;
  const own = isObject(attributes) ? attributes : {};
  // Old versions of a provider have it beside `id`, or in its place.
  const id = own["id"] ?? own[`${providerOf(type)}_id`];
  const isId = isResourceId(id) && id.length <= 200;
  return { address, type, id: isId ? id : null, deposed: typeof deposed === "string" && deposed !== "" };
}

const identifier = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u;

/** Null when Terraform writes no such address. */
function tfAddress(module: unknown, type: unknown, name: unknown, key: unknown): TfAddress | null {
  if (typeof module !== "string" || typeof type !== "string" || typeof name !== "string") return null;
  const path = moduleWords(module);
  if (path === null || !identifier.test(type) || !identifier.test(name)) return null;
  const isIndex = typeof key === "number" && Number.isSafeInteger(key) && key >= 0;
  if (key !== null && typeof key !== "string" && !isIndex) return null;
  const written = JSON.stringify(key)
    .replaceAll("${", () => "$${")
    .replaceAll("%{", "%%{");
  const text = `${module === "" ? "" : `${module}.`}${type}.${name}${key === null ? "" : `[${written}]`}`;
  return {
    text: escapeActive(text, unicodeEscape).replaceAll("\n", "\\n").replaceAll("\t", "\\t"),
    words: [...path, name, ...(key === null ? [] : [String(key)])],
  };
}

/** `module.tcp["eu"].` */
const moduleStep = /module\.([\p{ID_Start}_][\p{ID_Continue}-]*)(?:\[([0-9]+|"(?:[^"\\]|\\.)*")\])?(?:\.|$)/gsu;

function moduleWords(module: string): readonly string[] | null {
  const steps = [...module.matchAll(moduleStep)];
  if (steps.map(([step]) => step).join("") !== module || module.endsWith(".")) return null;
  return steps.flatMap(([, name = "", key]) => [name, ...(key === undefined ? [] : [key])]);
}
