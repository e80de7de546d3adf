import { type Spec, type Value, isObject } from "../core/json.js";
import {
  anyBackend,
  certificateAuthority,
  filledText,
  hostportClaim,
  hostportClaims,
  hostports,
  ipPolicy,
  listOf,
  ref,
  withoutPort,
} from "./codecs.js";
import { guarding, policyModule, servedHostports, termination } from "./edge-modules.js";
import { description, enabled, field, metadata, moduleField, refsField } from "./fields.js";
import { isOn, moduleMember, routing } from "./impact.js";
import { type Overruled, defineKind } from "./kind.js";

export const tlsEdge = defineKind({
  kind: "TLSEdge",
  title: "TLS edge",
  idPrefix: "edgtls_",
  terraformTypes: ["edge_tls"],
  collection: { path: "/edges/tls", member: "tls_edges" },
  fields: {
    description,
    metadata,
    hostports: field({ codec: hostports, unset: { value: [] }, impact: servedHostports }),
    backend: moduleField({
      endpoint: false,
      members: {
        enabled,
        backend: field({ codec: ref(anyBackend), writeAs: "backend_id", essential: true }),
      },
      impact: (_before, after) =>
        isOn(after) ? routing("traffic goes to another backend") : routing("traffic no longer goes to a backend"),
    }),
    ip_restriction: moduleField({
      endpoint: false,
      members: {
        enabled,
        ip_policies: refsField(ipPolicy, "ip_policy_ids"),
      },
      impact: guarding("the IP restriction", "ip_policies"),
    }),
    mutual_tls: moduleField({
      readsTraffic: true,
      members: {
        enabled,
        certificate_authorities: refsField(certificateAuthority, "certificate_authority_ids"),
      },
      impact: guarding("mutual TLS", "certificate_authorities"),
    }),
    tls_termination: moduleField({
      members: {
        enabled,
        terminate_at: field({ codec: filledText, unset: "inherit", overrule: endTlsHere }),
        min_version: field({ codec: filledText, unset: "inherit", nullIn: isPassedThrough }),
      },
      impact: termination,
    }),
    traffic_policy: policyModule({ phases: /^on_http_/u, owner: "HTTPS routes" }, { readsTraffic: true }),
  },
  identifiedBy: ["hostports"],
  claims: hostportClaims,
  without: (spec, claims) => {
    const kept = listOf(spec["hostports"]).filter((item) => !claims.has(hostportClaim(item) ?? ""));
    return { spec: { ...spec, hostports: kept }, keeps: kept.length > 0 };
  },
  claimWords: { holder: "edge", claim: "hostport", held: "served", holding: "serving" },
  repair,
  valid,
  exportNames: (wire) => [withoutPort(Array.isArray(wire["hostports"]) ? wire["hostports"][0] : null)],
});

/** Whoever names what only a terminating edge can do means such an edge. */
function endTlsHere(live: Value, declared: Spec): Overruled | null {
  if (live !== "upstream") return null;
  const version = moduleMember(declared["tls_termination"] ?? null, "min_version");
  const by = [
    ...(version === null ? [] : ["tls_termination.min_version"]),
    ...modulesThatReadTraffic.filter((module) => (declared[module] ?? null) !== null),
  ];
  return by.length === 0 ? null : { value: "edge", by };
}

function isPassedThrough(module: Value | undefined): boolean {
  return moduleMember(module ?? null, "terminate_at") === "upstream";
}

/** With `upstream` the service takes no minimum version. */
function repair(spec: Spec): Spec {
  const module = spec["tls_termination"];
  if (!isPassedThrough(module) || !isObject(module) || (module["min_version"] ?? null) === null) return spec;
  return { ...spec, tls_termination: { ...(module as { [member: string]: Value }), min_version: null } };
}

/** Refused beside `terminate_at: upstream`, where the edge doesn't see the traffic. */
export const modulesThatReadTraffic: readonly string[] = tlsEdge.fieldList.flatMap(({ name, field }) =>
  field.module?.readsTraffic === true ? [name] : [],
);

function valid(spec: Spec): boolean {
  const passes = isPassedThrough(spec["tls_termination"]);
  return !passes || modulesThatReadTraffic.every((module) => (spec[module] ?? null) === null);
}
