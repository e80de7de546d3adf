import { describe, expect, it } from "vitest";
import type { Json } from "../../src/json.ts";
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

  it("leave what an update does not name and replace what it names completely", () => {
    const s = service();
    const path = edge(s, {
      tls_termination: { enabled: false, min_version: "1.3" },
      traffic_policy: { enabled: false, value: policy },
    });
    const after = s.done("PATCH", path, { traffic_policy: { value: "{}" } });
    expect(after["traffic_policy"]).toEqual({ enabled: true, value: "{}" });
    expect(after["tls_termination"]).toEqual({ enabled: false, terminate_at: "edge", min_version: "1.3" });
  });

  it("can't lose a module by an update", () => {
    const s = service();
    const path = edge(s, { traffic_policy: { value: policy } });
    const refused = s.call("PATCH", path, { traffic_policy: null });
    expect(refused.status).toBe(400);
    expect(messageOf(refused)).toContain("DELETE the module");
    expect(s.done("GET", path)["traffic_policy"]).not.toBeNull();
  });
});

describe("hostports", () => {
  it.each([[["a.example"]], [["a.example:65536"]], [["a.example:443", "A.example:443"]], ["a.example:443"]])(
    "%j is refused",
    (hostports) => {
      expect(service({ knownValuesOnly: true }).call("POST", "/edges/tls", { hostports }).status).toBe(400);
    },
  );

  it("may be none, and odd ones are taken by services that nobody knows", () => {
    expect(service({ knownValuesOnly: true }).call("POST", "/edges/tls", { hostports: [] }).status).toBe(201);
    expect(service().call("POST", "/edges/tls", { hostports: ["a.example"] }).status).toBe(201);
    expect(service().call("POST", "/edges/tls", { hostports: ["a.example", "A.example"] }).status).toBe(400);
  });

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

  it("are free again once released or deleted", () => {
    const s = service();
    const path = edge(s);
    s.done("PATCH", path, { hostports: ["b.example:443"] });
    const second = edge(s);
    s.done("DELETE", second);
    expect(s.call("POST", "/edges/tls", { hostports: ["a.example:443"] }).status).toBe(201);
  });
});

describe("references", () => {
  it.each([
    ["backend", { backend_id: "edgtls_1" }],
    ["backend", { backend_id: "ipp_1" }],
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

  it("to what the API does not manage can be limited to a list", () => {
    const s = service({ externals: new Set(["ipp_1"]) });
    const path = edge(s);
    expect(s.call("PATCH", path, { ip_restriction: { ip_policy_ids: ["ipp_1"] } }).status).toBe(200);
    expect(s.call("PATCH", path, { ip_restriction: { ip_policy_ids: ["ipp_2"] } }).status).toBe(400);
    expect(s.call("PATCH", path, { mutual_tls: { certificate_authority_ids: ["ca_1"] } }).status).toBe(400);
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

  it("of backend and ip_restriction are there only when the options say so", () => {
    const plain = service();
    expect(plain.call("DELETE", `${edge(plain)}/ip_restriction`).status).toBe(404);
    const s = service({ moduleEndpoints: ["ip_restriction"] });
    const path = edge(s, { ip_restriction: { ip_policy_ids: ["ipp_1"] } });
    expect(s.call("DELETE", `${path}/ip_restriction`).status).toBe(204);
    expect(s.done("GET", path)["ip_restriction"]).toBeNull();
    expect(s.call("GET", `${path}/backend`).status).toBe(404);
  });

  it("answer for a module that is not set as the options say", () => {
    const quiet = service({ unsetModule: "null", deleteUnsetModule: "404" });
    const path = `${edge(quiet)}/mutual_tls`;
    expect(quiet.call("GET", path)).toEqual({ status: 200, body: null });
    expect(quiet.call("DELETE", path).status).toBe(404);
    const silent = service({ unsetModule: "204" });
    expect(silent.call("GET", `${edge(silent)}/mutual_tls`)).toEqual({ status: 204, body: null });
    const empty = service({ unsetModule: "empty" });
    expect(empty.call("GET", `${edge(empty)}/mutual_tls`)).toEqual({ status: 200, body: {} });
    expect(empty.done("GET", edge(empty, { hostports: ["b.example:443"] }))).toMatchObject({
      mutual_tls: {},
      policy: null,
    });
    expect(empty.done("GET", "/edges/tls")["tls_edges"]).toMatchObject([{ mutual_tls: {} }, { traffic_policy: {} }]);
  });
});

describe("a module that some service shows as {}", () => {
  it("is not set", () => {
    const seed = { id: "edgtls_1", hostports: ["a.example:443"], mutual_tls: {}, traffic_policy: {} };
    const s = service({ deleteUnsetModule: "404" }, { lists: { TLSEdge: [seed] } });
    expect(s.call("GET", "/edges/tls/edgtls_1/mutual_tls").status).toBe(404);
    expect(s.call("DELETE", "/edges/tls/edgtls_1/mutual_tls").status).toBe(404);
    expect(s.call("PUT", "/edges/tls/edgtls_1/tls_termination", { terminate_at: "upstream" }).status).toBe(200);
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

describe("an edge that the model would not have made", () => {
  it("can be changed in what is not wrong with it", () => {
    const odd = {
      id: "edgtls_odd",
      hostports: ["a.example:443"],
      tls_termination: { enabled: true, terminate_at: "upstream", min_version: null },
      mutual_tls: { enabled: true, certificate_authorities: [] },
    };
    const s = service({ moduleEndpoints: ["backend"] }, { lists: { TLSEdge: [odd] } });
    const path = "/edges/tls/edgtls_odd";
    expect(s.call("PATCH", path, { description: "x" }).status).toBe(200);
    expect(s.call("PATCH", path, { backend: { backend_id: "bkdtg_1" } }).status).toBe(200);
    expect(s.call("PUT", `${path}/backend`, { backend_id: "bkdtg_2" }).status).toBe(200);
    expect(s.call("PATCH", path, { mutual_tls: { certificate_authority_ids: ["ca_1"] } }).status).toBe(400);
    expect(s.call("DELETE", `${path}/mutual_tls`).status).toBe(204);
  });
});

describe("a module's parameters", () => {
  it.each([
    ["backend", { enabled: true }],
    ["backend", { backend_id: "" }],
    ["ip_restriction", { ip_policy_ids: [] }],
    ["ip_restriction", { ip_policies: [{ id: "ipp_1" }] }],
    ["mutual_tls", {}],
    ["tls_termination", { min_version: "1.4" }],
    ["tls_termination", { terminate_at: "agent" }],
    ["tls_termination", { enabled: "yes" }],
    ["traffic_policy", { value: { on_tcp_connect: [] } }],
    ["traffic_policy", { value: "on_tcp_connect: []" }],
    ["traffic_policy", { value: "[]" }],
    ["traffic_policy", {}],
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

  it("of a traffic policy may name phases and actions that nobody knows", () => {
    const s = service({ knownValuesOnly: true });
    const value = '{ "on_full_moon": [ {"actions": [{"type": "howl"}]} ] }';
    expect(s.done("PATCH", edge(s), { traffic_policy: { value } })["traffic_policy"]).toMatchObject({ value });
  });
});
