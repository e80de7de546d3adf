import { httpResponseBackend } from "./http-response-backend.js";
import { httpsEdgeRoute } from "./https-edge-route.js";
import { httpsEdge } from "./https-edge.js";
import { ipRestriction } from "./ip-restriction.js";
import type { Kind, ReferredKind } from "./kind.js";
import { type KindName, type ListedKind, listedKinds } from "./names.js";
import { reservedAddress } from "./reserved-address.js";
import { tlsCertificate } from "./tls-certificate.js";
import { tlsEdge } from "./tls-edge.js";
import { certificateAuthority, endpointConfiguration, ipPolicy } from "./codecs.js";

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

export function kindOfId(id: string): ListedKind | null {
  return listedKinds.find((kind) => id.startsWith(kinds[kind].idPrefix ?? "\0")) ?? null;
}

export function wrongKindOfId(id: string, { kind, title, idPrefix }: ReferredKind): string | null {
  if (idPrefix !== null) return id.startsWith(idPrefix) ? null : `the id of ${title} begins with ${idPrefix}`;
  const listed = kindOfId(id);
  if (listed !== null && listed === kind) return null;
  const prefixes = [ipPolicy, certificateAuthority, endpointConfiguration].map((each) => each.idPrefix ?? "\0");
  const prefix = listed === null ? prefixes.find((each) => id.startsWith(each)) : kinds[listed].idPrefix;
  return prefix === undefined ? null : `ids that begin with ${prefix} are those of another kind`;
}
