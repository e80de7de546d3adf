import { collections, kindNames, listedKinds, moduleKinds, secretMembers } from "../generated/kind-names.js";

/**
 * The names of all kinds, in the order of the registry; of those that have a list endpoint, whose manifests are complete
 * and owned by a stack; and of those whose manifests describe single modules of something that exists elsewhere.
 */
export { kindNames, listedKinds, moduleKinds };

/** The members of requests and responses that hold secrets, whatever object they stand in. */
export { secretMembers };

export type ListedKind = (typeof listedKinds)[number];
export type ModuleKind = (typeof moduleKinds)[number];
export type KindName = (typeof kindNames)[number];

/** Whether it is the name of a kind. */
export function isKindName(name: unknown): name is KindName {
  return (kindNames as readonly unknown[]).includes(name);
}

/** How a resource is named in every output: `TLSEdge/api`. */
export type Address = `${KindName}/${string}`;

/** What an address looks like, for messages. */
export const addressExample: Address = "TLSEdge/api";

/** The address of a resource. */
export function addressOf(kind: KindName, name: string): Address {
  return `${kind}/${name}`;
}

/** The kind of an address. */
export function kindOf(address: Address): KindName {
  return address.slice(0, address.indexOf("/")) as KindName;
}

/** The name in an address. */
export function nameOf(address: Address): string {
  return address.slice(address.indexOf("/") + 1);
}

/** Where a kind is listed: a path relative to the base URL, and the member of a response that holds the resources. */
export function collectionOf(kind: ListedKind): { readonly path: string; readonly member: string } {
  return collections[kind];
}

/** Something for each kind that has a list endpoint. */
export function forListedKinds<T>(make: (kind: ListedKind) => T): { readonly [K in ListedKind]: T } {
  // Object.fromEntries doesn't keep the names.
  return Object.fromEntries(listedKinds.map((kind) => [kind, make(kind)])) as { readonly [K in ListedKind]: T };
}

/** Whether `text` is an address of a known kind. */
export function isAddress(text: string): text is Address {
  const slash = text.indexOf("/");
  return slash > 0 && slash < text.length - 1 && (kindNames as readonly string[]).includes(text.slice(0, slash));
}

const ranks: ReadonlyMap<string, number> = new Map(kindNames.map((name, rank) => [name, rank]));

/** The order in which manifests are planned and shown: by kind, then by name. */
export function compareManifests(
  a: { readonly kind: KindName; readonly name: string },
  b: { readonly kind: KindName; readonly name: string },
): number {
  if (a.kind !== b.kind) return (ranks.get(a.kind) ?? 0) - (ranks.get(b.kind) ?? 0);
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** The order in which addresses are shown: by kind, then by name. */
export function compareAddresses(a: Address, b: Address): number {
  return compareManifests({ kind: kindOf(a), name: nameOf(a) }, { kind: kindOf(b), name: nameOf(b) });
}

/** Whether a value that the service gave as an id can be one: text that can stand in a path as one segment. */
export function isResourceId(value: unknown): value is string {
  return typeof value === "string" && !/^\.{0,2}$|[\p{Cc}\p{Cs}]/u.test(value);
}
