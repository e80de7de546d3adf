// Generated from src/kinds/registry.ts by `npm run generate`. Not to be edited.

export const kindNames = [
  "IPRestriction",
  "TLSEdge",
  "ReservedAddress",
  "HTTPResponseBackend",
  "TLSCertificate",
  "HTTPSEdge",
  "HTTPSEdgeRoute"
] as const;

export const listedKinds = [
  "IPRestriction",
  "TLSEdge",
  "ReservedAddress",
  "HTTPResponseBackend",
  "TLSCertificate"
] as const;

export const moduleKinds = [
  "HTTPSEdge",
  "HTTPSEdgeRoute"
] as const;

/** Where each kind is listed, and the member of a response that holds the resources. */
export const collections = {
  "IPRestriction": {
    "path": "/ip_restrictions",
    "member": "ip_restrictions"
  },
  "TLSEdge": {
    "path": "/edges/tls",
    "member": "tls_edges"
  },
  "ReservedAddress": {
    "path": "/reserved_addrs",
    "member": "reserved_addrs"
  },
  "HTTPResponseBackend": {
    "path": "/backends/http_response",
    "member": "backends"
  },
  "TLSCertificate": {
    "path": "/tls_certificates",
    "member": "tls_certificates"
  }
} as const;

/** What the files of a kind are named for. */
export const kindSlugs: { readonly [kind: string]: string } = {
  "IPRestriction": "ip-restriction",
  "TLSEdge": "tls-edge",
  "ReservedAddress": "reserved-address",
  "HTTPResponseBackend": "http-response-backend",
  "TLSCertificate": "tls-certificate",
  "HTTPSEdge": "https-edge",
  "HTTPSEdgeRoute": "https-edge-route"
};

/** Modules without an endpoint in their declaration, which some services serve at a path of their own all the same. */
export const modulesWithoutEndpoint = [
  "backend",
  "ip_restriction"
] as const;

/** The members of requests and responses that hold secrets, whatever object they stand in. */
export const secretMembers: readonly string[] = [
  "private_key_pem",
  "secret"
];
