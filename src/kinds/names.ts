/** The kinds that have a list endpoint; their manifests are complete and owned by a stack. */
export const listedKinds = [
  "IPRestriction",
  "TLSEdge",
  "ReservedAddress",
  "HTTPResponseBackend",
  "TLSCertificate",
] as const;

/** The kinds whose manifests speak of single modules of something that exists elsewhere. */
export const moduleKinds = ["HTTPSEdge", "HTTPSEdgeRoute"] as const;

export const kindNames = [...listedKinds, ...moduleKinds] as const;

export type ListedKind = (typeof listedKinds)[number];
export type ModuleKind = (typeof moduleKinds)[number];
export type KindName = ListedKind | ModuleKind;

/** How a resource is named in every output: `TLSEdge/api`. */
export type Address = `${KindName}/${string}`;

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

/**
 * Whether a value that the service gave as an id can be one: a text that can stand in a path as one segment
 * (specification, "Conventions": every resource has a string id). Not that it exists.
 */
export function isResourceId(value: unknown): value is string {
  return typeof value === "string" && !/^\.{0,2}$|[\p{Cc}\p{Cs}]/u.test(value);
}
