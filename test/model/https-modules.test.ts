import { describe, expect, it } from "vitest";
import { messageOf, service } from "./service.ts";

const route = "/edges/https/edghts_1/routes/edghtsrt_1";

describe("webhook verification of a route", () => {
  const path = `${route}/webhook_verification`;

  it("keeps its secret and returns it in clear", () => {
    const { call } = service();
    const put = call("PUT", path, { provider: "GITHUB", secret: "hush" });
    expect(put).toEqual({ status: 200, body: { enabled: true, provider: "GITHUB", secret: "hush" } });
    expect(call("GET", path)).toEqual(put);
    expect(call("DELETE", path).status).toBe(204);
    expect(call("GET", path).status).toBe(404);
  });

  it("needs a secret for every provider but one", () => {
    const { call } = service({ knownValuesOnly: true });
    const refused = call("PUT", path, { provider: "SLACK" });
    expect(refused.status).toBe(400);
    expect(messageOf(refused)).toContain("secret");
    expect(call("PUT", path, { provider: "SNS" }).status).toBe(200);
    expect(call("PUT", path, { provider: "github", secret: "hush" }).status).toBe(400);
  });

  it("never puts a secret into a message", () => {
    const { call } = service({ knownValuesOnly: true });
    expect(JSON.stringify(call("PUT", path, { provider: "x", secret: "hush" }))).not.toContain("hush");
    expect(JSON.stringify(call("PUT", path, { provider: "X", secret: ["hush"] }))).not.toContain("hush");
  });
});

describe("other modules", () => {
  it("are put, read and deleted on routes and edges", () => {
    const { call, done } = service();
    const value = '{"on_http_request":[]}';
    expect(done("PUT", `${route}/traffic_policy`, { value })).toEqual({ enabled: true, value });
    const termination = "/edges/https/edghts_1/tls_termination";
    expect(done("PUT", termination, { min_version: "1.3" })).toEqual({
      enabled: true,
      terminate_at: "edge",
      min_version: "1.3",
    });
    expect(call("PUT", termination, { terminate_at: "edge" }).status).toBe(400);
    done("DELETE", termination);
    expect(call("GET", termination).status).toBe(404);
    expect(done("GET", `${route}/traffic_policy`)).toEqual({ enabled: true, value });
  });

  it("of two routes are two things, and escapes in ids make no difference", () => {
    const { call, done } = service();
    done("PUT", `${route}/traffic_policy`, { value: "{}" });
    expect(call("GET", "/edges/https/edghts_1/routes/edghtsrt_2/traffic_policy").status).toBe(404);
    expect(call("GET", "/edges/https/edghts%5F1/routes/edghtsrt_1/traffic_policy").status).toBe(200);
  });

  it.each([
    "/edges/https",
    "/edges/https/edghts_1",
    "/edges/https/edghts_1/mutual_tls",
    `${route}/backend`,
    `${route}/traffic_policy/more`,
    "/edges/https//tls_termination",
    "/edges/https/%ZZ/tls_termination",
  ])("%s is nowhere", (path) => {
    expect(service().call("GET", path).status).toBe(404);
  });
});
