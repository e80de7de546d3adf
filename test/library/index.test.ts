import { expect, it } from "vitest";
import {
  apply,
  clientOptions,
  createClient,
  judge,
  loadConfig,
  loadManifests,
  plan,
  readLive,
  version,
} from "../../src/index.ts";
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

it("says which option holds a key that can't be used", () => {
  const open = () => createClient(clientOptions({ baseUrl: "http://127.0.0.1:1", apiKey: "" }));
  expect(open).toThrow(
    expect.objectContaining({ message: "the API key is empty", remedy: "Check the value of the option apiKey." }),
  );
});

it("plans the stacks of an account with one index as each alone", async () => {
  const { dir, write, sandbox } = await stage();
  const { baseUrl, apiKey } = sandbox;
  const client = createClient(clientOptions({ baseUrl, apiKey }));
  const stacks = ["one", "two", "three"];
  const load = async (stack: string) => (await loadManifests({ root: dir, patterns: [`${stack}/`] })).manifests;
  for (const stack of stacks) {
    await write(`${stack}/all.yaml`, backend("down") + edge("api", `${stack}.example.com:443`));
    const manifests = await load(stack);
    const made = plan(manifests, await readLive(client, manifests), { stack, baseUrl });
    expect(await apply(made, { client, manifests })).toMatchObject({ outcome: "applied" });
  }
  await write("two/all.yaml", backend("down", "status_code: 404") + edge("api", "one.example.com:443"));
  await write("three/all.yaml", backend("down"));
  const live = await readLive(client, await load("one"));
  const together: string[] = [];
  for (const stack of [...stacks, ...stacks]) {
    const manifests = await load(stack);
    together.push(plan(manifests, live, { stack, baseUrl }).hash);
  }
  expect(new Set(together).size).toBe(3);
  await client.close();
});

it("judges a plan by the policies of a configuration", async () => {
  const { dir, write, sandbox } = await stage();
  const { baseUrl, apiKey } = sandbox;
  await write("edge/all.yaml", backend("down"));
  const head = "apiVersion: edgewise/v1\nkind: Config\n";
  await write(
    "edgewise.yaml",
    `${head}policies: [{name: a, expression: "change.name == 'down'", message: Not here.}]\n`,
  );
  const { policies } = await loadConfig({ cwd: dir, env: {}, flags: {} });
  const { manifests } = await loadManifests({ root: dir, patterns: ["edge/"] });
  const client = createClient(clientOptions({ baseUrl, apiKey }));
  const made = plan(manifests, await readLive(client, manifests), { stack: "library", baseUrl });
  const judged = await judge(made, policies);
  expect(judged.refusals).toMatchObject([{ code: "policy", address: "HTTPResponseBackend/down", policy: "a" }]);
  expect(await apply(judged, { client, manifests })).toMatchObject({ outcome: "refused" });
  expect(sandbox.world().lists.HTTPResponseBackend).toHaveLength(0);
  const allowed = await judge(made, policies, { allow: ["HTTPResponseBackend/down"] });
  expect(await apply(allowed, { client, manifests })).toMatchObject({ outcome: "applied" });
  await client.close();
});
