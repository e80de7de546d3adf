import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Tour } from "./tour.ts";

it("an account that is exported, adopted and orphaned again is what it was", async () => {
  const tour = await Tour.begin();
  onTestFinished(() => tour.end());
  const { id } = tour.byHand("POST", "/backends/http_response", {
    status_code: 503,
    body: "x",
    description: "My page",
  });
  const backend = { backend_id: String(id) };
  tour.byHand("POST", "/edges/tls", { hostports: ["a.example.com:443"], backend, metadata: "hello" });
  tour.byHand("POST", "/reserved_addrs", { region: "eu" });
  const restriction = { type: "dashboard", enforced: false, ip_policy_ids: ["ipp_1"], metadata: '{"owner":"me"}' };
  tour.byHand("POST", "/ip_restrictions", restriction);
  const account = () => structuredClone(tour.sandbox.world().lists);
  const before = account();
  const edgewise = async (...args: readonly string[]) => {
    const { exit, out, err } = await tour.inMemory(...args);
    expect(exit, out + err).toBe(0);
    return out;
  };
  const rewrite = async (from: RegExp, to: string) => {
    for (const name of await readdir(join(tour.dir, "edge"))) {
      const text = await readFile(join(tour.dir, "edge", name), "utf8");
      expect(text).toMatch(from);
      await tour.write(`edge/${name}`, text.replace(from, to));
    }
  };

  await tour.write("edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nstack: tour\nmanifests: [edge/]\n");
  await edgewise("export", "--out-dir", "edge");
  const { summary }: { summary: unknown } = JSON.parse(await edgewise("plan", "-o", "json"));
  expect(summary).toEqual({ create: 0, update: 0, replace: 0, delete: 0, adopt: 4, orphan: 0, unchanged: 0 });
  expect(account()).toEqual(before);
  await edgewise("apply", "-y");
  expect(account()).not.toEqual(before);
  // The markers are enough.
  await rewrite(/^ +id: .+\n/m, "");
  await edgewise("plan", "--detailed-exitcode");
  await rewrite(/^spec:/m, "lifecycle: { deletion: orphan }\nspec:");
  await edgewise("apply", "-y");
  await edgewise("destroy", "-y");
  expect(account()).toEqual(before);
});
