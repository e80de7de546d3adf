import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { textAt } from "../model/service.ts";
import { done, ids, sandboxFor, send } from "./support.ts";

const backend = { status_code: 200 };
const backends = "/backends/http_response";

describe("the sandbox", () => {
  it("serves the model", async () => {
    const sandbox = await sandboxFor({ now: () => Date.UTC(2030, 0, 1) });
    const made = await done(sandbox, "POST", backends, backend);
    expect(made["id"]).toMatch(/^bkdhr_[0-9A-Za-z]{27}$/);
    expect(made["created_at"]).toBe("2030-01-01T00:00:00Z");
    expect(made["uri"]).toBe(`${sandbox.baseUrl}${backends}/${String(ids([made]))}`);
    const edge = await done(sandbox, "POST", "/edges/tls", {
      hostports: ["a.example:443"],
      backend: { backend_id: ids([made])[0] ?? "" },
    });
    expect((await send(sandbox, "DELETE", `${backends}/${String(ids([made]))}`)).status).toBe(400);
    expect((await send(sandbox, "DELETE", `/edges/tls/${String(ids([edge]))}`)).status).toBe(204);
    expect(sandbox.world().lists.TLSEdge).toEqual([]);
    expect(sandbox.world().lists.HTTPResponseBackend).toHaveLength(1);
  });

  it("lists pages by absolute addresses under the name that the client used", async () => {
    const sandbox = await sandboxFor({ pageSize: 2 });
    for (let n = 0; n < 3; n++) await done(sandbox, "POST", backends, backend);
    const base = sandbox.baseUrl.replace("127.0.0.1", "localhost");
    const first = await done(sandbox, "GET", `${base}${backends}`);
    const next = textAt(first, "next_page_uri");
    expect(next.startsWith(`${base}${backends}?`)).toBe(true);
    expect(ids((await done(sandbox, "GET", next))["backends"])).toHaveLength(1);
  });

  it("tells what it was asked", async () => {
    const seen: string[] = [];
    const sandbox = await sandboxFor({
      onRequest: ({ method, path, status }) => seen.push(`${method} ${path} ${status}`),
    });
    await send(sandbox, "GET", `${backends}?limit=1`);
    await send(sandbox, "POST", backends, {});
    expect(seen).toEqual([`GET ${backends}?limit=1 200`, `POST ${backends} 400`]);
    expect(sandbox.requests()).toMatchObject({ total: 2, log: [{ status: 200 }, { status: 400 }] });
    expect(JSON.stringify(sandbox.requests())).not.toContain(sandbox.apiKey);
  });

  it("says so when its port is taken", async () => {
    const sandbox = await sandboxFor();
    const port = Number(new URL(sandbox.baseUrl).port);
    await expect(sandboxFor({ port })).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining(String(port)),
    });
  });

  it("refuses a version header that is none", async () => {
    await expect(sandboxFor({ versionHeader: "no header" })).rejects.toMatchObject({ code: "usage" });
  });
});

describe("headers", () => {
  it.each<[number, string, { readonly [name: string]: string }]>([
    [403, "a missing key", { authorization: "" }],
    [403, "a wrong key", { authorization: "Bearer wrong" }],
    [403, "another scheme", { authorization: "Basic c2FuZGJveDo=" }],
    [400, "another version", { "service-version": "1" }],
    [400, "no version", { "service-version": "" }],
    [400, "a version under another name", { "service-version": "", "other-version": "2" }],
    [400, "a Content-Type without a body", { "content-type": "application/json" }],
  ])("%i for %s", async (status, _, headers) => {
    const sandbox = await sandboxFor();
    const answer = await send(sandbox, "GET", backends, undefined, headers);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).not.toContain('wrong"');
    expect(answer.body).toMatchObject({
      status_code: status,
      details: { operation_id: expect.stringMatching(/^op_/) },
    });
  });

  it("must name this machine, so that no page in a browser can reach it under a name of its own", async () => {
    const sandbox = await sandboxFor();
    const status = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${sandbox.apiKey}`, "service-version": "2" };
        const request = httpRequest(sandbox.baseUrl + backends, { headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        request.once("error", reject).end();
      });
    expect(await status("evil.example")).toBe(403);
    expect(await status("127.0.0.1.evil.example")).toBe(403);
    expect(await status("localhost:1234")).toBe(200);
    expect(await status("[::1]:1234")).toBe(200);
  });
});

describe("bodies", () => {
  it("have a longest length", async () => {
    const sandbox = await sandboxFor();
    const body = (length: number): Json => ({ status_code: 200, body: "x".repeat(length) });
    expect((await send(sandbox, "POST", backends, body(1_000_000))).status).toBe(201);
    expect((await send(sandbox, "POST", backends, body(1_048_576))).status).toBe(413);
    expect((await send(sandbox, "POST", backends, body(20_000_000))).status).toBe(413);
  });
});
