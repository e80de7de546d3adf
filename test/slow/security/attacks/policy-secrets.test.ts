import { describe, expect, it } from "vitest";
import type { Json } from "../../../../src/core/json.ts";
import { type Stage, stage } from "../../../commands/stage.ts";
import { policyOfShapes, policyShapes } from "../support/policy-shapes.ts";

/** Nothing that is encoded on the way, and long enough to be told from chance. */
const canary = (side: string, index: number): string => `C4n4ry${side}${String(index).padStart(3, "0")}zZ9`;
const desiredSecret = (index: number): string => canary("desired", index);
const liveSecret = (index: number): string => canary("live", index);

function spellings(secret: string): readonly string[] {
  return [secret, Buffer.from(secret).toString("base64").replaceAll("=", ""), Buffer.from(secret).toString("hex")];
}

function edge(name: string, value: Json): string {
  return JSON.stringify({
    apiVersion: "edgewise/v1",
    kind: "TLSEdge",
    metadata: { name },
    spec: { hostports: [`${name}.example.com:443`], traffic_policy: { value } },
  });
}

function route(value: Json): string {
  return JSON.stringify({
    apiVersion: "edgewise/v1",
    kind: "HTTPSEdgeRoute",
    metadata: { name: "hooks", id: "edghtsrt_1" },
    spec: { edge: { id: "edghts_1" }, traffic_policy: { value } },
  });
}

const outputsOf = {
  validate: ["text", "json", "github", "sarif", "gitlab"],
  plan: ["text", "json", "markdown", "html", "github", "gitlab"],
  show: ["text"],
  drift: ["text", "json", "markdown", "html", "github", "junit"],
  pull: ["text", "json"],
  export: ["yaml", "json"],
  apply: ["text", "json", "markdown"],
} as const;

const outputs = [
  ...Object.entries(outputsOf).flatMap(([command, formats]) => formats.map((format) => `${command} -o ${format}`)),
  "the saved plan",
  "the journal",
  "what pull wrote",
];

async function prepared(): Promise<Stage> {
  const on = await stage();
  await on.write("edge/api.json.yaml", edge("api", { on_tcp_connect: [] }));
  await on.write("edge/hooks.yaml", route({ on_http_request: [] }));
  const applied = await on.run("apply", "-y");
  expect(applied.exit, applied.err).toBe(0);
  const policy = JSON.stringify(policyOfShapes(liveSecret));
  on.behind("PATCH", `/edges/tls/${on.id("TLSEdge")}`, { traffic_policy: { value: policy } });
  on.behind("PUT", "/edges/https/edghts_1/routes/edghtsrt_1/traffic_policy", {
    value: policy.replace("on_tcp_connect", "on_http_request"),
  });
  await on.write("edge/api.json.yaml", edge("api", policyOfShapes(desiredSecret)));
  await on.write("edge/text.yaml", edge("text", JSON.stringify(policyOfShapes(desiredSecret))));
  await on.write("edge/file.yaml", edge("file", { file: "policy.json" }));
  await on.write("edge/policy.json", JSON.stringify(policyOfShapes(desiredSecret)));
  return on;
}

async function everything(): Promise<ReadonlyMap<string, string>> {
  const on = await prepared();
  const found = new Map<string, string>();
  const add = async (name: string, ...args: readonly string[]): Promise<void> => {
    const { exit, out, err } = await on.run(...args, "-v");
    expect([0, 2], err).toContain(exit);
    found.set(name, out + err);
  };
  for (const format of outputsOf.validate) await add(`validate -o ${format}`, "validate", "-o", format);
  for (const format of outputsOf.plan) await add(`plan -o ${format}`, "plan", "-o", format, "--out", "plan.json");
  for (const format of outputsOf.show) await add(`show -o ${format}`, "show", "plan.json", "-o", format);
  found.set("the saved plan", await on.read("plan.json"));
  for (const format of outputsOf.drift) await add(`drift -o ${format}`, "drift", "-o", format);
  for (const format of outputsOf.export) await add(`export -o ${format}`, "export", "--all", "-o", format);
  for (const format of outputsOf.apply) {
    await add(`apply -o ${format}`, "apply", "-y", "-o", format, "--journal", `${format}.jsonl`);
    const policy = JSON.stringify(policyOfShapes(liveSecret));
    on.behind("PATCH", `/edges/tls/${on.id("TLSEdge", { description: "" })}`, { traffic_policy: { value: policy } });
  }
  for (const format of outputsOf.pull) await add(`pull -o ${format}`, "pull", "-y", "-o", format);
  found.set("what pull wrote", (await on.read("edge/api.json.yaml")) + (await on.read("edge/hooks.yaml")));
  found.set("the journal", (await on.read("text.jsonl")) + (await on.read("json.jsonl")));
  return found;
}

