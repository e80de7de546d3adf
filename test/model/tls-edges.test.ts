import { describe, expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import type { Service } from "./service.ts";
import { idOf, messageOf, service } from "./service.ts";

const policy = '{"on_tcp_connect":[]}';
const noModules = {
  backend: null,
  ip_restriction: null,
  mutual_tls: null,
  tls_termination: null,
  traffic_policy: null,
};

function edge(s: Service, body: { readonly [member: string]: Json } = {}): string {
  return `/edges/tls/${idOf(s.done("POST", "/edges/tls", { hostports: ["a.example:443"], ...body }))}`;
}

describe("TLS edges", () => {
  it("have null for every module that is not configured, and the leftover policy", () => {
    const s = service();
    expect(s.done("GET", edge(s))).toMatchObject({ ...noModules, hostports: ["a.example:443"], policy: null });
  });

  it("take every module at once and turn parameters into Refs", () => {
    const s = service();
    const backend = idOf(s.done("POST", "/backends/http_response", { status_code: 200 }));
    const path = edge(s, {
      backend: { backend_id: backend },
      ip_restriction: { enabled: false, ip_policy_ids: ["ipp_1"] },
      mutual_tls: { certificate_authority_ids: ["ca_1"] },
      tls_termination: { min_version: "1.3" },
      traffic_policy: { value: policy },
    });
    expect(s.done("GET", path)).toMatchObject({
      backend: { enabled: true, backend: { id: backend } },
      ip_restriction: { enabled: false, ip_policies: [{ id: "ipp_1" }] },
      mutual_tls: { enabled: true, certificate_authorities: [{ id: "ca_1" }] },
      tls_termination: { enabled: true, terminate_at: "edge", min_version: "1.3" },
      traffic_policy: { enabled: true, value: policy },
    });
  });
});

describe("hostports", () => {
  it.each([[["a.example"]], [["a.example:65536"]], [["a.example:443", "A.example:443"]], ["a.example:443"]])(
    "%j is refused",
    (hostports) => {
      expect(service({ knownValuesOnly: true }).call("POST", "/edges/tls", { hostports }).status).toBe(400);
    },
  );

  it("are served by one edge only, whatever their case", () => {
    const s = service();
    const path = edge(s);
    const taken = s.call("POST", "/edges/tls", { hostports: ["b.example:443", "A.example:443"] });
    expect(taken.status).toBe(409);
    expect(messageOf(taken)).toContain(path.split("/").at(-1));
    const other = edge(s, { hostports: ["b.example:443"] });
    expect(s.call("PATCH", other, { hostports: ["a.example:443"] }).status).toBe(409);
    expect(s.call("PATCH", path, { hostports: ["c.example:443", "a.example:443"] }).status).toBe(200);
  });
});

describe("references", () => {
  it.each([
    ["backend", { backend_id: "edgtls_1" }],
    ["ip_restriction", { ip_policy_ids: ["ipp_1", "ca_1"] }],
    ["mutual_tls", { certificate_authority_ids: ["cert_1"] }],
  ])("of %s to another kind are refused: %o", (module, value) => {
    const s = service();
    const path = edge(s);
    const answer = s.call("PATCH", path, { [module]: value });
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toMatch(/begins? with/u);
  });

  it("to HTTP response backends must exist, all others do", () => {
    const s = service();
    const path = edge(s);
    expect(messageOf(s.call("PATCH", path, { backend: { backend_id: "bkdhr_no" } }))).toContain("bkdhr_no");
    expect(s.call("PATCH", path, { backend: { backend_id: "bkdtg_1" } }).status).toBe(200);
  });
});

describe("module endpoints", () => {
  it.each([
    ["mutual_tls", { certificate_authority_ids: ["ca_1"] }, { certificate_authorities: [{ id: "ca_1" }] }],
    ["traffic_policy", { enabled: false, value: policy }, { enabled: false, value: policy }],
    ["tls_termination", {}, { enabled: true, terminate_at: "edge", min_version: "1.2" }],
  ])("of %s put, get and delete it", (module, body, answer) => {
    const s = service();
    const path = `${edge(s)}/${module}`;
    expect(s.call("GET", path).status).toBe(404);
    const put = s.call("PUT", path, body);
    expect(put).toMatchObject({ status: 200, body: answer });
    expect(s.call("GET", path)).toEqual(put);
    expect(s.call("DELETE", path)).toEqual({ status: 204, body: null });
    expect(s.call("GET", path).status).toBe(404);
    expect(s.call("DELETE", path).status).toBe(204);
    expect(s.effects()).toEqual([]);
    expect(s.call("PATCH", path, body).status).toBe(405);
  });
});

describe("terminate_at upstream", () => {
  const upstream = { terminate_at: "upstream" };

  it.each(["mutual_tls", "traffic_policy"])("is refused beside %s, whichever comes first", (module) => {
    const body = module === "mutual_tls" ? { certificate_authority_ids: ["ca_1"] } : { value: policy };
    const s = service();
    const first = edge(s, { [module]: body });
    expect(s.call("PATCH", first, { tls_termination: upstream }).status).toBe(400);
    expect(s.call("PUT", `${first}/tls_termination`, upstream).status).toBe(400);
    const second = edge(s, { hostports: ["b.example:443"], tls_termination: upstream });
    expect(s.call("PATCH", second, { [module]: body }).status).toBe(400);
    expect(s.call("PUT", `${second}/${module}`, body).status).toBe(400);
    expect(s.call("PATCH", second, { [module]: body, tls_termination: {} }).status).toBe(200);
    s.done("DELETE", `${first}/${module}`);
    expect(s.call("PUT", `${first}/tls_termination`, upstream).status).toBe(200);
  });
});

describe("a module's parameters", () => {
  it.each([
    ["backend", { enabled: true }],
    ["ip_restriction", { ip_policy_ids: [] }],
    ["tls_termination", { min_version: "1.4" }],
    ["traffic_policy", { value: { on_tcp_connect: [] } }],
    ["traffic_policy", { value: "on_tcp_connect: []" }],
  ])("%s %j is refused", (module, body) => {
    const s = service({ knownValuesOnly: true });
    const refused = s.call("PATCH", edge(s), { [module]: body });
    expect(refused.status).toBe(400);
    expect(messageOf(refused)).toContain(module);
  });

  it.each([
    ["tls_termination", { terminate_at: "agent", min_version: "1.4" }],
    ["traffic_policy", { enabled: true, value: "on_tcp_connect: []" }],
  ])("%s %j is taken by services that nobody knows", (module, body) => {
    const s = service();
    expect(s.done("PATCH", edge(s), { [module]: body })[module]).toEqual({ enabled: true, ...body });
  });
});
