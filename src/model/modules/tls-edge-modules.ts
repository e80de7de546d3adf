import { filledText, flag, ids, readObject } from "../read-body.js";
import { backendRef, externalPaths, externalRefs } from "../references.js";
import { memberOf } from "./edge-module.js";
import type { ModuleReader } from "./edge-module.js";
import { edgeTermination } from "./termination.js";
import { trafficPolicy } from "./traffic-policy.js";

const backend: ModuleReader = (value, at, context) => {
  const body = readObject(value, at, { enabled: flag, backend_id: filledText }, ["backend_id"]);
  return { enabled: body.enabled ?? true, backend: backendRef(body.backend_id, memberOf(at, "backend_id"), context) };
};

const ipRestriction: ModuleReader = (value, at, context) => {
  const body = readObject(value, at, { enabled: flag, ip_policy_ids: ids(1) }, ["ip_policy_ids"]);
  const place = memberOf(at, "ip_policy_ids");
  return {
    enabled: body.enabled ?? true,
    ip_policies: externalRefs(body.ip_policy_ids, externalPaths.policy, place, context),
  };
};

const mutualTls: ModuleReader = (value, at, context) => {
  const shape = { enabled: flag, certificate_authority_ids: ids(0) };
  const body = readObject(value, at, shape, ["certificate_authority_ids"]);
  const place = memberOf(at, "certificate_authority_ids");
  return {
    enabled: body.enabled ?? true,
    certificate_authorities: externalRefs(body.certificate_authority_ids, externalPaths.authority, place, context),
  };
};

/** The modules of a TLS edge (specification, "TLS edges", module parameters), in the order of the specification. */
export const tlsEdgeModules = {
  backend,
  ip_restriction: ipRestriction,
  mutual_tls: mutualTls,
  tls_termination: edgeTermination,
  traffic_policy: trafficPolicy,
} as const satisfies { readonly [module: string]: ModuleReader };

export type TlsEdgeModule = keyof typeof tlsEdgeModules;

/** Those that the specification gives PUT, GET and DELETE. */
export const specifiedModuleEndpoints: readonly TlsEdgeModule[] = ["mutual_tls", "traffic_policy", "tls_termination"];

/** Whether `name` is a module of TLS edges. */
export function isTlsEdgeModule(name: string): name is TlsEdgeModule {
  return Object.hasOwn(tlsEdgeModules, name);
}
