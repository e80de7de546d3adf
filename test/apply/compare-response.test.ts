import { describe, expect, it } from "vitest";
import { differences } from "../../src/apply/run-operation.ts";
import type { Value } from "../../src/core/json.ts";
import type { Operation } from "../../src/plan/plan-format.ts";
import { Secret } from "../../src/core/secret.ts";
import { marked, patch } from "./support/operations.ts";

const edge = patch("op-1", "a", {});
const put: Operation = { ...edge, kind: "module-put", method: "PUT", path: "/edges/tls/edgtls_a/mutual_tls" };

describe("what a response should hold", () => {
  it.each<[string, Operation, Value, Value]>([
    ["hostports in any order", edge, { hostports: ["a:443", "b:443"] }, { hostports: ["b:443", "a:443"] }],
    [
      "references under another name",
      edge,
      { backend: { enabled: true, backend_id: "b1" }, ip_restriction: { enabled: true, ip_policy_ids: ["p", "q"] } },
      {
        backend: { enabled: true, backend: { id: "b1", uri: "u" } },
        ip_restriction: {
          enabled: true,
          ip_policies: [
            { id: "q", uri: "u" },
            { id: "p", uri: "u" },
          ],
        },
      },
    ],
    ["members that it leaves out", edge, { description: "x", metadata: marked("TLSEdge/a") }, { id: "edgtls_a" }],
    ["metadata written another way", edge, { metadata: marked("TLSEdge/a") }, { metadata: ` ${marked("TLSEdge/a")}` }],
  ])("%s", (_what, operation, asked, response) => {
    expect(differences(operation, asked, response)).toEqual([]);
  });
});

describe("what is told", () => {
  it.each<[readonly string[], Operation, Value, Value]>([
    [["description"], edge, { description: "x" }, { description: "y" }],
    [["hostports"], edge, { hostports: ["a:443", "b:443"] }, { hostports: ["a:443"] }],
    [["metadata"], edge, { metadata: marked("TLSEdge/a") }, { metadata: marked("TLSEdge/b") }],
    [["tls_termination"], edge, { tls_termination: { enabled: true } }, { tls_termination: null }],
    [
      ["backend.backend", "tls_termination.min_version"],
      edge,
      { backend: { enabled: true, backend_id: "b1" }, tls_termination: { min_version: "1.2" } },
      { backend: { enabled: true, backend: { id: "b2" } }, tls_termination: { min_version: "1.3" } },
    ],
    [
      ["certificate_authorities"],
      put,
      { enabled: true, certificate_authority_ids: ["ca_1"] },
      { enabled: true, certificate_authorities: [] },
    ],
  ])("%j", (members, operation, asked, response) => {
    expect(differences(operation, asked, response)).toEqual(members);
  });

  it("never a secret", () => {
    const route: Operation = {
      ...edge,
      kind: "module-put",
      method: "PUT",
      address: "HTTPSEdgeRoute/r",
      path: "/edges/https/e/routes/r/webhook_verification",
    };
    const asked = { provider: "GITHUB", secret: Secret.of("one", "env A") };
    expect(differences(route, asked, { provider: "GITLAB", secret: Secret.of("two", "live") })).toEqual(["provider"]);
  });
});
