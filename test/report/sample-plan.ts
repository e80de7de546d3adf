import type { Json } from "../../src/core/json.ts";
import type { Action, Change, FieldChange, Operation, Plan, Summary } from "../../src/plan/plan-format.ts";
import { newPem, oldPem } from "./sample-pem.ts";

export function field(path: string, before: Json, after: Json, more: Partial<FieldChange> = {}): FieldChange {
  return { path, before, after, impact: "none", reason: null, ...more };
}

export function change(
  address: Change["address"],
  action: Action,
  fields: readonly FieldChange[],
  more: Partial<Change> = {},
): Change {
  return {
    address,
    action,
    id: action === "create" ? null : `id_${address.length}`,
    source: action === "delete" || action === "orphan" ? null : { file: "edge/api.yaml", line: 1 },
    fields,
    impact: "none",
    reason: null,
    origin: null,
    notes: [],
    ...more,
  };
}

export function operation(id: string, more: Partial<Operation> & Pick<Operation, "address">): Operation {
  return {
    id,
    kind: "patch",
    method: "PATCH",
    path: "/edges/tls/edgtls_1",
    resourceId: null,
    body: {},
    bind: {},
    after: [],
    waits: {},
    why: null,
    ...more,
  };
}

export function planOf(changes: readonly Change[], more: Partial<Plan> = {}): Plan {
  const tally = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, orphan: 0 };
  for (const each of changes) tally[each.action] += 1;
  const summary: Summary = { ...tally, unchanged: 3 };
  return {
    format: "edgewise.plan/v1",
    stack: "edge-prod",
    baseUrl: "https://api.example.com",
    toolVersion: "0.1.0",
    hash: "sha256:3f1f0a2b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7",
    summary,
    changes,
    operations: [],
    preconditions: [],
    refusals: [],
    warnings: [],
    rehearsal: { converges: true, steps: 0 },
    commit: null,
    selection: { only: null, labels: [], files: null, prune: true },
    relaxations: { allow: [], maxDeletes: null, allowEmpty: false, takeOver: false, destroy: false },
    lifted: [],
    unavailableSecrets: [],
    ...more,
  };
}

export function policy(code: number, extra: boolean): string {
  const rules: Json[] = [
    { name: "log", actions: [{ type: "log" }] },
    {
      name: "office only",
      expressions: ["!conn.client_ip.inCidr('192.0.2.0/24')"],
      actions: [{ type: "deny", config: { status_code: code } }],
    },
  ];
  if (extra)
    rules.push({ name: "slow down", actions: [{ type: "rate-limit", config: { capacity: 30, rate: "60s" } }] });
  return JSON.stringify({ on_tcp_connect: rules });
}

export function samplePlan(): Plan {
  return planOf(sampleChanges(), {
    operations: sampleOperations(),
    refusals: [
      {
        code: "irreversible",
        address: "ReservedAddress/legacy",
        message: "Deleting ReservedAddress/legacy gives back 5.tcp.example.com:20123 for good.",
        remedy: "Put the manifest back, or say --allow ReservedAddress/legacy.",
      },
    ],
    warnings: [
      {
        code: "traffic-gap",
        address: "TLSEdge/api",
        message: "b.example.com:443 is served by nobody between op-3 and op-4.",
      },
      {
        code: "referrers-invisible",
        message: "HTTPS edges and domains that refer to TLSCertificate/api can't be listed.",
      },
    ],
    rehearsal: { converges: true, steps: 9 },
    base: "0123456789abcdef0123456789abcdef01234567",
  });
}

