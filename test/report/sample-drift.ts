import { type Drift, type Finding, isDrift } from "../../src/plan/drift-findings.ts";
import { field } from "./sample-plan.ts";

export function finding(type: Finding["type"], more: Partial<Finding> = {}): Finding {
  return {
    address: "TLSEdge/api",
    id: "edgtls_7Qf",
    type,
    fields: [],
    source: null,
    message: "It is so.",
    impact: "none",
    ...more,
  };
}

export function driftOf(findings: readonly Finding[]): Drift {
  return {
    format: "edgewise.drift/v1",
    stack: "edge-prod",
    baseUrl: "https://api.example.com",
    toolVersion: "0.1.0",
    clean: !findings.some(isDrift),
    findings,
    warnings: [],
  };
}

export function sampleDrift(): Drift {
  return {
    ...driftOf([
      finding("modified", {
        source: { file: "edge/api.yaml", line: 3 },
        impact: "security",
        message: "TLSEdge/api (edgtls_7Qf) differs from its manifest in spec.description and spec.mutual_tls",
        fields: [
          field("spec.description", "hacked", "Public API", { impact: "cosmetic" }),
          field(
            "spec.mutual_tls",
            null,
            { enabled: true, certificate_authorities: [{ id: "ca_1" }] },
            { impact: "security", reason: "clients need no certificate now" },
          ),
        ],
      }),
      finding("missing", {
        address: "HTTPResponseBackend/maintenance",
        id: null,
        impact: "routing",
        source: { file: "edge/backends.yaml", line: 1 },
        message: "HTTPResponseBackend/maintenance is not live, although a manifest describes it",
      }),
      finding("unexpected", {
        address: "TLSEdge/old",
        id: "edgtls_0",
        message: "TLSEdge/old (edgtls_0) is live and owned by this stack, but no manifest describes it",
        impact: "routing",
      }),
      finding("unmanaged", {
        address: "IPRestriction/ipr_9",
        id: "ipr_9",
        message: "IPRestriction/ipr_9 is live, but it has no marker and no manifest",
      }),
      finding("expiring", {
        address: "TLSCertificate/api",
        id: "cert_2",
        message: "TLSCertificate/api expires in 11 days (2026-12-01T00:00:00Z)",
        impact: "routing",
        source: { file: "edge/certs/a b.yaml", line: 12 },
      }),
      finding("dangling", {
        message: "TLSEdge/api (edgtls_7Qf) refers to the HTTP response backend bkdhr_1 (spec.backend), which is gone",
        impact: "routing",
      }),
      finding("pending", {
        address: "HTTPSEdgeRoute/hooks",
        id: "edghtr_1",
        source: { file: "edge/hooks.yaml", line: 1 },
        impact: "security",
        message: "HTTPSEdgeRoute/hooks (edghtr_1) was changed in its manifest since the last apply: spec.description",
        fields: [field("spec.description", "Hooks", "Hooks of payments", { impact: "cosmetic", origin: "desired" })],
      }),
    ]),
    warnings: [{ code: "referrers-invisible", message: "HTTPS edges can't be listed." }],
  };
}
