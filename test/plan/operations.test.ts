import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { Account, bodyOf, changeOf, operationsOf, warnings, writes } from "./support/account.ts";
import { address, backend, certificate, edge, loose, restriction } from "./support/manifests.ts";

const policy = { value: { on_tcp_connect: [{ actions: [{ type: "deny" }] }] } };
const authorities = { certificate_authorities: [{ id: "ca_1" }] };
const ips = { ip_policies: [{ id: "ipp_1" }] };

function between(
  first: Manifest,
  second: Manifest,
  moduleEndpoints: readonly ("backend" | "ip_restriction")[] = [],
): readonly string[] {
  const account = new Account({ moduleEndpoints });
  account.apply([backend("b"), first], { moduleEndpoints });
  const id = account.id("TLSEdge/x");
  const plan = account.apply([backend("b"), second], { moduleEndpoints });
  expect(account.plan([backend("b"), second], { moduleEndpoints }).changes).toEqual([]);
  return plan.operations.map(
    ({ method, path, body }) =>
      `${method} ${path.replace(`/edges/tls/${id}`, "") || "/"}${body === null ? "" : ` ${Object.keys(Object(body)).join()}`}`,
  );
}

describe("an update of an edge", () => {
  it.each<readonly [string, Manifest, Manifest, readonly string[]]>([
    ["one text: one PATCH of it", edge("x"), edge("x", { description: "d" }), ["PATCH / description"]],
    [
      "two fields: one PATCH of both",
      edge("x"),
      edge("x", { description: "d", hostports: ["y.example.com:443"] }),
      ["PATCH / description,hostports"],
    ],
    [
      "one module with an endpoint is set: one PUT",
      edge("x"),
      edge("x", { mutual_tls: authorities }),
      ["PUT /mutual_tls enabled,certificate_authority_ids"],
    ],
    [
      "the backend has no endpoint: PATCH",
      edge("x"),
      edge("x", { backend: { backend: { name: "b" } } }),
      ["PATCH / backend"],
    ],
    ["one module goes: one DELETE", edge("x", { mutual_tls: authorities }), edge("x"), ["DELETE /mutual_tls"]],
    [
      "to upstream: modules go first",
      edge("x", { mutual_tls: authorities, traffic_policy: policy }),
      edge("x", { tls_termination: { terminate_at: "upstream" } }),
      ["DELETE /mutual_tls", "DELETE /traffic_policy", "PATCH / tls_termination"],
    ],
    [
      "back, with the termination gone: it goes before the modules come",
      edge("x", { tls_termination: { terminate_at: "upstream" } }),
      edge("x", { mutual_tls: authorities }),
      ["DELETE /tls_termination", "PATCH / mutual_tls"],
    ],
    [
      "the backend goes: it is disabled",
      edge("x", { backend: { backend: { name: "b" } } }),
      edge("x"),
      ["PATCH / backend"],
    ],
  ])("%s", (_what, first, second, expected) => {
    expect(between(first, second)).toEqual(expected);
  });

  it.each<readonly [string, Manifest, Manifest, readonly string[]]>([
    ["PUT", edge("x"), edge("x", { backend: { backend: { name: "b" } } }), ["PUT /backend enabled,backend_id"]],
    [
      "DELETE",
      edge("x", { ip_restriction: ips, backend: { backend: { name: "b" } } }),
      edge("x"),
      ["DELETE /backend", "DELETE /ip_restriction"],
    ],
  ])(
    "with api.moduleEndpoints uses %s for the backend and the IP restriction too",
    (_what, first, second, expected) => {
      expect(between(first, second, ["backend", "ip_restriction"])).toEqual(expected);
    },
  );
});

describe("a module that can't be removed", () => {
  it("is disabled with its target kept, is worth a warning, and counts as absent from then on", () => {
    const account = new Account();
    account.apply([backend("b"), edge("x", { backend: { backend: { name: "b" } }, ip_restriction: ips })]);
    const id = account.id("HTTPResponseBackend/b");
    const plan = account.apply([backend("b"), edge("x")]);
    expect(bodyOf(plan, "TLSEdge/x")).toEqual({
      backend: { enabled: false, backend_id: id },
      ip_restriction: { enabled: false, ip_policy_ids: ["ipp_1"] },
    });
    expect(warnings(plan)).toEqual(["module-disabled", "module-disabled"]);
    expect(changeOf(plan, "TLSEdge/x").notes.join()).toContain("disabled");
    expect(account.plan([backend("b"), edge("x")])).toMatchObject({ changes: [], warnings: [] });
  });
});

