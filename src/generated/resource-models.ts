// Generated from src/kinds/registry.ts by `npm run generate`. Not to be edited.

import type { ListedKind, ModuleKind } from "../kinds/names.js";
import type { ModuleModel, ResourceModel } from "../model/resource-model.js";
import { httpResponseBackendModel } from "../model/resources/http-response-backend-model.js";
import { httpsEdgeModel } from "../model/resources/https-edge-model.js";
import { httpsEdgeRouteModel } from "../model/resources/https-edge-route-model.js";
import { ipRestrictionModel } from "../model/resources/ip-restriction-model.js";
import { reservedAddressModel } from "../model/resources/reserved-address-model.js";
import { tlsCertificateModel } from "../model/resources/tls-certificate-model.js";
import { tlsEdgeModel } from "../model/resources/tls-edge-model.js";

/** The rules of every kind that has a collection. */
export const resourceModels: { readonly [K in ListedKind]: ResourceModel } = {
  IPRestriction: ipRestrictionModel,
  TLSEdge: tlsEdgeModel,
  ReservedAddress: reservedAddressModel,
  HTTPResponseBackend: httpResponseBackendModel,
  TLSCertificate: tlsCertificateModel,
};

/** The modules of every kind that has none. */
export const moduleModels: { readonly [K in ModuleKind]: ModuleModel } = {
  HTTPSEdge: httpsEdgeModel,
  HTTPSEdgeRoute: httpsEdgeRouteModel,
};
