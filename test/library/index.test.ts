import { expect, it } from "vitest";
import { apply, clientOptions, createClient, loadManifests, plan, readLive, version } from "../../src/index.ts";
import { backend, edge, stage } from "../commands/stage.ts";

it("loads, plans, applies and verifies without the command line", async () => {
  const { dir, write, sandbox } = await stage();
  await write(
    "edge/all.yaml",
    backend("down") + edge("api", "api.example.com:443", ", backend: {backend: {name: down}}"),
  );
  const { manifests, diagnostics } = await loadManifests({ root: dir, patterns: ["edge/"] });
  expect(diagnostics).toEqual([]);

  const { baseUrl, apiKey } = sandbox;
  const client = createClient(clientOptions({ baseUrl, apiKey }));
  const options = { stack: "library", baseUrl };
  const made = plan(manifests, await readLive(client, manifests), options);
  expect(made).toMatchObject({ toolVersion: version, summary: { create: 2 }, refusals: [] });

  const replan = async () => plan(manifests, await readLive(client, manifests), options);
  const result = await apply(made, { client, manifests, replan });
  expect(result).toMatchObject({ outcome: "applied", verified: true });
  expect(sandbox.world().lists.TLSEdge).toHaveLength(1);
  await client.close();
});
