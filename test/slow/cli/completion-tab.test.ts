import { existsSync } from "node:fs";
import { chmod, readFile } from "node:fs/promises";
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

describe("the Tab key in zsh", () => {
  const compinit = /^autoload -U compinit.*$/mu;
  const script = /^source.*$/mu;

  it.for<readonly [string, (text: string) => string]>([
    ["without compinit", (text: string) => text.replace(compinit, "")],
    ["above compinit", (text: string) => `${script.exec(text)?.[0]}\n${text.replace(script, "")}`],
    ["before another compinit", (text: string) => `${text}${compinit.exec(text)?.[0]}\n`],
    ["with options of all sorts", (text: string) => `setopt no_unset err_return sh_word_split\n${text}`],
  ])("works %s, and starts silently", async ([, change], context) => {
    needs(context, "zsh");
    const typing = await typist("zsh");
    const text = await readFile(join(typing.dir, ".zshrc"), "utf8");
    await typing.write(".zshrc", change(text));
    const [typed] = typing.type("edgewise pla\t");
    expect(typed?.line).toBe("edgewise plan ");
    expect(typed?.screen).not.toMatch(/not found|edgewise:/u);
  });

  it("follows the matchers of its user", async (context) => {
    needs(context, "zsh");
    const matcher = "zstyle ':completion:*' matcher-list 'm:{[:lower:]}={[:upper:]}'\n";
    expect(completed(await typist("zsh", matcher), "edgewise export iprestr")).toEqual([
      "edgewise export IPRestriction ",
    ]);
  });

  it("is not that of bash, whose script says so when it is loaded", async (context) => {
    needs(context, "zsh");
    const typing = await typist("zsh");
    const text = await readFile(join(typing.dir, ".zshrc"), "utf8");
    await typing.write(".zshrc", text.replace(script, "source <(edgewise completion bash) 2> .said"));
    const [typed] = typing.type("edgewise pla\t");
    expect(typed?.screen).not.toContain("_edgewise");
    expect(await readFile(join(typing.dir, ".said"), "utf8")).toContain("source <(edgewise completion zsh)");
  });
});
