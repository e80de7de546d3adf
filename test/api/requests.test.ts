import { describe, expect, it } from "vitest";
import { createReadClient } from "../../src/api/create-client.ts";
import { policy } from "../../src/kinds/policy.ts";
import { Secret } from "../../src/core/secret.ts";
import { version } from "../../src/core/version.ts";
import { apiKey, testClient, thrownBy } from "./support/client.ts";
import { json, serve } from "./support/server.ts";

describe("every request", () => {
  it("carries the key, the version and no content type when it has no body", async () => {
    const { baseUrl, seen } = await serve((_, response) => json(response, 200, {}));
    const { client } = testClient(`${baseUrl}/`);
    await client.get("/edges/tls/edgtls_1");
    expect(seen[0]).toMatchObject({
      method: "GET",
      url: "/edges/tls/edgtls_1",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "service-version": "2",
        accept: "application/json",
        "user-agent": `edgewise/${version}`,
      },
      body: "",
    });
    expect(seen[0]?.headers).not.toHaveProperty("content-type");
    expect(client.baseUrl).toBe(baseUrl);
  });

  it("carries a content type and the secrets in clear when it has a body", async () => {
    const { baseUrl, seen } = await serve((_, response) => json(response, 201, { id: "x" }));
    const { client } = testClient(`${baseUrl}/api/v1`, { versionHeader: "Brand-Version" });
    const response = await client.send({
      method: "POST",
      path: "/tls_certificates",
      body: { private_key_pem: Secret.of('a\n"b"', "file key"), gone: undefined, list: [Secret.of("xx", "y"), null] },
    });
    expect(response).toEqual({ status: 201, body: { id: "x" } });
    expect(seen[0]?.url).toBe("/api/v1/tls_certificates");
    expect(seen[0]?.headers).toMatchObject({ "content-type": "application/json", "brand-version": "2" });
    expect(seen[0]?.headers).not.toHaveProperty("service-version");
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ private_key_pem: 'a\n"b"', list: ["xx", null] });
  });

  it("is not sent when a secret is not available, and says why", async () => {
    const { baseUrl, seen } = await serve((_, response) => json(response, 201, {}));
    const { client } = testClient(baseUrl);
    const body = { private_key_pem: Secret.unavailable("env DEPLOY_KEY", "it is not set") };
    const error = await thrownBy(client.send({ method: "POST", path: "/tls_certificates", body }));
    expect(error).toMatchObject({
      code: "secret-unavailable",
      message: "the secret from env DEPLOY_KEY is not available: it is not set",
    });
    expect(seen).toHaveLength(0);
  });

  it.each([
    "/edges/tls/..",
    "/edges/tls/%2e%2e",
    "/a b",
    "/a?b=c",
    "/a#b",
    "edges",
    "/\\evil",
    "/edges/{id}",
    "//evil",
    "/edges/tls/",
  ])("keeps to its path: %s is refused", async (path) => {
    const { baseUrl, seen } = await serve((_, response) => json(response, 200, {}));
    const { client } = testClient(baseUrl);
    const error = await thrownBy(client.send({ method: "DELETE", path }));
    expect(error).toMatchObject({ code: "api", message: expect.stringContaining("nothing was sent") });
    expect(seen).toHaveLength(0);
  });
});

it("hides each secret of a policy that it sent, which a service may echo without the rest", async () => {
  const { baseUrl } = await serve((_, response) => json(response, 400, { msg: "from-the-environment, in-the-clear" }));
  const token = Secret.of("from-the-environment", "env TOKEN");
  const value = policy.fromManifest({ p: [{ token }, { password: "in-the-clear" }] });
  const error = await thrownBy(testClient(baseUrl).client.send({ method: "PUT", path: "/x", body: { value } }));
  expect(String(error)).toMatch(/400: \(secret\), \(secret\)$/u);
});

describe("options", () => {
  it.each(["not a url", "https://u:hunter22@x.example", "https://x.example/?a=b", "ftp://x.example"])(
    "refuse the base URL %s",
    (baseUrl) => {
      expect(() => testClient(baseUrl)).toThrow("the base URL must be an http or https URL");
      expect(() => testClient(baseUrl)).not.toThrow("hunter22");
    },
  );

  it.each(["Authorization", "Host", "content-type", "Bad Name", "", "X\r\nY"])(
    "refuse the version header %j",
    (name) => {
      expect(() => testClient("https://x.example", { versionHeader: name })).toThrow("can't be the name");
    },
  );

  it.each([
    ["", "is empty"],
    ["schlüssel", "contains spaces"],
  ])("refuse the key %j without showing it", (key, message) => {
    const options = { apiKey: Secret.of(key, "file api.key") };
    expect(() => testClient("https://x.example", options)).toThrow(`the API key ${message}`);
    expect(() => testClient("https://x.example", options)).not.toThrow("hunter22");
  });
});

describe("a read client", () => {
  it("has no way to write", async () => {
    const { baseUrl } = await serve((_, response) => json(response, 200, { a: 1 }));
    const client = createReadClient({
      baseUrl,
      apiKey: Secret.of(apiKey, "test"),
      versionHeader: "Service-Version",
      concurrency: 1,
      timeoutMs: 1000,
      requestsPerMinute: null,
      env: {},
    });
    expect(await client.get("/x")).toEqual({ status: 200, body: { a: 1 } });
    expect(client).not.toHaveProperty("send");
    expect(Object.keys(client).toSorted()).toEqual(["baseUrl", "close", "get", "list"]);
  });
});

describe("a success", () => {
  it("wraps what is secret, wherever it stands, but for header names", async () => {
    const { baseUrl } = await serve((_, response) =>
      json(response, 200, {
        secret: "whsec_1",
        nested: [{ private_key_pem: "PEM" }, { secret: null }, { secret: "" }, { secret: { deep: "whsec_2" } }],
        headers: { secret: "no secret" },
      }),
    );
    const { client } = testClient(baseUrl);
    const { body } = await client.get("/x");
    expect(JSON.parse(JSON.stringify(body))).toEqual({
      secret: "(secret)",
      nested: [{ private_key_pem: "(secret)" }, { secret: null }, { secret: "" }, { secret: "(secret)" }],
      headers: { secret: "no secret" },
    });
    expect(((body as Record<string, unknown>)["secret"] as Secret).reveal()).toBe("whsec_1");
  });
});
