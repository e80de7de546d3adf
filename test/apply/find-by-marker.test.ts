import { expect, it } from "vitest";
import { createFindByMarker } from "../../src/apply/find-by-marker.ts";
import type { JsonObject } from "../../src/json.ts";
import { marked, stack } from "./support/operations.ts";

const address = "TLSEdge/api";
const mine = { id: "edgtls_1", metadata: marked(address) };

function listing(resources: readonly JsonObject[]) {
  const paths: string[] = [];
  const client = {
    list: async (collection: { readonly path: string }) => {
      paths.push(collection.path);
      return Promise.resolve(resources);
    },
  };
  return { paths, find: createFindByMarker(client, stack) };
}

it("finds what carries the stack's marker for the address, and nothing else", async () => {
  const other = { id: "edgtls_5", metadata: marked(address, "edgtls_0") };
  const { find, paths } = listing([
    { id: "edgtls_2", metadata: marked("TLSEdge/other") },
    { id: "edgtls_3", metadata: marked(address).replace(stack, "else") },
    { id: "edgtls_4", metadata: "api" },
    { id: 4, metadata: marked(address) },
    { id: "edgtls_6" },
    mine,
    other,
  ]);
  expect(await find(address)).toEqual([
    { id: "edgtls_1", wire: mine },
    { id: "edgtls_5", wire: other },
  ]);
  expect(paths).toEqual(["/edges/tls"]);
});

it("lookups that come while one goes on share the next list, which began after them", async () => {
  const waiting: ((resources: readonly JsonObject[]) => void)[] = [];
  const find = createFindByMarker({ list: () => new Promise((resolve) => waiting.push(resolve)) }, stack);
  const first = find(address);
  const [second, third] = [find(address), find("TLSEdge/other")];
  expect(waiting).toHaveLength(1);
  waiting[0]?.([]);
  expect(await first).toEqual([]);
  await expect.poll(() => waiting.length).toBe(2);
  waiting[1]?.([mine]);
  expect([await second, await third]).toEqual([[{ id: "edgtls_1", wire: mine }], []]);
  const fourth = find(address);
  waiting[2]?.([]);
  expect(await fourth).toEqual([]);
});

it("a list that fails fails those who asked for it, not those who ask later", async () => {
  let lists = 0;
  const list = (): Promise<readonly JsonObject[]> => {
    lists += 1;
    return lists === 1 ? Promise.reject(new Error("down")) : Promise.resolve([mine]);
  };
  const find = createFindByMarker({ list }, stack);
  const [first, second] = [find(address), find(address)];
  await expect(first).rejects.toThrow("down");
  expect(await second).toHaveLength(1);
  expect(await find(address)).toHaveLength(1);
});

it("a kind without a list can't be looked for", async () => {
  await expect(listing([]).find("HTTPSEdge/a")).rejects.toThrow(RangeError);
});