function sampleChanges(): readonly Change[] {
  return [
    change(
      "TLSCertificate/api",
      "replace",
      [
        field("spec.certificate_pem", oldPem, newPem),
        field("spec.private_key_pem", "(secret)", "(secret, file keys/www.pem)", { sensitive: true }),
      ],
      {
        id: "cert_2aB",
        source: { file: "edge/certificates.yaml", line: 12 },
        impact: "routing",
        reason: "new connections get another certificate",
        origin: "desired",
        notes: ["The old certificate is left alive (lifecycle.replaced: orphan)."],
      },
    ),
    change(
      "TLSEdge/api",
      "update",
      [
        field("spec.description", "Public API", "Public API of payments", { impact: "cosmetic", origin: "desired" }),
        field(
          "spec.hostports",
          ["a.example.com:443", "b.example.com:443", "d.example.com:443"],
          ["a.example.com:443", "c.example.com:443", { address: "tcp-eu" }, "d.example.com:443"],
          { impact: "routing", reason: "b.example.com:443 is no longer served here", unknown: true, origin: "both" },
        ),
        field("spec.mutual_tls", { enabled: true, certificate_authorities: [{ id: "ca_1" }, { id: "ca_2" }] }, null, {
          impact: "security",
          reason: "clients no longer need a certificate",
          origin: "desired",
        }),
        field("spec.tls_termination.min_version", "1.0", "1.2", {
          impact: "security",
          reason: "clients older than TLS 1.2 are turned away",
          origin: "drift",
        }),
        field("spec.traffic_policy.value", policy(403, false), policy(401, true), {
          impact: "security",
          reason: "the traffic policy changes",
          origin: "desired",
        }),
      ],
      {
        id: "edgtls_7Qf",
        source: { file: "edge/api.yaml", line: 3 },
        impact: "security",
        reason: "clients no longer need a certificate",
        origin: "both",
      },
    ),
    change(
      "TLSEdge/admin",
      "update",
      [
        field("spec.ip_restriction.ip_policies", [{ id: "ipp_1" }, { id: "ipp_9" }], [{ id: "ipp_1" }], {
          impact: "security",
          reason: "one policy fewer restricts who may connect",
          origin: "drift",
        }),
      ],
      {
        id: "edgtls_8Rg",
        source: { file: "edge/admin.yaml", line: 1 },
        impact: "security",
        reason: "one policy fewer restricts who may connect",
        origin: "drift",
      },
    ),
    change(
      "HTTPResponseBackend/maintenance",
      "create",
      [
        field("spec.status_code", null, 503),
        field("spec.headers", null, { "content-type": "text/html", "retry-after": "600" }),
        field("spec.body", null, "<html>\n  <body>Back soon.</body>\n</html>\n"),
      ],
      { source: { file: "edge/backends.yaml", line: 1 }, origin: "desired" },
    ),
    change("IPRestriction/office", "adopt", [field("metadata.marker", null, { stack: "edge-prod", name: "office" })], {
      id: "ipr_5",
      source: { file: "edge/restrictions.yaml", line: 4 },
      origin: "desired",
    }),
    change("ReservedAddress/legacy", "delete", [], {
      id: "ra_1",
      impact: "irreversible",
      reason: "5.tcp.example.com:20123 can't be had back",
      origin: "desired",
    }),
    change("HTTPResponseBackend/old", "orphan", [], { id: "bkdhr_0", origin: "desired" }),
  ];
}

function sampleOperations(): readonly Operation[] {
  return [
    operation("op-1", {
      kind: "create",
      method: "POST",
      path: "/backends/http_response",
      address: "HTTPResponseBackend/maintenance",
    }),
    operation("op-2", {
      kind: "create",
      method: "POST",
      path: "/tls_certificates",
      address: "TLSCertificate/api",
      why: "made beside the old one, which goes when nothing uses it",
    }),
    operation("op-3", {
      address: "TLSEdge/api",
      resourceId: "edgtls_7Qf",
      after: ["op-1"],
      waits: { "op-1": "use" },
      why: "lets go of b.example.com:443, which TLSEdge/admin takes",
      temporary: { restore: {}, takers: ["op-4"] },
    }),
    operation("op-4", {
      address: "TLSEdge/admin",
      resourceId: "edgtls_8Rg",
      after: ["op-3"],
      waits: { "op-3": "free" },
      why: "takes b.example.com:443 when op-3 has freed it",
    }),
    operation("op-7", {
      address: "HTTPResponseBackend/old",
      path: "/backends/http_response/bkdhr_0",
      resourceId: "bkdhr_0",
      after: ["op-3"],
      waits: { "op-3": "unuse" },
      why: "given up when op-3 no longer refers to it",
    }),
    operation("op-9", {
      kind: "delete",
      method: "DELETE",
      path: "/reserved_addrs/ra_1",
      address: "ReservedAddress/legacy",
      resourceId: "ra_1",
      after: ["op-3", "op-4", "op-7"],
      waits: { "op-3": "last", "op-4": "last", "op-7": "last" },
      why: "deletes come last",
    }),
  ];
}
