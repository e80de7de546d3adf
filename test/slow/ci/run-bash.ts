import { spawn } from "node:child_process";

/** Runs a script as a runner does. The tests' own servers answer meanwhile. */
export async function runBash(
  run: string,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly status: number; readonly text: string }> {
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (piece) => (text += piece));
  const status = await new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? 1)));
  return { status, text };
}