describe("a create", () => {
  it("is one POST for each kind, with nothing in it that is unset", () => {
    const plan = new Account().plan([
      restriction("r"),
      edge("e"),
      address("a"),
      backend("b"),
      certificate("c", "AAAA"),
    ]);
    expect(Object.fromEntries(plan.operations.map(({ path, body }) => [path, Object.keys(Object(body))]))).toEqual({
      "/ip_restrictions": ["metadata", "type", "enforced", "ip_policy_ids"],
      "/edges/tls": ["metadata", "hostports"],
      "/reserved_addrs": ["metadata", "region"],
      "/backends/http_response": ["metadata", "status_code"],
      "/tls_certificates": ["metadata", "certificate_pem", "private_key_pem"],
    });
    expect(
      plan.operations.every(
        ({ kind, method, resourceId }) => kind === "create" && method === "POST" && resourceId === null,
      ),
    ).toBe(true);
  });

  it("of an address sets its endpoint configuration afterwards, as a create takes none", () => {
    const account = new Account();
    const plan = account.apply([address("a", { endpoint_configuration: { id: "ec_1" } })]);
    expect(plan.operations).toMatchObject([
      { id: "op-1", kind: "create", method: "POST", path: "/reserved_addrs" },
      {
        kind: "patch",
        path: "/reserved_addrs/{id}",
        pathBind: { address: "ReservedAddress/a", part: "id" },
        body: { endpoint_configuration_id: "ec_1" },
        after: ["op-1"],
      },
    ]);
    expect(plan.operations[0]?.body).not.toHaveProperty("endpoint_configuration_id");
    expect(account.one("ReservedAddress/a")["endpoint_configuration"]).toMatchObject({ id: "ec_1" });
  });

  it("binds what is not known yet by JSON pointer", () => {
    const plan = new Account().plan([
      backend("b"),
      address("a"),
      edge("e", { hostports: ["x.example.com:443", { address: "a" }], backend: { backend: { name: "b" } } }),
      certificate("c", "AAAA"),
    ]);
    const [create] = operationsOf(plan, "TLSEdge/e");
    expect(create?.body).toMatchObject({
      hostports: ["x.example.com:443", null],
      backend: { enabled: true, backend_id: null },
    });
    expect(create?.bind).toEqual({
      "/hostports/1": { address: "ReservedAddress/a", part: "addr" },
      "/backend/backend_id": { address: "HTTPResponseBackend/b", part: "id" },
    });
    const [upload] = operationsOf(plan, "TLSCertificate/c");
    expect(upload?.body).toMatchObject({ private_key_pem: null });
    expect(upload?.bind).toEqual({ "/private_key_pem": { secret: "TLSCertificate/c#private_key_pem" } });
  });
});

describe("updates of the other kinds", () => {
  it.each<readonly [string, Manifest, Manifest, unknown]>([
    [
      "HTTPResponseBackend",
      backend("x"),
      backend("x", { status_code: 200, body: "ok" }),
      { status_code: 200, body: "ok" },
    ],
    ["headers away", backend("x", { headers: { a: "b" } }), backend("x"), { headers: {} }],
    [
      "its policies",
      restriction("x"),
      restriction("x", { ip_policies: [{ id: "ipp_9" }] }),
      { ip_policy_ids: ["ipp_9"] },
    ],
    [
      "ReservedAddress",
      loose("x"),
      loose("x", { endpoint_configuration: { id: "ec_2" } }),
      { endpoint_configuration_id: "ec_2" },
    ],
    [
      "TLSCertificate",
      certificate("x", "AAAA"),
      certificate("x", "AAAA", {}, { description: "d" }),
      { description: "d" },
    ],
  ])("%s: one PATCH with just what changed", (_what, first, second, body) => {
    const account = new Account();
    account.apply([first]);
    const plan = account.apply([second]);
    expect(writes(plan)).toEqual([`PATCH ${account.path(second.address)}`]);
    expect(bodyOf(plan, second.address)).toEqual(body);
  });
});
