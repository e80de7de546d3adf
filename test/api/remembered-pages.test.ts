import { describe, expect, it } from "vitest";
import { PageStore } from "../../src/api/remembered-pages.ts";
import type { Value } from "../../src/core/json.ts";
import { Secret } from "../../src/core/secret.ts";
import { testClient } from "./support/client.ts";
import {
  type Answering,
  addressAfter,
  addressesOf,
  collection,
  firstPage,
  idOf,
  keyset,
  openList,
  page,
  settle,
} from "./support/paged-service.ts";
import { json, serve } from "./support/server.ts";

const ranks = Array.from({ length: 20 }, (_, index) => 20 - index);
const service = keyset(2, false);
const addresses = addressesOf(ranks, 2);

/** Lists; what is asked ahead is answered by another service. */
async function listWith(ahead: Answering, pages: readonly string[]) {
  const asked: string[] = [];
  const list = openList(pages);
  for (;;) {
    await settle();
    const listed = list.ended();
    if (listed !== null) return { ...listed, asked };
    // What is asked ahead is answered first.
    const next = list.pending.find(({ isAhead }) => isAhead) ?? list.pending[0];
    if (next === undefined) throw new Error("it waits for nothing");
    if (next.isAhead) asked.push(next.url.href);
    next.answer((next.isAhead ? ahead : service)(ranks, next.url));
  }
}

const rightList = ranks.map(idOf);

describe("pages that are asked for ahead", () => {
  const bad: { readonly [what: string]: Answering } = {
    "an error": () => 500,
    "an earlier id in place of its own": (all, url) => ({
      tls_edges: [{ id: idOf(20) }],
      next_page_uri: nextIn(service(all, url)),
    }),
    "an id of an earlier page": (all, url) => ({
      tls_edges: [...itemsIn(service(all, url)), { id: idOf(20) }],
      next_page_uri: nextIn(service(all, url)),
    }),
  };

  it.each(Object.keys(bad))("are dropped as a whole when they are %s", async (what) => {
    const wrong = bad[what] ?? service;
    for (const from of [0, 4, 8]) {
      const sometimes: Answering = (all, url) => (addresses.indexOf(url.href) >= from ? wrong : service)(all, url);
      const { result } = await listWith(sometimes, addresses);
      expect(result).toEqual(rightList);
    }
  });

  it.each([
    ["of another origin", "https://evil.test/v1/edges/tls?before_id=edgtls_19&limit=2"],
    ["outside of the base URL", "https://api.test/edges/tls?before_id=edgtls_19&limit=2"],
    ["of another collection", "https://api.test/v1/backends/http_response?before_id=edgtls_19&limit=2"],
    ["with a filter", `${addressAfter(19, 2)}&name=x`],
  ])("are never addresses %s: then none is asked for", async (_, hostile) => {
    for (const pages of [[hostile], [...addresses, hostile], [hostile, ...addresses]]) {
      const { asked, result } = await listWith(service, pages);
      expect(asked).toEqual([]);
      expect(result).toEqual(rightList);
    }
  });
});

function objectOf(body: Value | number): { readonly [member: string]: Value } {
  return JSON.parse(JSON.stringify(body));
}

function itemsIn(body: Value | number): { id: string }[] {
  return JSON.parse(JSON.stringify(objectOf(body)["tls_edges"]));
}

function nextIn(body: Value | number): string | null {
  return JSON.parse(JSON.stringify(objectOf(body)["next_page_uri"]));
}

describe("a client with a memory of pages", () => {
  async function servedAccount(disturb: (count: number, url: URL) => Value | number | null = () => null) {
    const { baseUrl, seen } = await serve((request, response, count) => {
      const url = new URL(request.url, firstPage);
      const body = disturb(count, url) ?? service(ranks, url);
      if (typeof body === "number") json(response, body, { msg: "no" });
      else json(response, 200, JSON.parse(JSON.stringify(body).replaceAll("https://api.test", baseUrl)));
    });
    const pages = new PageStore();
    const known = addresses.map((address) => address.replace("https://api.test", baseUrl));
    const name = { baseUrl: `${baseUrl}/v1`, collection: collection.path };
    pages.remember(name, known);
    return { baseUrl: name.baseUrl, seen, pages, name, known };
  }

  it("doesn't repeat a request that nobody may need", async () => {
    for (const status of [500, 404, 429]) {
      let refused = 0;
      const { baseUrl, pages, seen } = await servedAccount((_, { search }) => {
        if (search !== "?before_id=edgtls_11&limit=2" || refused > 0) return null;
        refused += 1;
        return status;
      });
      const { client, clock, events } = testClient(baseUrl, { pages });
      expect(await client.list(collection)).toHaveLength(20);
      expect(seen).toHaveLength(11);
      expect(clock.waits).toEqual([]);
      expect(events.at(-1)).toEqual({ type: "remembered", path: "/edges/tls", asked: 9, counted: 8 });
    }
  });

  it("doesn't remember an address that holds a secret, or that is very long", async () => {
    const key = "key_3fQz9wXLk7canary41";
    for (const id of [key, `x_${"y".repeat(600)}`]) {
      const { baseUrl } = await serve((request, response) =>
        json(
          response,
          200,
          request.url.includes("?") ? page([1], null) : { tls_edges: [{ id }], next_page_uri: `?before_id=${id}` },
        ),
      );
      const pages = new PageStore();
      const { client } = testClient(baseUrl, { pages, apiKey: Secret.of(key, "env EDGEWISE_API_KEY") });
      expect(await client.list(collection)).toHaveLength(2);
      expect([...pages]).toEqual([]);
    }
  });
});
