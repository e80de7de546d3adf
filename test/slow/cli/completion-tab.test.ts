import { expect, it, type TestContext, onTestFinished } from "vitest";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { cliPath } from "../../support/cli.ts";

type Shell = "bash" | "zsh" | "fish";

const shells: readonly Shell[] = ["bash", "zsh", "fish"];

function needs(context: TestContext, ...programs: readonly string[]): void {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const missing = programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
  if (missing.length > 0 && process.env["CI"] !== "true") context.skip(`not on the PATH: ${missing.join(", ")}`);
  expect(missing).toEqual([]);
}

interface Typist {
  write(path: string, text: string): Promise<void>;
  type(...texts: readonly string[]): readonly string[];
}

interface Start {
  readonly command: string;
  readonly file: string;
  readonly text: string;
}

const starts: { readonly [S in Shell]: (dir: string) => Start } = {
  bash: (dir) => ({
    command: `bash --noprofile --rcfile ${dir}/.start -i`,
    file: ".start",
    text: `PS1='READY> '
bind 'set bell-style none'
bind 'set completion-query-items 0'
bind 'set page-completions off'
bind 'set show-all-if-ambiguous on'
bind -x '"\\C-o": printf %s "$READLINE_LINE" > ${dir}/.line; echo DONE'
source <(edgewise completion bash)
`,
  }),
  zsh: (dir) => ({
    command: "zsh -i",
    // In $ZDOTDIR.
    file: ".zshrc",
    text: `PS1='READY> '
LISTMAX=1000
autoload -U compinit && compinit -u -d ${dir}/.zcompdump
write-line() { print -rn -- "$BUFFER" > ${dir}/.line; print DONE }
zle -N write-line
bindkey '^O' write-line
bindkey '^U' kill-whole-line
source <(edgewise completion zsh)
`,
  }),
  fish: (dir) => ({
    command: `fish --no-config --init-command 'source ${dir}/.start' -i`,
    file: ".start",
    text: `function fish_prompt; echo 'READY> '; end
set -g fish_greeting
set -g fish_autosuggestion_enabled 0
bind \\co 'printf %s (commandline | string collect) > ${dir}/.line; echo DONE'
bind \\cu 'commandline ""'
edgewise completion fish | source
`,
  }),
};

/** Runs a command in a terminal of its own (zsh has one for any program), types, and prints the lines. */
const driver = `zmodload zsh/zpty
zpty shell "$SHELL_COMMAND"
zpty -r shell screen '*READY> *'
for keys in "$@"; do
  zpty -w -n shell $'\\x15'"$keys"$'\\x0f'
  zpty -r shell screen '*DONE*'
  print -rn -- "$(<.line)"$'\\0'
done
zpty -d shell
`;

async function typist(shell: Shell): Promise<Typist> {
  const dir = await mkdtemp(join(tmpdir(), "edgewise-tab-"));
  onTestFinished(async () => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, ".bin"));
  await symlink(cliPath, join(dir, ".bin", "edgewise"));
  const { command, file, text } = starts[shell](dir);
  await writeFile(join(dir, file), text);
  const env = {
    PATH: `${join(dir, ".bin")}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: dir,
    ZDOTDIR: dir,
    TERM: "xterm",
    LANG: "C.UTF-8",
  };
  return {
    write: async (path, text) => writeFile(join(dir, path), text),
    type: (...texts) => {
      const { stderr, stdout } = spawnSync("zsh", ["-f", "-c", driver, "zsh", ...texts], {
        cwd: dir,
        env: { ...env, SHELL_COMMAND: command },
        encoding: "utf8",
        timeout: 280_000,
      });
      expect(stderr).toBe("");
      return stdout.split("\0").slice(0, -1);
    },
  };
}

it.for(shells)("the Tab key in %s completes commands, flags and choices, else files", async (shell, context) => {
  needs(context, "zsh", shell);
  const typing = await typist(shell);
  await typing.write("monday.json", "{}");
  const cases: readonly (readonly [string, string])[] = [
    ["edgewise pla", "edgewise plan "],
    ["edgewise help pla", "edgewise help plan "],
    ["edgewise plan --de", "edgewise plan --detailed-exitcode "],
    ["edgewise validate -o sa", "edgewise validate -o sarif "],
    ["edgewise validate --output=sa", "edgewise validate --output=sarif "],
    ["edgewise export TLSE", "edgewise export TLSEdge "],
    ["edgewise show mon", "edgewise show monday.json "],
    ["edgewise plan -c mon", "edgewise plan -c monday.json "],
  ];
  expect(typing.type(...cases.map(([typed]) => `${typed}\t`))).toEqual(cases.map(([, line]) => line));
});
