import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Typist, needs, shells, typist } from "./tab-key.ts";

const config = `apiVersion: edgewise/v1
kind: Config
stack: edge
manifests: [edge/]
variables: {region: eu}
environments:
  prod: {stack: edge-prod}
`;

const manifest = (name: string): string => `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: ${name}, labels: {team: payments}}
spec: {hostports: ["${name}.example.com:443"]}
`;

/** The lines that Tab makes of some. */
function completed({ type }: Typist, ...lines: readonly string[]): readonly string[] {
  return type(...lines.map((line) => `${line}\t`)).map(({ line }) => line);
}

describe.each(shells)("the Tab key in %s", (shell) => {
  it("completes what the project names", { timeout: 120_000 }, async (context) => {
    needs(context, "zsh", shell);
    const typing = await typist(shell);
    await typing.write("edgewise.yaml", config);
    await typing.write("edge/api.yaml", manifest("api"));
    await typing.write("edge/broken.yaml", "kind: [");
    await typing.write("plans/of monday.json", '{"format":"edgewise.plan/v1"}');
    await typing.write("plans/other.json", "{}");
    const odd = shell === "bash" ? "'plans/of monday.json'" : "plans/of\\ monday.json";
    const cases: readonly (readonly [string, string])[] = [
      ["edgewise pla", "edgewise plan "],
      ["edgewise plan --detailed", "edgewise plan --detailed-exitcode "],
      ["edgewise plan --only TL", "edgewise plan --only TLSEdge/api "],
      ["edgewise plan --only=TLSEdge/a", "edgewise plan --only=TLSEdge/api "],
      ["edgewise pull TLSEdge/", "edgewise pull TLSEdge/api "],
      ["edgewise plan -e p", "edgewise plan -e prod "],
      ["edgewise plan --stack edge-", "edgewise plan --stack edge-prod "],
      ["edgewise plan --var r", "edgewise plan --var region="],
      ["edgewise plan -l te", "edgewise plan -l team="],
      ["edgewise plan -l team=", "edgewise plan -l team=payments "],
      ["edgewise plan -ojs", "edgewise plan -ojson "],
      ["edgewise plan --output=js", "edgewise plan --output=json "],
      ["edgewise plan --max-deletes ", "edgewise plan --max-deletes "],
      ["edgewise explain TLSEdge.tls_t", "edgewise explain TLSEdge.tls_termination."],
      ["edgewise explain TLSEdge.tls_termination.min", "edgewise explain TLSEdge.tls_termination.min_version "],
      ["edgewise export IP", "edgewise export IPRestriction "],
      ["edgewise show pl", "edgewise show plans/"],
      ["edgewise show plans/", `edgewise show ${odd} `],
      ["edgewise apply -- plans/of", `edgewise apply -- ${odd} `],
      ["edgewise plan -c edgew", "edgewise plan -c edgewise.yaml "],
      ["edgewise plan --page-cache plans/ot", "edgewise plan --page-cache plans/other.json "],
      ["edgewise plan --page-cache=plans/ot", "edgewise plan --page-cache=plans/other.json "],
    ];
    const lines = completed(typing, ...cases.map(([typed]) => typed));
    expect(lines).toEqual(cases.map(([, line]) => line));
  });

  it(
    "keeps what others wrote from running, and what it inserts is what they wrote",
    { timeout: 120_000 },
    async (context) => {
      needs(context, "zsh", shell);
      const typing = await typist(shell);
      const { dir, words, write } = typing;
      const stacks = [
        "a $(touch pwned)",
        "b `touch pwned`",
        "c; touch pwned",
        "d' ; touch pwned; '",
        'e" ; touch pwned; "',
        "f > pwned",
        "g & touch pwned &",
        "h !touch $HOME ~ * {a,b} \\ #",
        "i (touch pwned) <(touch pwned)",
      ];
      const environments = stacks.map((stack, index) => `  e${index}: {stack: ${JSON.stringify(stack)}}`).join("\n");
      await write("edgewise.yaml", `kind: Config\nenvironments:\n${environments}\n`);
      const lines = completed(typing, ...stacks.map((stack) => `edgewise plan --stack ${stack.charAt(0)}`));
      expect(lines.map((line) => words(line))).toEqual(stacks.map((stack) => ["plan", "--stack", stack]));
      expect(existsSync(join(dir, "pwned"))).toBe(false);
    },
  );
});
