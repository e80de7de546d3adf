import { expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import { stage } from "../../../commands/stage.ts";

const edge = (value: Json): string =>
  JSON.stringify({
    apiVersion: "edgewise/v1",
    kind: "TLSEdge",
    metadata: { name: "api" },
    spec: { hostports: ["api.example.com:443"], traffic_policy: { value } },
  });
const policy = (secret: string): Json => ({ on_tcp_connect: [{ config: { client_secret: secret } }] });
const route = (secret: string): string =>
  JSON.stringify({
    apiVersion: "edgewise/v1",
    kind: "HTTPSEdgeRoute",
    metadata: { name: "hooks", id: "edghtsrt_1" },
    spec: { edge: { id: "edghts_1" }, webhook_verification: { provider: "GITHUB", secret } },
  });

it.each([
  ["a policy", edge(policy("(secret, env OAUTH_SECRET)"))],
  ["a policy as JSON", edge('{"on_tcp_connect":[{"token":"(s\\u0065cret)"}]}')],
  ["a policy in a file", edge({ file: "policy.yaml" })],
  ["a webhook secret", route("(secret)")],
])("what an output shows in place of a secret is refused in a manifest: %s", async (_, manifest) => {
  const on = await stage();
  await on.write("edge/policy.yaml", "on_tcp_connect: [{config: {password: (secret)}}]\n");
  await on.write("edge/api.yaml", manifest);
  for (const command of [["validate"], ["plan"], ["apply", "-y"]]) {
    const { exit, out, err } = await on.run(...command, "--allow-inline-secrets");
    expect({ exit, text: out + err }).toEqual({ exit: 1, text: expect.stringContaining("masked-secret") });
  }
  expect(on.writes()).toBe(0);
});

it.each([
  ["what looks like a source", '{"on_tcp_connect":[{"client_secret":"abcd-1234","metadata":{"env":"a"}}]}'],
  ["a text that is not JSON", "on_tcp_connect:\n  client_secret: abcd-1234\n"],
])("a live policy that no manifest can hold is left out of the export, and left alone: %s", async (_, value) => {
  const on = await stage({ model: { knownValuesOnly: false } });
  on.behind("POST", "/edges/tls", { description: "api", hostports: ["a.example.com:443"] });
  on.behind("PATCH", `/edges/tls/${on.id("TLSEdge")}`, { traffic_policy: { value } });
  const exported = await on.run("export", "--all", "--out-dir", "edge");
  expect(exported.err).toContain("traffic_policy of TLSEdge/api is not in its manifest, and keeps its live value");
  expect(await on.read("edge/tls-edge.yaml")).not.toContain("abcd-1234");
  const applied = await on.run("apply", "-y");
  expect(applied).toMatchObject({ exit: 0 });
  expect(`${applied.out}${applied.err}`).not.toContain("abcd-1234");
  expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(0);
});
