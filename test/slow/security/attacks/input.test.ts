import { describe, expect, it } from "vitest";
import { backend, edge, stage } from "../../../commands/stage.ts";

async function validated(spec: string, files: { readonly [path: string]: string } = {}): Promise<string> {
  const on = await stage();
  await on.write("edge/a.yaml", spec);
  for (const [path, text] of Object.entries(files)) await on.write(path, text);
  const { exit, out, err } = await on.run("validate");
  expect(exit, out + err).toBe(1);
  expect(out + err).not.toMatch(/bug in edgewise|RangeError/u);
  expect(on.sandbox.requests().total).toBe(0);
  return out + err;
}

const policy = (value: string): string => edge("x", "a.example.com:443", `, traffic_policy: {value: ${value}}`);
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
const config = (more: string): string => `apiVersion: edgewise/v1\nkind: Config\nstack: demo\n${more}`;
const laughs = `a0: &a0 x\n${Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 10 }, () => `*a${i}`).join(", ")}]\n`).join("")}`;

describe("a pull request brings more than a machine can hold: an error says what the limit is", () => {
  it.each<readonly [string, RegExp, string] | readonly [string, RegExp, string, { readonly [path: string]: string }]>([
    ["brackets in YAML", /nested more than 100 deep/u, policy(`{a: ${deep(100_000)}}`)],
    [
      "the configuration",
      /nested more than 100 deep/u,
      backend("x"),
      { "edgewise.yaml": config(`variables: {v: ${deep(100_000)}}\n`) },
    ],
    ["a billion laughs", /aliases of this document copy more than/u, laughs],
    [
      "a chain of thousands",
      /has 5000 certificates, more than the limit of 100/u,
      "apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: x}\nspec: {certificate_pem: {file: chain.pem}, private_key_pem: {env: KEY}}\n",
      { "edge/chain.pem": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".repeat(5000) },
    ],
    ["a large manifest", /has more than 8388608 bytes/u, `#${"x".repeat(9_000_000)}\n`],
    [
      "patterns",
      /more than \d+ patterns/u,
      backend("x"),
      { "edgewise.yaml": config(`manifests: ["${"{a,b}".repeat(20)}"]\n`) },
    ],
    [
      "variables",
      /with the files and variables in them, have more than \d+ bytes/u,
      backend("x", `status_code: 200, body: "${"${{ vars.v }}".repeat(1000)}"`),
      { "edgewise.yaml": config(`manifests: [edge/]\nvariables: {v: "${"x".repeat(500_000)}"}\n`) },
    ],
  ])("%s", async (...[, words, text, files]) => {
    expect(await validated(text, files)).toMatch(words);
  });

  it("twenty thousand mistakes, of which a thousand are shown", async () => {
    const hostports = Array.from({ length: 20_000 }, (_, i) => `"x${i}"`).join(", ");
    const shown = await validated(edge("x", "a:1").replace('["a:1"]', `[${hostports}]`));
    expect(shown.match(/\[hostport-syntax\]/gu)?.length).toBeLessThanOrEqual(1001);
  });
});
