import type { ListedKind } from "../../kinds/names.js";
import type { ResourceModel } from "../resource-model.js";
import { httpResponseBackendModel } from "./http-response-backend-model.js";
import { ipRestrictionModel } from "./ip-restriction-model.js";
import { reservedAddressModel } from "./reserved-address-model.js";
import { tlsCertificateModel } from "./tls-certificate-model.js";
import { tlsEdgeModel } from "./tls-edge-model.js";

/** The rules of every kind that has a collection. */
export const resourceModels = {
  IPRestriction: ipRestrictionModel,
  TLSEdge: tlsEdgeModel,
  ReservedAddress: reservedAddressModel,
  HTTPResponseBackend: httpResponseBackendModel,
  TLSCertificate: tlsCertificateModel,
} as const satisfies { readonly [K in ListedKind]: ResourceModel };

const byPath: ReadonlyMap<string, ResourceModel> = new Map(
  Object.values(resourceModels).map((model): [string, ResourceModel] => [model.path, model]),
);

/** The kind that has this collection path, or null. */
export function resourceModelAt(path: string): ResourceModel | null {
  return byPath.get(path) ?? null;
}
