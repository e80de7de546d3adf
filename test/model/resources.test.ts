import { describe, expect, it } from "vitest";
import { idOf, service } from "./service.ts";

const at = (n: number): string => new Date(Date.UTC(2020, 0, 1, 0, 0, n)).toISOString();

describe("IP restrictions", () => {
  it("are created, read, changed and deleted", () => {
    const { call, done } = service();
    const made = done("POST", "/ip_restrictions", {
      description: "staff",
      enforced: true,
      type: "dashboard",
      ip_policy_ids: ["ipp_b", "ipp_a", "ipp_b"],
    });
    expect(made).toEqual({
      id: "ipx_model000001",
      uri: "http://model.example/ip_restrictions/ipx_model000001",
      created_at: at(0),
      description: "staff",
      metadata: "",
      enforced: true,
      type: "dashboard",
      ip_policies: [
        { id: "ipp_a", uri: "http://model.example/ip_policies/ipp_a" },
        { id: "ipp_b", uri: "http://model.example/ip_policies/ipp_b" },
      ],
    });
    const path = `/ip_restrictions/${idOf(made)}`;
    const changed = done("PATCH", path, { description: "", enforced: false });
    expect(changed).toEqual({ ...made, description: "", enforced: false });
    expect(done("GET", path)).toEqual(changed);
    expect(call("DELETE", path)).toEqual({ status: 204, body: null });
    expect(call("GET", path).status).toBe(404);
    expect(call("DELETE", path).status).toBe(404);
  });
});

describe("reserved addresses", () => {
  it("get an addr of their region, us by default", () => {
    const { call, done } = service();
    const us = done("POST", "/reserved_addrs", {});
    const eu = done("POST", "/reserved_addrs", { region: "eu" });
    expect(us).toMatchObject({ region: "us", endpoint_configuration: null });
    expect(us["addr"]).toMatch(/^\d+\.tcp\.us\.example:\d+$/);
    expect(eu["addr"]).toMatch(/^\d+\.tcp\.eu\.example:\d+$/);
    expect(us["addr"]).not.toBe(eu["addr"]);
    expect(call("POST", "/reserved_addrs", { addr: "mine:1" }).status).toBe(400);
    expect(call("POST", "/reserved_addrs").status).toBe(400);
  });

  it("take an endpoint configuration by update only, and can't change region", () => {
    const { call, done } = service();
    expect(call("POST", "/reserved_addrs", { endpoint_configuration_id: "ec_1" }).status).toBe(400);
    const id = idOf(done("POST", "/reserved_addrs", {}));
    const changed = done("PATCH", `/reserved_addrs/${id}`, { endpoint_configuration_id: "ec_1" });
    expect(changed["endpoint_configuration"]).toMatchObject({ id: "ec_1" });
    expect(call("PATCH", `/reserved_addrs/${id}`, { endpoint_configuration_id: null }).status).toBe(400);
    expect(call("PATCH", `/reserved_addrs/${id}`, { region: "eu" }).status).toBe(400);
  });
});

describe("HTTP response backends", () => {
  it("are kept or let go while an edge refers to them, as the options say", () => {
    for (const [deleteReferenced, status] of [
      ["refuse", 400],
      ["dangle", 204],
    ] as const) {
      const { call, done } = service({ deleteReferenced });
      const id = idOf(done("POST", "/backends/http_response", { status_code: 200 }));
      const edge = idOf(done("POST", "/edges/tls", { hostports: ["a.example:443"], backend: { backend_id: id } }));
      expect(call("DELETE", `/backends/http_response/${id}`).status).toBe(status);
      expect(done("GET", `/edges/tls/${edge}`)["backend"]).toMatchObject({ backend: { id } });
    }
  });
});

describe("TLS certificates", () => {
  it("are described by the environment and never give the key back", () => {
    const { call, done } = service();
    const made = done("POST", "/tls_certificates", { certificate_pem: "CHAIN", private_key_pem: "KEY", metadata: "m" });
    expect(made).toMatchObject({ certificate_pem: "CHAIN", metadata: "m", issued_at: null });
    expect(JSON.stringify(made)).not.toContain("KEY");
    const path = `/tls_certificates/${idOf(made)}`;
    expect(done("PATCH", path, { description: "new" })).toEqual({ ...made, description: "new" });
    expect(call("PATCH", path, { certificate_pem: "OTHER" }).status).toBe(400);
    expect(call("POST", "/tls_certificates", { certificate_pem: "CHAIN" }).status).toBe(400);
  });
});

describe("limits", () => {
  it.each([
    ["/ip_restrictions", { type: "api", ip_policy_ids: ["ipp_a"] }, true, true],
    ["/edges/tls", { hostports: ["a.example:443"] }, true, true],
    ["/reserved_addrs", {}, false, true],
    ["/backends/http_response", { status_code: 200 }, false, false],
  ])("of %s are counted in bytes", (path, body, descriptionIsLimited, metadataIsLimited) => {
    const { call, done } = service();
    const id = idOf(done("POST", path, { ...body, description: "é".repeat(127), metadata: "é".repeat(2048) }));
    const [long, longer] = ["é".repeat(128), "é".repeat(2049)];
    expect(call("PATCH", `${path}/${id}`, { description: long }).status).toBe(descriptionIsLimited ? 400 : 200);
    expect(call("PATCH", `${path}/${id}`, { metadata: longer }).status).toBe(metadataIsLimited ? 400 : 200);
  });
});
