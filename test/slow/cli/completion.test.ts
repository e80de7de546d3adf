import { spawnSync } from "node:child_process";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { bashScript, fishScript, zshScript } from "../../../src/commands/completion.ts";
import { root } from "../../repository/source-files.ts";
import { cli, cliPath, temporary } from "../../support/cli.ts";
import { needs, shells, timeless, typist } from "./tab-key.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** What bash's function offers for a line, called as bash calls it. @param breaks `COMP_WORDBREAKS` but for blanks */
function bash(line: string, { breaks = /[=:@]/u } = {}): readonly string[] {
  const replaced = line.split(/\s/u).at(-1)?.split(breaks).at(-1) ?? "";
  const code = `${bashScript(cliPath)}
COMP_LINE=$1; COMP_POINT=\${#1}; read -ra COMP_WORDS <<<"$1"; COMP_CWORD=$((\${#COMP_WORDS[@]}-1))
_edgewise edgewise "$2" "" || echo "failed: $?"; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stderr, stdout } = spawnSync("bash", ["--noprofile", "--norc", "-uc", code, "bash", line, replaced], {
    encoding: "utf8",
    cwd: join(root, "examples/production"),
    env: { ...timeless, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.split("\n").slice(0, -1);
}

describe("completion", () => {
  it("in bash gives finished words with a space, and only what bash replaces", () => {
    expect(bash("edgewise p")).toEqual(["plan ", "pull ", "policy ", "ping "]);
    expect(bash("edgewise plan --de")).toEqual(["--detailed-exitcode "]);
    expect(bash("edgewise drift --output s")).toEqual(["sarif "]);
    expect(bash("edgewise plan --only TLSEdge/ap")).toEqual(["TLSEdge/api ", "TLSEdge/api-v1 "]);
    expect(bash("edgewise plan --only=TLSEdge/v")).toEqual(["TLSEdge/vault "]);
    expect(bash("edgewise plan --only=TLSEdge/v", { breaks: /\s/u })).toEqual(["--only=TLSEdge/vault "]);
    expect(bash("edgewise plan -l team=pay")).toEqual(["payments "]);
    expect(bash("edgewise plan -l te")).toEqual(["team="]);
    expect(bash("edgewise export TLS")).toEqual(["TLSEdge ", "TLSCertificate "]);
    // Left to bash itself.
    expect(bash("edgewise plan --out e")).toEqual([""]);
  });

  it("asks for nothing but files: without a key, with a base URL that nobody answers, and with a broken environment", async () => {
    const env = { ...timeless, EDGEWISE_BASE_URL: "http://127.0.0.1:9", EDGEWISE_API_KEY: "", EDGEWISE_STACK: "" };
    const cwd = join(root, "examples/production");
    const { exit, out, err } = await cli(["__complete", "fish", "edgewise", "apply", "--only", "TLSEdge/v"], {
      cwd,
      env,
    });
    expect([exit, err]).toEqual([0, ""]);
    expect(out).toContain("TLSEdge/vault\t");
    for (const args of [[], ["tcsh"], ["bash"], ["zsh"], ["fish", "--help"], ["bash", "--version", "x"]]) {
      const ended = await cli(["__complete", ...args], { cwd });
      expect([args, ended.exit, ended.err]).toEqual([args, 0, ""]);
    }
  });

  it("is not in the help, and needs no words of the program", async () => {
    expect((await cli(["--help"])).out).not.toContain("__complete");
    for (const shell of shells) expect((await cli(["completion", shell])).out).toBe(scripts[shell](cliPath));
  });
});

/** What the documents say for `node .edgewise/edgewise.mjs` and `npx edgewise`. */
const launchers = {
  bash: "complete -o default -o nospace -F _edgewise node npx",
  zsh: "compdef _edgewise node npx",
  fish: "complete -c node -c npx -n __edgewise_complete -f -a '$__edgewise_offered'",
};

describe.each(shells)("completion of the program as one file in %s", (shell) => {
  it("runs that file, wherever it is", async (context) => {
    needs(context, "zsh", shell);
    const dir = join(await temporary(), 'an odd $(touch pwned) "directory');
    await mkdir(dir);
    const program = join(dir, "edgewise.mjs");
    await copyFile(join(root, "dist/edgewise.mjs"), program);
    const { type, write } = await typist(shell, launchers[shell], program);
    await write(".edgewise/edgewise.mjs", "throw new Error('the repository has no say')");
    await write("server.js", "");
    const keys = [
      "edgewise pla\t",
      "node .edgewise/edgewise.mjs pla\t",
      "npx edgewise plan --only=\t",
      "node ser\t",
      "node .edgewise/edgewise.mjs schema TLSE\t",
    ];
    expect(type(...keys).map(({ line }) => line)).toEqual([
      "edgewise plan ",
      "node .edgewise/edgewise.mjs plan ",
      "npx edgewise plan --only=",
      "node server.js ",
      "node .edgewise/edgewise.mjs schema TLSEdge ",
    ]);
  });
});
