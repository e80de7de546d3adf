import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PageStore } from "../../src/api/remembered-pages.ts";
import { EdgewiseError } from "../../src/core/errors.ts";
import { Secret } from "../../src/core/secret.ts";
import { testClient, thrownBy } from "./support/client.ts";
import { json, serve } from "./support/server.ts";
import { runs } from "../support/runs.ts";

const edges = { path: "/edges/tls", member: "tls_edges" };

const page = (ids: readonly string[], next: unknown = null): object => ({
  tls_edges: ids.map((id) => ({ id })),
  uri: "x",
  next_page_uri: next,
});

async function list(pages: readonly unknown[], base = ""): Promise<{ result: unknown; urls: string[] }> {
  const { baseUrl, seen } = await serve((_, response, count) =>
    json(response, 200, count <= pages.length ? pages[count - 1] : {}),
  );
  const { client } = testClient(baseUrl + base);
  const result = await client.list(edges).catch((error: unknown) => error);
  await client.close();
  return { result, urls: seen.map((request) => request.url) };
}

describe("a list", () => {
  it("is read page by page, the first without a query", async () => {
    const pages: unknown[] = [page(["c"], "/api/edges/tls?before_id=c"), page(["b"], "?before_id=b"), page(["a"])];
    const { result, urls } = await list(pages, "/api");
    expect(result).toEqual([{ id: "c" }, { id: "b" }, { id: "a" }]);
    expect(urls).toEqual(["/api/edges/tls", "/api/edges/tls?before_id=c", "/api/edges/tls?before_id=b"]);
  });

  it("follows absolute addresses of its own origin", async () => {
    const { baseUrl, seen } = await serve((_, response, count) =>
      json(
        response,
        200,
        count === 1 ? page(["a"], `${baseUrl.toUpperCase()}/edges/tls?limit=1&before_id=a`) : page([]),
      ),
    );
    const { client } = testClient(baseUrl);
    expect(await client.list(edges)).toEqual([{ id: "a" }]);
    expect(seen[1]?.url).toBe("/edges/tls?limit=1&before_id=a");
  });

  it("drops secrets that no list should have", async () => {
    const { result } = await list([
      { tls_edges: [{ id: "a", private_key_pem: "PEM", deep: [{ secret: "x", n: 1 }] }] },
    ]);
    expect(result).toEqual([{ id: "a", deep: [{ n: 1 }] }]);
  });

  it.each([
    ["is no object", [[]], 1, "the response is not a JSON object"],
    ["is an error in disguise", [{ error_code: "x" }], 1, 'the response has no array "tls_edges"'],
    ["has an object for an array", [{ tls_edges: {} }], 1, 'the response has no array "tls_edges"'],
    ["has an item that is none", [{ tls_edges: [null] }], 1, "tls_edges[0] is not an object with an id"],
    ["has a number for an id", [{ tls_edges: [{ id: 7 }] }], 1, "tls_edges[0] is not an object with an id"],
    [
      "repeats an id on a later page",
      [page(["a"], "?2"), page(["b", "a"])],
      2,
      'the id "a" appears again (first seen on page 1)',
    ],
    ["leads to itself", [page(["a"], "/edges/tls")], 1, "next_page_uri leads back to an earlier page"],
    [
      "leads in a circle",
      [page(["a"], "?2"), page(["b"], "?3"), page(["c"], "/edges/tls?2")],
      3,
      "next_page_uri leads back",
    ],
    ["has a number for a next page", [page(["a"], 2)], 1, "next_page_uri is neither null nor a text"],
    ["leads elsewhere", [page(["a"], "https://evil.example/edges/tls")], 1, "next_page_uri has another origin"],
  ])("is not believed when it %s", async (_, pages, number, what) => {
    const { result, urls } = await list(pages);
    expect(result).toBeInstanceOf(EdgewiseError);
    expect(result).toMatchObject({
      code: "list-unbelievable",
      message: expect.stringContaining(`GET /edges/tls, page ${number}: ${what}`),
      remedy: expect.stringContaining("edgewise does not plan"),
    });
    expect(urls).toHaveLength(number);
  });

  it("is not believed when it goes on for ever without a resource", async () => {
    const { baseUrl, seen } = await serve((_, response, count) => json(response, 200, page([], `?${count}`)));
    const { client } = testClient(baseUrl);
    expect(await thrownBy(client.list(edges))).toMatchObject({
      message: expect.stringContaining("empty pages in a row"),
    });
    expect(seen).toHaveLength(101);
  });

  it("lists, or says clearly why not, whatever JSON comes", async () => {
    let answer = "";
    const { baseUrl } = await serve((_, response, count) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(answer);
      return count;
    });
    const { client } = testClient(baseUrl);
    const item = fc.oneof(
      { weight: 4, arbitrary: fc.record({ id: fc.oneof(fc.string(), fc.jsonValue()) }) },
      { weight: 1, arbitrary: fc.jsonValue() },
    );
    const answers = fc.oneof(
      fc.jsonValue(),
      fc.record({ tls_edges: fc.array(item), next_page_uri: fc.oneof(fc.constant(null), fc.webUrl(), fc.jsonValue()) }),
      fc.record({ tls_edges: fc.jsonValue() }),
    );
    await fc.assert(
      fc.asyncProperty(answers, async (value) => {
        answer = JSON.stringify(value);
        const result: unknown = await client.list(edges).catch((error: unknown) => error);
        const said = result instanceof EdgewiseError ? result.message : "";
        const clear = /^GET \/edges\/tls, page [12]: [\x20-\x7e\xa0-\uffff]+$/u.test(said);
        const listed = { tls_edges: result };
        expect(clear || isDeepStrictEqual({ ...(JSON.parse(answer) as object), ...listed }, JSON.parse(answer))).toBe(
          true,
        );
      }),
      runs(100),
    );
  });
});

it("a memory of pages keeps no address that holds a secret, or that is very long", async () => {
  const key = "key_3fQz9wXLk7canary41";
  for (const id of [key, `x_${"y".repeat(600)}`]) {
    const { baseUrl } = await serve((request, response) =>
      json(
        response,
        200,
        request.url.includes("?") ? page(["a"]) : { tls_edges: [{ id }], next_page_uri: `?before_id=${id}` },
      ),
    );
    const pages = new PageStore();
    const { client } = testClient(baseUrl, { pages, apiKey: Secret.of(key, "env EDGEWISE_API_KEY") });
    expect(await client.list(edges)).toHaveLength(2);
    expect([...pages]).toEqual([]);
  }
});
