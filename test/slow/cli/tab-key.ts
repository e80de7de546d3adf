import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type TestContext, expect, onTestFinished } from "vitest";
import { cliPath } from "../../support/cli.ts";

export type Shell = "bash" | "zsh" | "fish";

export const shells: readonly Shell[] = ["bash", "zsh", "fish"];

/**
 * Environment of a program for which no time passes. Completion ends after a quarter of a second with what it has found so
 * far, which a busy machine may need for the start alone.
 */
export const timeless = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent("Date.now = () => 1_700_000_000_000;")}`,
};

/** Skips a test where a program is missing; in CI, which installs it, that is a failure. */
export function needs(context: TestContext, ...programs: readonly string[]): void {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const missing = programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
  if (missing.length > 0 && process.env["CI"] !== "true") context.skip(`not on the PATH: ${missing.join(", ")}`);
  expect(missing).toEqual([]);
}

/** What a terminal shows and what stands on its command line after somebody typed something. */
export interface Typed {
  readonly line: string;
  readonly screen: string;
}

/** A shell that somebody types into, and a directory of files. */
export interface Typist {
  readonly dir: string;
  write(path: string, text: string): Promise<void>;
  /** Starts a shell in the directory and types each of some texts on an empty line. A tab is the Tab key. */
  type(...texts: readonly string[]): readonly Typed[];
  /** The words that the shell makes of a line. */
  words(line: string): readonly string[];
}

/** How a shell is started, and what its start file does: it loads the script, and writes down its line at Ctrl-O. */
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

/** Runs a command in a terminal of its own (zsh has one for any program), types, and prints what the terminal shows. */
const driver = `zmodload zsh/zpty
zpty shell "$SHELL_COMMAND"
zpty -r shell screen '*READY> *'
for keys in "$@"; do
  zpty -w -n shell $'\\x15'"$keys"$'\\x0f'
  zpty -r shell screen '*DONE*'
  print -rn -- "$(<.line)"$'\\0'"$screen"$'\\0'
done
zpty -d shell
`;

/**
 * A shell with an `edgewise` on its PATH.
 * @param rc further lines of its start file
 * @param program loads the completion of this file instead, and the PATH has no `edgewise`
 */
export async function typist(shell: Shell, rc = "", program: string | null = null): Promise<Typist> {
  const dir = await mkdtemp(join(tmpdir(), "edgewise-tab-"));
  onTestFinished(async () => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, ".bin"));
  if (program === null) await symlink(cliPath, join(dir, ".bin", "edgewise"));
  const { command, file, text } = starts[shell](dir);
  const from = program === null ? "edgewise" : `node '${program}'`;
  await writeFile(join(dir, file), text.replace("edgewise completion", `${from} completion`) + rc);
  const env = {
    ...timeless,
    PATH: `${join(dir, ".bin")}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: dir,
    ZDOTDIR: dir,
    TERM: "xterm",
    LANG: "C.UTF-8",
    // Nothing of it may be shown or used.
    EDGEWISE_API_KEY: "key-that-nobody-may-see",
  };
  return {
    dir,
    write: async (path, text) => {
      await mkdir(join(dir, path, ".."), { recursive: true });
      await writeFile(join(dir, path), text);
    },
    type: (...texts) => {
      const { stderr, stdout } = spawnSync("zsh", ["-f", "-c", driver, "zsh", ...texts], {
        cwd: dir,
        env: { ...env, SHELL_COMMAND: command },
        encoding: "utf8",
        timeout: 280_000,
      });
      expect(stderr).toBe("");
      const parts = stdout.split("\0");
      expect(parts).toHaveLength(2 * texts.length + 1);
      return texts.map((_, index) => ({ line: parts[2 * index] ?? "", screen: parts[2 * index + 1] ?? "" }));
    },
    words: (line) => {
      const print =
        shell === "fish" ? `function edgewise; string join0 -- $argv; end` : `edgewise() { printf '%s\\0' "$@"; }`;
      const args = shell === "fish" ? ["--no-config"] : shell === "zsh" ? ["-f"] : ["--noprofile", "--norc"];
      const { stdout } = spawnSync(shell, [...args, "-c", `${print}\n${line}`], { cwd: dir, encoding: "utf8" });
      return stdout.replace(/\0$/u, "").split("\0");
    },
  };
}
