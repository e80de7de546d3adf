import { readFileSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import type { Json } from "../../../src/json.ts";
import { stage, type Stage } from "../../commands/stage.ts";
import { seen } from "./support/canaries.ts";
import { mutated, mutation, type Mutation } from "./support/mutate.ts";
import { pair, richManifests } from "./support/rich-manifests.ts";
import { runs } from "../../support/runs.ts";

const examples = new URL("../../../examples/", import.meta.url).pathname;

/** The manifests of the examples, and those of the tests: every kind, every field. */
const texts: readonly string[] = [
  richManifests["edge/all.yaml"] ?? "",
  ...["quickstart/edge", "production/edge"].flatMap((directory) =>
    readdirSync(join(examples, directory))
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => readFileSync(join(examples, directory, name), "utf8")),
  ),
];

const documents: readonly Json[] = texts.flatMap((text) => parseAllDocuments(text).map((each) => each.toJS() as Json));

async function ground(): Promise<Stage> {
  const on = await stage();
  await on.write("edge/chain.pem", pair.certificate);
  await on.write("edge/policy.yaml.txt", richManifests["edge/policy.yaml.txt"] ?? "");
  return on;
}

async function survives(on: Stage, text: string | Uint8Array): Promise<void> {
  await writeFile(join(on.dir, "edge", "all.yaml"), text);
  for (const args of [["validate"], ["validate", "-o", "sarif", "--allow-inline-secrets"], ["graph", "-q"]]) {
    const { exit, out, err } = await on.run(...args);
    expect([0, 1], err).toContain(exit);
    expect(out + err).not.toMatch(/bug in edgewise|TypeError|RangeError|^\s+at .*\.[tj]s:\d/mu);
    if (args.includes("sarif")) JSON.parse(out);
  }
  expect(on.sandbox.requests().total).toBe(0);
}

describe("whatever a manifest contains, validate exits with 0 or 1 and explains why", () => {
  it("values of every sort at every place", async () => {
    const on = await ground();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...documents),
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        async (document, mutations) => {
          const value = mutations.reduce((json: Json, each: Mutation) => mutated(json, each), document);
          await survives(on, stringify(value, { aliasDuplicateObjects: false }));
        },
      ),
      runs(50),
    );
  });

  it("texts with something cut, doubled, or put in", async () => {
    const on = await ground();
    const odd = fc.oneof(
      fc.constantFrom(
        "\t",
        "{",
        "[",
        "]",
        ":",
        "&a ",
        "*a",
        "!!binary ",
        "%YAML 1.1\n",
        "---\n",
        "...\n",
        "<<: ",
        "${{ ",
        "${{ vars.x }}",
        "\u0000",
        "\ufeff",
        "\u2028",
        "|",
        ">-\n",
        "? ",
        "'",
        '"',
        "#",
      ),
      fc.string({ unit: "binary", maxLength: 6 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...texts),
        fc.array(fc.record({ at: fc.nat(4000), cut: fc.nat(12), put: odd }), { minLength: 1, maxLength: 4 }),
        async (text, edits) => {
          const edited = edits.reduce((whole, { at, cut, put }) => {
            const from = at % (whole.length + 1);
            return whole.slice(0, from) + put + whole.slice(from + cut);
          }, text);
          await survives(on, edited);
        },
      ),
      runs(50),
    );
  });

  it("bytes", async () => {
    const on = await ground();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => survives(on, bytes)),
      runs(20),
    );
  });
});

describe("a secret in an invalid line is not shown", () => {
  const secret = "C4n4ry/inline+secret&0123456789";
  const route = (webhook: string): string => `apiVersion: edgewise/v1
kind: HTTPSEdgeRoute
metadata: {name: hooks, id: edghtsrt_1}
spec:
  edge: {id: edghts_1}
  webhook_verification:
    provider: GITHUB
${webhook}
`;
  const manifests: readonly string[] = [
    route(`    secret: "${secret}"`),
    route(`    secret: ${secret}`),
    route(`    secret: "${secret}`),
    route(`    secret: [${secret}`),
    route(`    secret: {env: [${secret}]}`),
    route(`    secret: {value: "${secret}"}`),
    route(`    secret: "\${{ ${secret} }}"`),
    route(`    secret: "x\${{ vars.none }}${secret}"`),
    route(`    secret:\n      - ${secret}`),
    route(`    secret: |\n      ${secret}\n  bad`),
    route(`    secret: !secret ${secret}`),
    route(`    secret: &s ${secret}\n    secret: *s`),
    route(`    secret: "${secret}"\n   provider: x`),
    route(`    secert: "${secret}"`),
    route(`    Secret: "${secret}"`),
    route(`    token: "${secret}"`),
    route(`    secret "${secret}"`),
    route(`    secret:"${secret}"`),
    route(`\tsecret: "${secret}"`),
    route(`    secret: "${secret}" "x"`),
    route(`    ? secret\n    : ${secret}\n    : again`),
    `apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: a}\nspec: {certificate_pem: {file: chain.pem}, private_key_pem: "${secret}"}\n`,
    `apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: a}\nspec:\n  certificate_pem: {file: chain.pem}\n  private_key_pem: |\n${pair.key.replaceAll(/^/gmu, "    ")}`,
    `apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: a}\nspec:\n  private_key: |\n${pair.key.replaceAll(/^/gmu, "    ")}`,
    `apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: a}\nspec:\n  certificate_pem: |\n${pair.key.replaceAll(/^/gmu, "    ")}`,
  ];
  const canaries = [
    { name: "secret", secret },
    { name: "key", secret: pair.key },
  ];

  it.each(manifests.map((text) => [text.slice(text.indexOf("spec:")).replaceAll(/\s+/gu, " ").slice(0, 110), text]))(
    "%s",
    async (_, text) => {
      const on = await ground();
      await on.write("edge/all.yaml", text);
      for (const args of [
        ...["text", "json", "github", "sarif"].map((format) => ["validate", "-o", format]),
        ["validate", "--allow-inline-secrets", "-v"],
        ["plan"],
        ["plan", "--log-format", "json", "-v"],
        ["graph", "--log-format", "json"],
      ]) {
        const { out, err } = await on.run(...args);
        expect(seen(out + err, canaries), `${args.join(" ")}\n${out}${err}`).toEqual([]);
        expect(out + err).not.toContain("bug in edgewise");
      }
      expect((await on.run("validate")).exit).toBe(1);
    },
  );

  it.each([
    `apiKey: ${secret}`,
    `api: {apiKey: "${secret}"}`,
    `api: {token: "${secret}", baseUrl: x}`,
    `api: {baseUrl: "https://user:${secret}@api.example.com"}`,
    `password: "${secret}`,
    `variables: {secret: "${secret}", "a b": 1}`,
  ])("in the configuration: %s", async (line) => {
    const on = await ground();
    await on.write("edge/all.yaml", texts[1] ?? "");
    await on.write(
      "edgewise.yaml",
      `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n${line}\n`,
    );
    for (const args of [["validate"], ["validate", "-o", "sarif"], ["plan"], ["plan", "--log-format", "json"]]) {
      const { exit, out, err } = await on.run(...args);
      expect(seen(out + err, canaries), `${out}${err}`).toEqual([]);
      expect(exit, out + err).toBe(1);
    }
  });
});
