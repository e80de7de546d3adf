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

/** The order in which addresses are shown: by kind, then by name. */
export function compareAddresses(a: Address, b: Address): number {
  const [left, right] = [kindNames.indexOf(kindOf(a)), kindNames.indexOf(kindOf(b))];
  if (left !== right) return left - right;
  return a < b ? -1 : a > b ? 1 : 0;
}
