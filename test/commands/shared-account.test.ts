import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import type { ClientOptions } from "../../src/api/client.ts";
import { clientOptions } from "../../src/library/library-api.ts";
import { KnownHeads } from "../../src/commands/support/provenance.ts";
import { SharedAccount, SharedKey } from "../../src/commands/support/shared-account.ts";
import { emptyLists, listPaths } from "../support/lists.ts";

/** A service without resources, unless a test answers in its place. */
async function service(
  answer?: (response: ServerResponse) => void,
): Promise<{ readonly baseUrl: string; readonly requests: readonly string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    if (answer !== undefined) return answer(response);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(emptyLists));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function account(now: () => number = () => 0): SharedAccount {
  const shared = new SharedAccount({
    signal: new AbortController().signal,
    now,
    heads: new KnownHeads(),
    key: new SharedKey(),
  });
  onTestFinished(async () => shared.close());
  return shared;
}

async function use(shared: SharedAccount, baseUrl: string, more: Partial<ClientOptions> = {}): Promise<void> {
  const { begin } = await shared.connect(clientOptions({ baseUrl, apiKey: "key-of-the-test", ...more }));
  await begin().liveFor([]);
}

it("lists once, and anew when the lists are old or half of the deadline has passed", async () => {
  const { baseUrl, requests } = await service();
  let now = 0;
  const shared = account(() => now);
  const listings = async (at: number, more: Partial<ClientOptions> = {}): Promise<number> => {
    now = at;
    await use(shared, baseUrl, more);
    return requests.length / listPaths.length;
  };
  expect(await listings(0)).toBe(1);
  expect(await listings(5 * 60_000 - 1)).toBe(1);
  expect(await listings(5 * 60_000)).toBe(2);
  const short = { timeoutMs: 1000, deadline: { ms: 60_000 } };
  expect(await listings(5 * 60_000, short)).toBe(3);
  expect(await listings(5 * 60_000 + 29_999, short)).toBe(3);
  expect(await listings(5 * 60_000 + 30_000, short)).toBe(4);
});

it("asks three times for lists that fail, and then not before they would be too old", async () => {
  const { baseUrl, requests } = await service((response) => response.writeHead(400).end());
  let now = 0;
  const shared = account(() => now);
  const listings = async (at: number): Promise<number> => {
    now = at;
    // Half of it has passed each time.
    await expect(use(shared, baseUrl, { deadline: { ms: 1000 } })).rejects.toMatchObject({ code: "api" });
    // One that failed is enough: the others are on their way.
    await vi.waitFor(() => expect(requests.length % listPaths.length).toBe(0));
    return requests.length / listPaths.length;
  };
  for (const [index, at] of [0, 1000, 2000].entries()) expect(await listings(at)).toBe(index + 1);
  expect(await listings(3000)).toBe(3);
  expect(await listings(2000 + 5 * 60_000 - 1)).toBe(3);
  expect(await listings(2000 + 5 * 60_000)).toBe(4);
});

it("lists for each key, version header and timeout", async () => {
  const { baseUrl, requests } = await service();
  const shared = account();
  await use(shared, baseUrl);
  for (const more of [{ versionHeader: "Other-Version" }, { timeoutMs: 1000 }]) await use(shared, baseUrl, more);
  expect(requests).toHaveLength(3 * listPaths.length);
  const { begin } = await shared.connect(clientOptions({ baseUrl, apiKey: "another-key-of-the-test" }));
  await begin().liveFor([]);
  expect(requests).toHaveLength(4 * listPaths.length);
});

it("holds every stack to the lowest limit per minute, also those that name a higher one or none", async () => {
  const { baseUrl, requests } = await service();
  const shared = account();
  await use(shared, baseUrl);
  await shared.connect(clientOptions({ baseUrl, apiKey: "key-of-the-test", requestsPerMinute: listPaths.length }));
  // Nor does a connection of its own get around it.
  for (const more of [{}, { requestsPerMinute: 100 }, { versionHeader: "Other-Version" }]) {
    const { client } = await shared.connect(clientOptions({ baseUrl, apiKey: "key-of-the-test", ...more }));
    const waiting = client.get("/edges/tls").catch((error: unknown) => error);
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(requests).toHaveLength(listPaths.length);
    void waiting;
  }
  await shared.close();
});

it("sends nothing any more once it was stopped", async () => {
  const { baseUrl, requests } = await service();
  const stop = new AbortController();
  const shared = new SharedAccount({
    signal: stop.signal,
    now: () => 0,
    heads: new KnownHeads(),
    key: new SharedKey(),
  });
  stop.abort();
  await expect(use(shared, baseUrl)).rejects.toMatchObject({ code: "interrupted" });
  expect(requests).toEqual([]);
  await shared.close();
});
