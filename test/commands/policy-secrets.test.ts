import { describe, expect, it } from "vitest";
import type { Json } from "../../src/core/json.ts";
import { stage, type Stage } from "./stage.ts";

const manifest = (config: string, more = ""): string => `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: api}
${more}spec:
  hostports: ["api.example.com:443"]
  traffic_policy:
    value:
      on_tcp_connect:
        - name: call
          actions:
            - type: http-request
              config: ${config}
`;

const sourced = "{url: https://a.example, client_secret: {env: CLIENT_SECRET}, body: {file: ../keys/body}}";

async function applied(config = sourced): Promise<Stage> {
  const on = await stage();
  await on.write("edge/api.yaml", manifest(config));
  await on.write("keys/body", "b0dy-of-a-file\n");
  on.env["CLIENT_SECRET"] = "hunter2-client";
  const { exit, err } = await on.run("apply", "-y");
  expect(exit, err).toBe(0);
  return on;
}

function policyOf(on: Stage): Json {
  const module = on.sandbox.world().lists.TLSEdge[0]?.["traffic_policy"] as { readonly value: string };
  return JSON.parse(module.value) as Json;
}

async function planned(on: Stage, ...flags: readonly string[]) {
  const { exit, out, err } = await on.run("plan", "-o", "json", ...flags);
  expect(exit, err).toBe(0);
  return JSON.parse(out);
}

describe("secrets in a traffic policy", () => {
  it("are sent in their places, and compared with what is live", async () => {
    const on = await applied();
    expect(policyOf(on)).toEqual({
      on_tcp_connect: [
        {
          name: "call",
          actions: [
            {
              type: "http-request",
              config: { url: "https://a.example", client_secret: "hunter2-client", body: "b0dy-of-a-file" },
            },
          ],
        },
      ],
    });
    expect((await planned(on)).changes).toEqual([]);
    on.env["CLIENT_SECRET"] = "hunter3-client";
    const plan = await planned(on);
    const [field] = plan.changes[0].fields;
    expect(field.path).toBe("spec.traffic_policy.value");
    expect(field.before).toContain('"client_secret":"(secret)","body":"(secret, file ../keys/body)"');
    expect(field.after).toContain(
      '"client_secret":"(secret, env CLIENT_SECRET) changed","body":"(secret, file ../keys/body)"',
    );
    expect(plan.operations[0]).toMatchObject({
      method: "PUT",
      body: { enabled: true, value: null },
      bind: { "/value": { secret: "TLSEdge/api#traffic_policy.value" } },
    });
  });

  it("that aren't available count as unchanged, and the rest is compared", async () => {
    const on = await applied();
    delete on.env["CLIENT_SECRET"];
    const quiet = await planned(on);
    expect(quiet.changes).toEqual([]);
    expect(quiet.warnings).toMatchObject([
      { code: "secret-unknown", message: expect.stringContaining("CLIENT_SECRET is not set"), address: "TLSEdge/api" },
    ]);
    await on.write("edge/api.yaml", manifest(sourced.replace("a.example", "b.example")));
    const plan = await planned(on);
    expect(plan.changes[0].fields).toMatchObject([{ unknown: true, unavailable: ["env CLIENT_SECRET"] }]);
    expect(plan.rehearsal.converges).toBe(true);
    const text = await on.run("plan");
    expect(text.out).toMatch(/-\s+url: https:\/\/a\.example\n\s+\+\s+url: https:\/\/b\.example/u);
    expect(text.out).toContain('    client_secret: "(secret, env CLIENT_SECRET)"');
    expect(text.out).toContain("(not available here)");
    const writes = on.writes();
    const refused = await on.run("apply", "-y");
    expect(refused.exit).toBe(1);
    expect(refused.err).toContain("the environment variable CLIENT_SECRET is not set");
    expect(on.writes()).toBe(writes);
  });

  it("are warnings of validate when they can't be read or stand there in clear", async () => {
    const on = await stage();
    await on.write("edge/api.yaml", manifest("{token: in-the-clear, client_secret: {env: NOT_SET}}"));
    await on.write(
      "edge/text.yaml",
      manifest("{}")
        .replace("api}", "text}")
        .replace(/ value:[^]*/u, ` value: '{"a":[{"token":"in-the-clear"}]}'\n`)
        .replace("api.example", "text.example"),
    );
    await on.write(
      "edge/file.yaml",
      manifest("{}")
        .replace("api}", "file}")
        .replace(/ value:[^]*/u, " value: {file: policy.yaml}\n")
        .replace("api.example", "file.example"),
    );
    await on.write("edge/policy.yaml", "on_tcp_connect: [{config: {token: {env: NAME}}}]\n");
    const { exit, out } = await on.run("validate", "-o", "json");
    expect(exit).toBe(0);
    const { diagnostics } = JSON.parse(out);
    const found = diagnostics.filter(({ code }: { code: string }) => code.includes("secret"));
    expect(found.map((one: { [m: string]: Json }) => [one["file"], one["line"], one["column"], one["code"]])).toEqual([
      ["edge/api.yaml", 12, 31, "policy-secret"],
      ["edge/api.yaml", 12, 60, "secret-unavailable"],
      ["edge/file.yaml", 7, 12, "policy-secret"],
      ["edge/text.yaml", 7, 12, "policy-secret"],
    ]);
    expect(found[2].message).toContain('"edge/policy.yaml"'.replace("edge/", ""));
    expect(out).not.toContain("in-the-clear");
    expect((await on.run("validate")).out).not.toContain("in-the-clear");
  });

  it.each(["{env: FOO}", "{on_tcp_connect: {env: FOO}}"])(
    "that stand where none can are an error: %s",
    async (value) => {
      const on = await stage();
      await on.write("edge/api.yaml", manifest("x").replace(/ value:[^]*/u, ` value: ${value}\n`));
      const { exit, out } = await on.run("validate");
      expect(exit).toBe(1);
      expect(out).toContain("a whole policy or phase can't come from a variable or a file");
      expect((await on.run("plan")).exit).toBe(1);
    },
  );

  it("that lifecycle.ignore leaves alone are never sent from the manifest", async () => {
    const on = await applied();
    const value = JSON.stringify({ on_tcp_connect: [{ config: { token: "somebody-else's" } }] });
    on.behind("PATCH", `/edges/tls/${on.id("TLSEdge")}`, { traffic_policy: { value } });
    const ignoring = manifest(sourced, "lifecycle: {ignore: [spec.traffic_policy.value]}\n");
    await on.write("edge/api.yaml", ignoring);
    expect((await planned(on)).changes).toEqual([]);
    await on.write("edge/api.yaml", ignoring.replace("    value:", "    enabled: false\n    value:"));
    const plan = await planned(on);
    expect(JSON.stringify(plan)).not.toContain("somebody-else");
    expect(plan.operations[0].bind).toEqual({ "/value": { secret: "TLSEdge/api#live.traffic_policy.value" } });
    const refused = await on.run("apply", "-y");
    expect(refused.exit).toBe(1);
    expect(refused.err).toContain("lifecycle.ignore");
    expect(JSON.stringify(policyOf(on))).toContain("somebody-else");
  });
});

