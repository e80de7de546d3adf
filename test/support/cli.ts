import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { firstLine } from "./first-line.ts";

/** The built program: `npm test` builds it first. */
export const cliPath = fileURLToPath(new URL("../../dist/bin/edgewise.js", import.meta.url));

export interface Ended {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

export type Process = ChildProcessByStdio<Writable, Readable, Readable>;

export interface CliOptions {
  readonly terminal?: boolean;
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
}

const believing = `import tty from "node:tty"; tty.isatty = () => true; process.stdin.isTTY = true;`;

export function start(
  args: readonly string[],
  options: CliOptions = {},
): { readonly child: Process; readonly ended: Promise<Ended> } {
  const terminal =
    options.terminal === true ? ["--import", `data:text/javascript,${encodeURIComponent(believing)}`] : [];
  const child = spawn(process.execPath, [...terminal, cliPath, ...args], {
    cwd: options.cwd ?? "/",
    env: { PATH: process.env["PATH"] ?? "", ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit) => resolve({ exit, out, err }));
  });
  return { child, ended };
}

export async function said({ stderr }: Process, what: RegExp): Promise<void> {
  let text = "";
  await new Promise<void>((resolve) => {
    stderr.on("data", (piece: string) => {
      text += piece;
      if (what.test(text)) resolve();
    });
    stderr.once("end", () => resolve());
  });
}

export async function cli(args: readonly string[], options: CliOptions = {}): Promise<Ended> {
  const { child, ended } = start(args, options);
  child.stdin.end();
  return ended;
}

export async function temporary(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "edgewise-cli-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export async function sandboxProcess(...args: readonly string[]): Promise<{ readonly [name: string]: string }> {
  const { child, ended } = start(["sandbox", "-o", "json", ...args]);
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const line = await firstLine(child.stdout).catch(async () => {
    throw new Error(`the sandbox ended: ${(await ended).err}`);
  });
  const { baseUrl, apiKey } = JSON.parse(line) as { baseUrl: string; apiKey: string };
  return { EDGEWISE_BASE_URL: baseUrl, EDGEWISE_API_KEY: apiKey };
}
