import { spawn } from "node:child_process";
import { onTestFinished } from "vitest";
import { cliPath } from "../../support/cli.ts";

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string };
  readonly rows?: number;
  readonly columns?: number;
  /** What the shell does with the streams: `2>err.txt`. */
  readonly redirect?: string;
  readonly onOutput?: (shown: string, act: Acting) => void;
}

export interface Acting {
  type(keys: string): void;
}

export interface Shown {
  readonly exit: number | null;
  readonly text: string;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Runs the built program on a terminal of its own, which `script` of util-linux opens. */
export async function onTerminal(args: readonly string[], options: TerminalOptions): Promise<Shown> {
  const { columns = 80, cwd, env = {}, onOutput, redirect = "", rows = 24 } = options;
  const line = [process.execPath, cliPath, ...args].map(quoted).join(" ");
  const child = spawn(
    "script",
    ["-qec", `stty rows ${rows} cols ${columns} -echo; exec ${line} ${redirect}`, "/dev/null"],
    {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh", TERM: "xterm", LANG: "C.UTF-8", ...env },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void child.kill("SIGHUP"));
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (some: string) => {
    text += some;
    onOutput?.(text, { type: (keys) => void child.stdin.write(keys) });
  });
  const exit = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { exit, text: text.replaceAll("\r\n", "\n") };
}
