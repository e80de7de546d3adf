import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/json.ts";
import { stage } from "../../../commands/stage.ts";

const edge = (value: Json): string =>
  JSON.stringify({
    apiVersion: "edgewise/v1",
    kind: "TLSEdge",
    metadata: { name: "api" },
    spec: { hostports: ["api.example.com:443"], traffic_policy: { value } },
  });

const policy = (secret: string): Json => ({ on_tcp_connect: [{ config: { client_secret: secret } }] });

describe("What an output shows in place of a secret is copied into a manifest → validate, plan and apply refuse it", () => {
  it.each([
    ["an object", edge(policy("(secret)"))],
    ["an object, with a source", edge(policy("(secret, env OAUTH_SECRET)"))],
    ["an object, with a source that changed", edge(policy("(secret, file ../keys/a) changed"))],
    ["an object, under any name", edge({ on_tcp_connect: [{ config: { upstream: ["(secret)"] } }] })],
    ["a JSON text", edge(JSON.stringify(policy("(secret)")))],
    ["a JSON text with escapes", edge('{"on_tcp_connect":[{"token":"(s\\u0065cret)"}]}')],
    ["a JSON file", edge({ file: "policy.json" })],
    ["a YAML file", edge({ file: "policy.yaml" })],
    ["the whole policy", edge("(secret)")],
  ])("%s", async (_name, manifest) => {
    const on = await stage();
    await on.write("edge/policy.json", JSON.stringify(policy("(secret)")));
    await on.write("edge/policy.yaml", "on_tcp_connect: [{config: {password: (secret)}}]\n");
    await on.write("edge/api.yaml", manifest);
    for (const command of [["validate"], ["plan"], ["apply", "-y"]]) {
      const { exit, out, err } = await on.run(...command);
      expect(exit).toBe(1);
      expect(out + err).toContain("masked-secret");
    }
    expect(on.writes()).toBe(0);
  });

  it("a webhook secret", async () => {
    const on = await stage();
    const spec = { edge: { id: "edghts_1" }, webhook_verification: { provider: "GITHUB", secret: "(secret)" } };
    const metadata = { name: "hooks", id: "edghtsrt_1" };
    await on.write(
      "edge/a.yaml",
      JSON.stringify({ apiVersion: "edgewise/v1", kind: "HTTPSEdgeRoute", metadata, spec }),
    );
    const { exit, err } = await on.run("apply", "-y", "--allow-inline-secrets");
    expect([exit, err]).toEqual([1, expect.stringContaining("masked-secret")]);
    expect(on.writes()).toBe(0);
  });
});

describe("A live policy is made so that no manifest can hold it → the export leaves it out, and applying the export leaves it alone", () => {
  it.each([
    [
      "configuration that looks like a source",
      '{"on_tcp_connect":[{"client_secret":"abcd-1234","metadata":{"env":"a"}}]}',
    ],
    ["a number that is too long", '{"on_tcp_connect":[{"client_secret":"abcd-1234","n":12345678901234567891}]}'],
    ["a secret member twice", '{"on_tcp_connect":[{"client_secret":"abcd-1234","client_secret":true}]}'],
    ["a text that is not JSON", "on_tcp_connect:\n  client_secret: abcd-1234\n"],
  ])("%s", async (_name, value) => {
    const on = await edgeWithPolicy(value);
    const exported = await on.run("export", "--all", "--out-dir", "edge");
    expect(exported.err).toContain("traffic_policy of TLSEdge/api is not in its manifest, and keeps its live value");
    expect(exported.err).not.toContain("(secret)");
    const text = await on.read("edge/tls-edge.yaml");
    expect(text).toContain("- spec.traffic_policy");
    expect(text).not.toContain("abcd-1234");
    const applied = await on.run("apply", "-y");
    expect(applied.exit).toBe(0);
    expect(`${applied.out}${applied.err}`).not.toContain("abcd-1234");
    expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(0);
  });
});

/** A stage whose one edge has this policy, as a service that checks nothing holds it. */
async function edgeWithPolicy(value: string) {
  const on = await stage({ model: { knownValuesOnly: false } });
  on.behind("POST", "/edges/tls", { description: "api", hostports: ["a.example.com:443"] });
  on.behind("PATCH", `/edges/tls/${on.id("TLSEdge")}`, { traffic_policy: { value } });
  return on;
}