describe("a policy with secrets that is exported", () => {
  it("without such a map it comes round", async () => {
    const on = await stage();
    const value = {
      on_tcp_connect: [
        {
          actions: [
            {
              config: {
                client_secret: "one",
                credentials: ["user:two"],
                headers: [{ name: "Authorization", value: "Bearer three" }],
              },
            },
            { config: { client_secret: "four", providers: { api_keys: [{ value: "five" }] }, literal: "${{ x" } },
          ],
        },
      ],
    };
    on.behind("POST", "/edges/tls", {
      description: "api",
      hostports: ["api.example.com:443"],
      traffic_policy: { value: JSON.stringify(value) },
    });
    const exported = await on.run("export", "--all", "--out-dir", "edge");
    const told = [...exported.err.matchAll(/^ {2}(EDGE_\S+) {2}traffic_policy\.value \((\S+)\) of TLSEdge\/api$/gmu)];
    expect(told.map(([, variable]) => variable)).toEqual([
      "EDGE_API_CLIENT_SECRET",
      "EDGE_API_CREDENTIALS",
      "EDGE_API_VALUE",
      "EDGE_API_CLIENT_SECRET_2",
      "EDGE_API_VALUE_2",
    ]);
    const unset = await planned(on);
    expect(
      unset.changes.map(({ action, fields }: { action: string; fields: readonly Json[] }) => [action, fields.length]),
    ).toEqual([["adopt", 1]]);
    for (const [at, [, variable]] of told.entries()) {
      on.env[variable ?? ""] = ["one-secret", "user:two-two", "Bearer three", "four-secret", "five-secret"][at] ?? "";
    }
    expect((await on.run("apply", "-y")).exit).toBe(0);
    expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(0);
    expect((await planned(on)).warnings).toEqual([]);
    on.env["EDGE_API_CREDENTIALS"] = "user:other";
    expect((await on.run("plan", "--detailed-exitcode")).exit).toBe(2);
  });
});
