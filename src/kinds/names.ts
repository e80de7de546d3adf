import { collections, kindNames, listedKinds, moduleKinds, secretMembers } from "../generated/kind-names.js";

/** In the order of the registry. */
export { kindNames, listedKinds, moduleKinds, secretMembers };

export type ListedKind = (typeof listedKinds)[number];
export type ModuleKind = (typeof moduleKinds)[number];
export type KindName = (typeof kindNames)[number];

export function isKindName(name: unknown): name is KindName {
  return (kindNames as readonly unknown[]).includes(name);
}

/** `TLSEdge/api` */
export type Address = `${KindName}/${string}`;

export const addressExample: Address = "TLSEdge/api";

export function addressOf(kind: KindName, name: string): Address {
  return `${kind}/${name}`;
}

export function kindOf(address: Address): KindName {
  return address.slice(0, address.indexOf("/")) as KindName;
}

export function nameOf(address: Address): string {
  return address.slice(address.indexOf("/") + 1);
}

export function collectionOf(kind: ListedKind): Readonly<{ path: string; member: string }> {
  return collections[kind];
}

export function forListedKinds<T>(make: (kind: ListedKind) => T): { readonly [K in ListedKind]: T } {
  return Object.fromEntries(listedKinds.map((kind) => [kind, make(kind)])) as { readonly [K in ListedKind]: T };
}

export function isAddress(text: string): text is Address {
  const slash = text.indexOf("/");
  return slash > 0 && slash < text.length - 1 && isKindName(text.slice(0, slash));
}

const ranks: ReadonlyMap<string, number> = new Map(kindNames.map((name, rank) => [name, rank]));

export function compareManifests(
  a: Readonly<{ kind: KindName; name: string }>,
  b: Readonly<{ kind: KindName; name: string }>,
): number {
  if (a.kind !== b.kind) return (ranks.get(a.kind) ?? 0) - (ranks.get(b.kind) ?? 0);
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

export function compareAddresses(a: Address, b: Address): number {
  return compareManifests({ kind: kindOf(a), name: nameOf(a) }, { kind: kindOf(b), name: nameOf(b) });
}

/** Whether it can stand in a path as one segment. */
export function isResourceId(value: unknown): value is string {
  return typeof value === "string" && !/^\.{0,2}$|[\p{Cc}\p{Cs}]/u.test(value);
}
