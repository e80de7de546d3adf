import { filledText, flag, ids, readObject } from "../read-body.js";
import { backendRef, externalPaths, externalRefs } from "../references.js";
import { memberPath } from "./edge-module.js";
import type { ModuleReader } from "./edge-module.js";
import { readEdgeTermination } from "./termination.js";
import { readTrafficPolicy } from "./traffic-policy.js";

const readBackend: ModuleReader = (value, at, context) => {
  const body = readObject(value, at, { enabled: flag, backend_id: filledText }, ["backend_id"]);
  return { enabled: body.enabled ?? true, backend: backendRef(body.backend_id, memberPath(at, "backend_id"), context) };
};

const readIpRestriction: ModuleReader = (value, at, context) => {
  const body = readObject(value, at, { enabled: flag, ip_policy_ids: ids(1) }, ["ip_policy_ids"]);
  const place = memberPath(at, "ip_policy_ids");
  return {
    enabled: body.enabled ?? true,
    ip_policies: externalRefs(body.ip_policy_ids, externalPaths.policy, place, context),
  };
};

const readMutualTls: ModuleReader = (value, at, context) => {
  const shape = { enabled: flag, certificate_authority_ids: ids(0) };
  const body = readObject(value, at, shape, ["certificate_authority_ids"]);
  const place = memberPath(at, "certificate_authority_ids");
  return {
    enabled: body.enabled ?? true,
    certificate_authorities: externalRefs(body.certificate_authority_ids, externalPaths.authority, place, context),
  };
};

/** The modules of a TLS edge (specification, "TLS edges", module parameters), in the order of the specification. */
export const tlsEdgeModules = {
  backend: readBackend,
  ip_restriction: readIpRestriction,
  mutual_tls: readMutualTls,
  tls_termination: readEdgeTermination,
  traffic_policy: readTrafficPolicy,
} as const satisfies { readonly [module: string]: ModuleReader };

export type TlsEdgeModule = keyof typeof tlsEdgeModules;

/** Those that the specification gives PUT, GET and DELETE. */
export const specifiedModuleEndpoints: readonly TlsEdgeModule[] = ["mutual_tls", "traffic_policy", "tls_termination"];

/** Whether `name` is a module of TLS edges. */
export function isTlsEdgeModule(name: string): name is TlsEdgeModule {
  return Object.hasOwn(tlsEdgeModules, name);
}
