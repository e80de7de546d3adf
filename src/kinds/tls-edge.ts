import { type Spec, type Value, isObject } from "../core/json.js";
import { hostportClaim, hostportClaims, hostports, listOf, ref, refs, withoutPort } from "./codecs/reference-codecs.js";
import { filledText } from "./codecs/value-codecs.js";
import { guarding, servedHostports, termination, trafficPolicy } from "./edge-impacts.js";
import { description, enabled, member, metadata, moduleField } from "./fields.js";
import { isOn, moduleMember, routing } from "./impact.js";
import { type Overruled, defineKind } from "./kind.js";
import { policy } from "./policy/policy-codec.js";
import { anyBackend, certificateAuthority, ipPolicy } from "./referred-kinds.js";

const absent = { value: null } as const;

export const tlsEdge = defineKind({
  kind: "TLSEdge",
  slug: "tls-edge",
  title: "TLS edge",
  idPrefix: "edgtls_",
  terraformTypes: ["edge_tls"],
  collection: { path: "/edges/tls", member: "tls_edges" },
  path: (id) => `/edges/tls/${id}`,
  fields: {
    description,
    metadata,
    hostports: { codec: hostports, unset: { value: [] }, write: "any", impact: servedHostports, impacts: ["routing"] },
    backend: moduleField({
      endpoint: false,
      unset: absent,
      members: {
        enabled,
        backend: member({ codec: ref(anyBackend), unset: absent, writeAs: "backend_id", essential: true }),
      },
      impact: (_before, after) =>
        isOn(after) ? routing("traffic goes to another backend") : routing("traffic no longer goes to a backend"),
      impacts: ["routing"],
    }),
    ip_restriction: moduleField({
      endpoint: false,
      unset: absent,
      members: {
        enabled,
        ip_policies: member({ codec: refs(ipPolicy), unset: { value: [] }, writeAs: "ip_policy_ids", wantsOne: true }),
      },
      impact: guarding("the IP restriction", "ip_policies"),
      impacts: ["routing", "security"],
    }),
    mutual_tls: moduleField({
      endpoint: true,
      readsTraffic: true,
      unset: absent,
      members: {
        enabled,
        certificate_authorities: member({
          codec: refs(certificateAuthority),
          unset: { value: [] },
          writeAs: "certificate_authority_ids",
          wantsOne: true,
        }),
      },
      impact: guarding("mutual TLS", "certificate_authorities"),
      impacts: ["routing", "security"],
    }),
    tls_termination: moduleField({
      endpoint: true,
      unset: absent,
      members: {
        enabled,
        terminate_at: member({ codec: filledText, unset: "inherit", overrule: endTlsHere }),
        min_version: member({ codec: filledText, unset: "inherit", nullIn: isPassedThrough }),
      },
      impact: termination,
      impacts: ["routing", "security"],
    }),
    traffic_policy: moduleField({
      endpoint: true,
      readsTraffic: true,
      unset: absent,
      members: {
        enabled,
        value: member({
          codec: policy,
          unset: absent,
          content: "policy",
          freeText: true,
          foreignPhases: { phases: /^on_http_/u, owner: "HTTPS routes" },
        }),
      },
      impact: trafficPolicy,
      impacts: ["routing", "security"],
    }),
  },
  defaults: { deletion: "delete", replaced: "delete" },
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

/** A manifest that names what only a terminating edge can do means such an edge. */
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

/** With `upstream` there is no minimum version to inherit: the service takes null only. */
function repair(spec: Spec): Spec {
  const module = spec["tls_termination"];
  if (!isPassedThrough(module) || !isObject(module) || (module["min_version"] ?? null) === null) return spec;
  return { ...spec, tls_termination: { ...(module as { [member: string]: Value }), min_version: null } };
}

/** With `terminate_at: upstream` the edge doesn't see the traffic, so these modules are refused beside it. */
export const modulesThatReadTraffic: readonly string[] = tlsEdge.fieldList.flatMap(({ name, field }) =>
  field.module?.readsTraffic === true ? [name] : [],
);

function valid(spec: Spec): boolean {
  const passes = isPassedThrough(spec["tls_termination"]);
  return !passes || modulesThatReadTraffic.every((module) => (spec[module] ?? null) === null);
}
