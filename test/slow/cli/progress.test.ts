import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sandboxProcess, temporary, cliPath } from "../../support/cli.ts";
import { spawn } from "node:child_process";

interface TerminalOptions {
  readonly cwd: string;
  readonly env?: { readonly [name: string]: string };
  readonly rows?: number;
  readonly columns?: number;
  /** What the shell does with the streams: `2>err.txt`. */
  readonly redirect?: string;
  readonly onOutput?: (shown: string, act: Acting) => void;
}

interface Acting {
  type(keys: string): void;
}

interface Shown {
  readonly exit: number | null;
  readonly text: string;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Runs the built program on a terminal of its own, which `script` of util-linux opens. */
async function onTerminal(args: readonly string[], options: TerminalOptions): Promise<Shown> {
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

async function applying(
  options: Partial<TerminalOptions> = {},
  flags: readonly string[] = [],
  { count = 16, latency = "600ms" } = {},
) {
  const cwd = await temporary();
  const sandbox = await sandboxProcess("--latency", latency);
  await mkdir(join(cwd, "edge"));
  await writeFile(
    join(cwd, "edgewise.yaml"),
    "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n",
  );
  const manifest = (name: number): string =>
    `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: b${name}}\nspec: {status_code: 503}\n`;
  const all = Array.from({ length: count }, (_, index) => manifest(index)).join("---\n");
  await writeFile(join(cwd, "edge/all.yaml"), all);
  const shown = await onTerminal(["apply", "--auto-approve", "--no-verify", ...flags], {
    cwd,
    ...options,
    env: { ...sandbox, ...options.env },
  });
  return { ...shown, cwd };
}

/** What is on the screen in the end, without colours: a line that was erased is not. */
const screen = (text: string): string => text.replace(/[^\n]*\r\u001b\[K/g, "").replace(/\u001b\[\d+m/g, "");

describe("the progress of an apply", () => {
  it("is a bar below the lines of what was done, which is gone in the end", async () => {
    const { exit, text } = await applying({ columns: 90 });
    expect(exit).toBe(0);
    expect(text).toMatch(/Applying \[#+-+\] \d+\/16, 8 running/);
    expect(screen(text)).not.toContain("Applying");
    expect(screen(text).match(/^op-\d+ {2}created HTTPResponseBackend\/b\d+ /gm)).toHaveLength(16);
    expect(text).not.toContain("creating");
    expect(screen(text)).toContain("Apply: 16 done.");
  });

  it("has no bar with --quiet", async () => {
    const { exit, text } = await applying({}, ["--quiet"]);
    expect(exit).toBe(0);
    expect(text).not.toContain("Applying");
    expect(text).not.toContain("\u001b[K");
  });

  it("leaves a clean line behind when it is interrupted", async () => {
    let typed = false;
    const onOutput: TerminalOptions["onOutput"] = (shown, { type }) => {
      if (typed || !shown.includes("Applying")) return;
      typed = true;
      type("\u0003");
    };
    // So many that it is not done before it is interrupted, however late that comes.
    const { exit, text } = await applying({ columns: 90, onOutput }, [], { count: 200 });
    expect(exit).toBe(3);
    expect(screen(text)).not.toContain("Applying");
    expect(screen(text)).toMatch(/^warning: SIGINT: no more requests are started/m);
    expect(screen(text)).toMatch(/Apply: \d+ done, \d+ skipped\.\n$/);
  });
});
