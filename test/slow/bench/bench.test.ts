import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { posts, stack, writeManifests } from "../../../bench/account.mjs";
import { benches } from "../../../bench/benches.mjs";
import { forListedKinds } from "../../../src/kinds/names.ts";
import { loadManifests, plan } from "../../../src/index.ts";
import { root } from "../../repository/source-files.ts";

it("the bare writer sends what apply sends", async () => {
  const folder = await mkdtemp(join(tmpdir(), "edgewise-bench-"));
  onTestFinished(async () => rm(folder, { recursive: true, force: true }));
  writeManifests(join(folder, "account"), 50);
  const { diagnostics, manifests } = await loadManifests({ root: join(folder, "account"), patterns: ["edge"], stack });
  expect(diagnostics).toEqual([]);
  const live = { lists: forListedKinds(() => []), unreadable: [], modules: [] };
  const { operations } = plan(manifests, live, { stack, baseUrl: "https://api.example.com" });
  const nameIn = (address: string | undefined) => address?.split("/")[1] ?? null;
  const byName = (a: { readonly name: string | null }, b: { readonly name: string | null }) =>
    (a.name ?? "") < (b.name ?? "") ? -1 : 1;
  const sent = operations.map(({ address, bind, body, path }) => {
    const [used] = Object.values(bind);
    const needs = used !== undefined && "address" in used ? used.address : undefined;
    return { name: nameIn(address), path, body, needs: nameIn(needs) };
  });
  expect(posts(50).toSorted(byName)).toEqual(sent.toSorted(byName));
});

it("every bench runs with the built program", () => {
  const out = execFileSync(process.execPath, [join(root, "bench/run.mjs"), "--quick"], { encoding: "utf8" });
  expect([...out.matchAll(/^## (.+)$/gmu)].map(([, name]) => name)).toEqual(Object.keys(benches));
});
