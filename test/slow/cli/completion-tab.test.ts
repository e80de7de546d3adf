import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
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
  it("completes what the project names", async (context) => {
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
      ["edgewise plan --only TL", "edgewise plan --only TLSEdge/api "],
      ["edgewise plan --only=TLSEdge/a", "edgewise plan --only=TLSEdge/api "],
      ["edgewise plan -l te", "edgewise plan -l team="],
      ["edgewise plan -l team=", "edgewise plan -l team=payments "],
      ["edgewise plan -ojs", "edgewise plan -ojson "],
      ["edgewise explain TLSEdge.tls_t", "edgewise explain TLSEdge.tls_termination."],
      ["edgewise show pl", "edgewise show plans/"],
      ["edgewise show plans/", `edgewise show ${odd} `],
      ["edgewise apply -- plans/of", `edgewise apply -- ${odd} `],
    ];
    const lines = completed(typing, ...cases.map(([typed]) => typed));
    expect(lines).toEqual(cases.map(([, line]) => line));
  });

  it("keeps what others wrote from running, and what it inserts is what they wrote", async (context) => {
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
  });

  it("runs nothing from relative directories of the PATH, which whoever wrote a branch has filled", async (context) => {
    needs(context, "zsh", shell);
    const first = { bash: "PATH=.:bin::$PATH", zsh: "path=(. bin $path)", fish: "set -gx PATH . bin $PATH" };
    const typing = await typist(shell, `${first[shell]}\n`);
    for (const name of ["edgewise", "node", "env"]) {
      for (const path of [name, `bin/${name}`]) {
        await typing.write(path, "#!/bin/sh\ntouch pwned\n");
        await chmod(join(typing.dir, path), 0o755);
      }
    }
    expect(completed(typing, "edgewise pla")).toEqual(["edgewise plan "]);
    expect(existsSync(join(typing.dir, "pwned"))).toBe(false);
  });
});
