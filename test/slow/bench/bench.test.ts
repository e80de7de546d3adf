import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { manifests, posts, stack } from "../../../bench/account.mjs";
import { benches } from "../../../bench/benches.mjs";
import { mixedChain, writeMixed } from "../../../bench/mixed-account.mjs";
import { forListedKinds, listedKinds } from "../../../src/kinds/names.ts";
import { loadManifests, plan } from "../../../src/library/library-api.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";

const repository = resolve(import.meta.dirname, "../../..");
const options = { stack, baseUrl: "https://api.example.com" };
const nothing = forListedKinds(() => []);
const desired = (count: number) => manifests(count) as unknown[] as Manifest[];

it("the page about performance has a table for every bench, and no other", async () => {
  const text = await readFile(join(repository, "docs/performance.md"), "utf8");
  const opened = [...text.matchAll(/^<!-- bench:(.+) -->$/gmu)].map(([, name]) => name);
  const closed = [...text.matchAll(/^<!-- \/bench:(.+) -->$/gmu)].map(([, name]) => name);
  expect(opened).toEqual(closed);
  expect(opened.toSorted()).toEqual(Object.keys(benches).toSorted());
});

it("the bare writer sends what apply sends", () => {
  const { operations } = plan(desired(50), { lists: nothing, unreadable: [], modules: [] }, options);
  const bound = (bind: object) => Object.values(bind).map(({ address }: { address: string }) => address.split("/")[1]);
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  const sent = operations.map(({ address, bind, body, path }) => {
    return { name: address.split("/")[1] ?? "", path, body, needs: bound(bind)[0] ?? null };
  });
  expect(posts(50).toSorted(byName)).toEqual(sent.toSorted(byName));
});

it("the mixed account is valid, and holds what a reader finds hard", async () => {
  const folder = join(await mkdtemp(join(tmpdir(), "edgewise-mixed-")), "account");
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  await writeMixed(folder, 400);
  const loaded = await loadManifests({ root: folder, patterns: ["edge"], stack: "mixed" });
  expect(loaded.diagnostics).toEqual([]);
  expect(new Set(loaded.manifests.map(({ kind }) => kind))).toEqual(new Set(listedKinds));
  expect(loaded.manifests.filter(({ kind }) => kind === "TLSEdge")).toHaveLength(200);
  expect(mixedChain(400)).toBe(2);
});

it.each([
  ["store", (folder: string) => [folder, "20"]],
  ["serve-list", () => ["20", "/metrics"]],
  ["serve-list", () => ["20", "/api/stacks"]],
])("the case %s runs with today's program", async (name, argsIn) => {
  const folder = await mkdtemp(join(tmpdir(), "edgewise-case-"));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  const program = join(repository, "bench", "cases", `${name}.mjs`);
  const out = execFileSync(process.execPath, [program, ...argsIn(folder)], { encoding: "utf8" });
  expect(JSON.parse(out)).toEqual(expect.any(Object));
});
