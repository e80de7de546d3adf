// Runs whole processes, and measures their time and memory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A file of this repository. */
export const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
/** The program of the package. */
export const cli = path("dist/bin/edgewise.js");
/** The program as one file, for repositories. */
export const singleFile = path("dist/edgewise.mjs");

/**
 * Runs Node with some arguments.
 * @returns wall time in ms, peak memory in MiB
 */
export async function measure(args, { cwd, env } = {}) {
  const from = performance.now();
  const { ended } = start(args, { cwd, env });
  const { code, mib, said } = await ended;
  if (code !== 0) throw new Error(`${args.join(" ")}: exit code ${code}\n${said}`);
  return { ms: performance.now() - from, mib, said };
}

/** Starts Node with some arguments. `ended` gives the exit code, the peak memory in MiB and what was printed. */
export function start(args, { cwd, env } = {}) {
  const child = spawn(process.execPath, ["--require", path("bench/peak.cjs"), ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const stop = () => child.kill("SIGKILL");
  process.once("exit", stop);
  let said = "";
  let kibibytes = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  child.stdio[3].setEncoding("utf8").on("data", (text) => (kibibytes += text));
  const ended = once(child, "close").then(([code]) => {
    process.off("exit", stop);
    return { code, mib: Number(kibibytes) / 1024, said };
  });
  return { child, ended, said: () => said };
}

/**
 * Starts sandboxes, one for each data file, in one process of their own ("-" = an empty one).
 * @returns the environments that commands need to reach them, and a function that ends them
 */
export async function startService(latency, ...files) {
  const { child, ended } = start([path("bench/service.mjs"), String(latency), ...files]);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const environments = JSON.parse(line).map(({ apiKey, baseUrl }) => ({
    EDGEWISE_API_KEY: apiKey,
    EDGEWISE_BASE_URL: baseUrl,
  }));
  const close = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { environments, close };
}

/** The value that this share of some numbers doesn't exceed. */
export function quantile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/**
 * Measures several things in turn, A B A B …, so that a machine whose speed varies is fair to all of them.
 * @returns the median time and peak memory of each
 */
export async function inTurn(rounds, ...things) {
  const results = things.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, thing] of things.entries()) results[index].push(await thing());
  return results.map((runs) => ({
    ms: quantile(
      runs.map(({ ms }) => ms),
      0.5,
    ),
    mib: quantile(
      runs.map(({ mib }) => mib),
      0.5,
    ),
  }));
}
