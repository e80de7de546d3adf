import type { Json } from "../../../src/core/json.ts";
import { writeMarker } from "../../../src/kinds/marker.ts";
import { type Address, nameOf } from "../../../src/kinds/names.ts";
import type { Change, Operation, Plan, WaitReason } from "../../../src/plan/plan-format.ts";

export const stack = "demo";

type Waits = { readonly [operation: string]: WaitReason };
type Extra = Partial<Pick<Operation, "bind" | "pathBind" | "temporary" | "handsOver" | "why">> & {
  readonly waits?: Waits;
};

export function operation(
  id: string,
  base: Omit<Operation, "id" | "bind" | "after" | "waits" | "why">,
  extra: Extra,
): Operation {
  const waits = extra.waits ?? {};
  return { id, bind: {}, why: null, ...base, ...extra, after: Object.keys(waits), waits };
}

export function marked(address: Address, replaces?: string): string {
  return writeMarker({ stack, name: nameOf(address), ...(replaces === undefined ? {} : { replaces }) }, "");
}

export function create(
  id: string,
  address: Address,
  body: { [member: string]: Json } = {},
  extra: Extra = {},
): Operation {
  const path = address.startsWith("TLSEdge")
    ? "/edges/tls"
    : address.startsWith("ReservedAddress")
      ? "/reserved_addrs"
      : address.startsWith("TLSCertificate")
        ? "/tls_certificates"
        : "/backends/http_response";
  const full = { metadata: marked(address), ...body };
  return operation(id, { kind: "create", method: "POST", path, address, resourceId: null, body: full }, extra);
}

export function patch(id: string, name: string, body: Json, extra: Extra = {}): Operation {
  const base = { kind: "patch", method: "PATCH", address: `TLSEdge/${name}`, resourceId: `edgtls_${name}` } as const;
  const path = extra.pathBind === undefined ? `/edges/tls/edgtls_${name}` : "/edges/tls/{id}";
  return operation(id, { ...base, ...(extra.pathBind === undefined ? {} : { resourceId: null }), path, body }, extra);
}

export function remove(id: string, name: string, extra: Extra = {}): Operation {
  const resourceId = `bkdhr_${name}`;
  const path = `/backends/http_response/${resourceId}`;
  const address: Address = `HTTPResponseBackend/${name}`;
  return operation(id, { kind: "delete", method: "DELETE", path, address, resourceId, body: null }, extra);
}

export function planOf(operations: readonly Operation[], more: Partial<Plan> = {}): Plan {
  const summary = { create: 0, update: 0, replace: 0, delete: 0, adopt: 0, orphan: 0, unchanged: 0 };
  return {
    format: "edgewise.plan/v1",
    stack,
    baseUrl: "https://api.example.com",
    toolVersion: "0.0.0",
    hash: "sha256:00",
    summary,
    changes: [],
    operations,
    preconditions: [],
    refusals: [],
    warnings: [],
    rehearsal: null,
    commit: null,
    selection: { only: null, labels: [], files: null, prune: true },
    relaxations: { allow: [], maxDeletes: null, allowEmpty: false, takeOver: false, destroy: false },
    lifted: [],
    unavailableSecrets: [],
    ...more,
  };
}

export function changeOf(address: Address, line: number): Change {
  return {
    address,
    action: "update",
    id: null,
    source: { file: "edge/api.yaml", line },
    fields: [{ path: "spec.hostports", before: [], after: ["a.example:443"], impact: "routing", reason: null }],
    impact: "routing",
    reason: null,
    origin: null,
    notes: [],
  };
}
