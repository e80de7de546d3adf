import type { ListedKind } from "../../kinds/names.js";
import type { ResourceModel } from "../resource-model.js";
import { httpResponseBackend } from "./http-response-backend.js";
import { ipRestriction } from "./ip-restriction.js";
import { reservedAddress } from "./reserved-address.js";
import { tlsCertificate } from "./tls-certificate.js";
import { tlsEdge } from "./tls-edge.js";

/** The rules of every kind that has a collection. */
export const resourceModels = {
  IPRestriction: ipRestriction,
  TLSEdge: tlsEdge,
  ReservedAddress: reservedAddress,
  HTTPResponseBackend: httpResponseBackend,
  TLSCertificate: tlsCertificate,
} as const satisfies { readonly [K in ListedKind]: ResourceModel };

const byPath: ReadonlyMap<string, ResourceModel> = new Map(
  Object.values(resourceModels).map((model): [string, ResourceModel] => [model.path, model]),
);

/** The kind that has this collection path, or null. */
export function resourceModelAt(path: string): ResourceModel | null {
  return byPath.get(path) ?? null;
}
