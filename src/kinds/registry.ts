import { httpResponseBackend } from "./http-response-backend.js";
import { httpsEdgeRoute } from "./https-edge-route.js";
import { httpsEdge } from "./https-edge.js";
import { ipRestriction } from "./ip-restriction.js";
import type { Kind } from "./kind.js";
import type { KindName } from "./names.js";
import { reservedAddress } from "./reserved-address.js";
import { tlsCertificate } from "./tls-certificate.js";
import { tlsEdge } from "./tls-edge.js";

/** In the order of plans. Run `npm run generate` after every change. */
export const kinds: { readonly [K in KindName]: Kind } = {
  IPRestriction: ipRestriction,
  TLSEdge: tlsEdge,
  ReservedAddress: reservedAddress,
  HTTPResponseBackend: httpResponseBackend,
  TLSCertificate: tlsCertificate,
  HTTPSEdge: httpsEdge,
  HTTPSEdgeRoute: httpsEdgeRoute,
};
