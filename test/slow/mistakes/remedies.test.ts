import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { load } from "../../manifest/support/load-text.ts";
import { runs } from "../../support/runs.ts";

function withLabel(label: string): string {
  return `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: a, labels: {release: ${label}}}
spec: {hostports: ["a.example:443"]}
`;
}

/** Numbers and words in every notation that YAML takes for something else than text. */
const notText = fc.oneof(
  fc.integer().map(String),
  fc.integer({ min: 0 }).map((number) => `0${number}`),
  fc.integer({ min: 0, max: 99 }).map((minor) => `1.${minor}0`),
  fc.integer({ min: 0 }).map((number) => `0x${number.toString(16).toUpperCase()}`),
  fc.integer({ min: 0 }).map((number) => `0o${number.toString(8)}`),
  fc.integer({ min: 1, max: 20 }).map((power) => `1e${power}`),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 80n }).map(String),
  fc.constantFrom("true", "True", "FALSE", "null", "~", "Null", ".inf", "-.INF", ".nan", "+1", ".5", "1."),
);

describe("remedies", () => {
  it("quote the text as it is written, and help", async () => {
    await fc.assert(
      fc.asyncProperty(notText, async (label) => {
        const { diagnostics } = await load({ "a.yaml": withLabel(label) });
        expect(diagnostics).toHaveLength(1);
        const quoted = /"[^"]*"/u.exec(diagnostics[0]?.remedy ?? "")?.[0] ?? "";
        expect(quoted).toBe(`"${label}"`);
        expect((await load({ "a.yaml": withLabel(quoted) })).diagnostics).toEqual([]);
      }),
      runs(60),
    );
  });

  it("never quote what stands in the place of a secret", async () => {
    const secret = "hunter2-hunter2";
    const module = (written: string): string =>
      `apiVersion: edgewise/v1\nkind: HTTPSEdgeRoute\nmetadata: {name: a, id: edghtsrt_1}\nspec:\n  edge: {id: edghts_1}\n  webhook_verification: ${written}\n`;
    for (const written of [
      `{provider: GITHUB, secret: ${secret}}`,
      `{provider: GITHUB, secret: [${secret}]}`,
      `{provider: GITHUB, secret: {env: GITHUB, value: ${secret}}}`,
      `{provider: GITHUB, secret_id: ${secret}}`,
      `{provider: GITHUB, secret: Note: ${secret}}`,
      `{provider: GITHUB, secret: @${secret}}`,
      `{provider: GITHUB, secret: "\${vars.x} ${secret}"}`,
      `{provider: GITHUB, secret: \${{ ${secret} }}}`,
      `\n    provider: GITHUB\n    secret: ${secret}: x`,
      `\n    provider: GITHUB\n    secret: x\n      ${secret}: y`,
      `\n    provider: GITHUB\n    secret:${secret}`,
    ]) {
      const { diagnostics } = await load({ "a.yaml": module(written) });
      expect(diagnostics.length).toBeGreaterThan(0);
      expect(JSON.stringify(diagnostics), written).not.toContain(secret);
    }
  });
});