let known: Promise<ReadonlyMap<string, string>> | undefined;

describe("A policy of a manifest, or a live one, holds a secret in clear, in whatever shape → no output shows it", () => {
  it.each(outputs)("%s", async (output) => {
    const text = (await (known ??= everything())).get(output) ?? "";
    expect(text).not.toBe("");
    // What pull writes stands beside what the manifests said themselves.
    for (const secretOf of output === "what pull wrote" ? [liveSecret] : [desiredSecret, liveSecret]) {
      const found = policyShapes.filter((_, index) => spellings(secretOf(index)).some((form) => text.includes(form)));
      expect(found.map(([shape]) => shape)).toEqual([]);
    }
  });
});

const notJson = [
  ["YAML", `on_tcp_connect:\n  - name: a\n    config:\n      value: ${liveSecret(1)}\n      name: authorization\n`],
  ["broken JSON", `{"client_secret":"${liveSecret(1)}",`],
] as const;

describe("A live policy that isn't plain JSON holds a secret → it is masked", () => {
  it.each(notJson)("%s", async (_name, text) => {
    const on = await stage({ model: { knownValuesOnly: false } });
    await on.write("edge/hooks.yaml", route({ on_http_request: [] }));
    on.behind("PUT", "/edges/https/edghts_1/routes/edghtsrt_1/traffic_policy", { value: text });
    for (const format of outputsOf.plan) {
      const planned = await on.run("plan", "-o", format, "--out", "plan.json");
      expect(planned.exit).toBe(0);
      const shown = planned.out + planned.err + (await on.read("plan.json"));
      expect(shown).not.toContain(liveSecret(1));
      expect(shown).toContain("traffic_policy.value");
    }
  });
});

const elsewhere = (body: string, more: readonly Json[] = []): Json => ({
  on_tcp_connect: [...more, { name: "a", actions: [{ config: { body } }] }],
});
const sourced = { on_tcp_connect: [{ name: "a", actions: [{ config: { body: { env: "BODY" } } }] }] };
const plainRule = { name: "first", actions: [{ config: { body: "nothing secret" } }] };

describe("Somebody puts a secret from the environment under a name that doesn't tell → it is shown nowhere, on neither side", () => {
  it.each([
    ["it changes", elsewhere("S3cretBody01"), "S3cretBody02", sourced],
    ["it isn't available", elsewhere("S3cretBody01"), "", sourced],
    [
      "its rule comes after another with a plain text in its place",
      elsewhere("S3cretBody01"),
      "S3cretBody02",
      { on_tcp_connect: [plainRule, ...sourced.on_tcp_connect] },
    ],
  ] as const)("%s", async (_name, live, body, desired) => {
    const on = await stage();
    await on.write("edge/api.yaml", edge("api", elsewhere("")));
    await on.run("apply", "-y");
    on.behind("PATCH", `/edges/tls/${on.id("TLSEdge")}`, {
      description: "drift",
      traffic_policy: { value: JSON.stringify(live) },
    });
    await on.write("edge/api.yaml", edge("api", desired));
    on.env["BODY"] = body;
    for (const format of outputsOf.plan) {
      const planned = await on.run("plan", "-o", format, "--out", "plan.json");
      expect(planned.exit, planned.err).toBe(0);
      expect(planned.out + planned.err + (await on.read("plan.json"))).not.toMatch(/S3cretBody/u);
    }
    // Nor can it be guessed from a hash of it.
    const { preconditions } = JSON.parse(await on.read("plan.json"));
    on.behind("PATCH", `/edges/tls/${on.id("TLSEdge")}`, {
      traffic_policy: { value: JSON.stringify(live).replace("S3cretBody01", "S3cretBody09") },
    });
    expect(JSON.parse((await on.run("plan", "-o", "json")).out).preconditions).toEqual(preconditions);
  });
});

describe("A live resource is called so that its export names a variable of the pipeline → the placeholder has a name of its own", () => {
  it("as GITHUB_TOKEN would be", async () => {
    const on = await stage();
    on.behind("POST", "/edges/tls", {
      description: "github",
      hostports: ["a.example.com:443"],
      traffic_policy: { value: JSON.stringify({ on_tcp_connect: [{ config: { token: liveSecret(0) } }] }) },
    });
    const exported = await on.run("export", "--all");
    expect(exported.out, exported.err).toContain("env: EDGE_GITHUB_TOKEN\n");
  });
});
