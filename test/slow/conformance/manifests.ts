/**
 * YAML documents of the tour. Each is one resource; a chapter's desired state is several of them, in one file.
 * `spec`, `metadata` and `lifecycle` are YAML in flow style.
 */
export interface Parts {
  readonly metadata?: string;
  readonly lifecycle?: string;
}

function document(kind: string, name: string, spec: string, { metadata, lifecycle }: Parts = {}): string {
  return [
    "---",
    "apiVersion: edgewise/v1",
    `kind: ${kind}`,
    `metadata: {name: ${name}${metadata === undefined ? "" : `, ${metadata}`}}`,
    ...(lifecycle === undefined ? [] : [`lifecycle: {${lifecycle}}`]),
    `spec: {${spec}}`,
    "",
  ].join("\n");
}

/** A TLS edge that serves these hosts of example.com at port 443; an item that begins with a brace stands as it is. */
export function edge(name: string, hosts: readonly string[], spec = "", parts: Parts = {}): string {
  const hostports = hosts.map((host) => (host.startsWith("{") ? host : `"${host}.example.com:443"`)).join(", ");
  return document("TLSEdge", name, `hostports: [${hostports}]${spec === "" ? "" : `, ${spec}`}`, parts);
}

export function backend(name: string, spec = "status_code: 503", parts: Parts = {}): string {
  return document("HTTPResponseBackend", name, spec, parts);
}

export function address(name: string, spec = "", parts: Parts = {}): string {
  return document("ReservedAddress", name, spec, parts);
}

export function restriction(name: string, type: string, spec = "", parts: Parts = {}): string {
  const shared = `type: ${type}, ip_policies: [{id: ipp_office}]`;
  return document("IPRestriction", name, `${shared}, ${spec === "" ? "enforced: true" : spec}`, parts);
}

export function httpsEdge(name: string, spec: string): string {
  return document("HTTPSEdge", name, spec, { metadata: "id: edghts_web" });
}
