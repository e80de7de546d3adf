// Runs a command as a whole process, and measures time and memory.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const peak = fileURLToPath(new URL("peak.cjs", import.meta.url));

/**
 * @param args of node
 * @param options `cwd`, `env`, `memory`: whether to measure memory and cores
 * @returns wall time in ms, peak memory in MiB, time of its cores in ms, and what it printed
 */
export async function measure(args, { cwd, env = {}, memory = false } = {}) {
  const from = performance.now();
  const child = spawn(process.execPath, memory ? ["--require", peak, ...args] : args, {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const texts = await Promise.all([1, 2, 3].map((fd) => textOf(child.stdio[fd])));
  const code = child.exitCode ?? (await new Promise((done) => child.once("close", done)));
  const ms = performance.now() - from;
  const [stdout, stderr, used] = texts;
  const [kibibytes, cpuMs] = used.split(" ").map(Number);
  if (code !== 0) throw new Error(`${args.join(" ")}: exit code ${code}\n${stderr}${stdout}`);
  return { ms, mib: kibibytes / 1024, cpuMs, stdout };
}

async function textOf(stream) {
  let text = "";
  for await (const part of stream) text += part;
  return text;
}

/** The median of some numbers. */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * Runs several things in turn, A B A B …, so that a machine whose speed varies is fair to all of them.
 * @returns the results of each, in the order of the rounds
 */
export async function inTurn(rounds, ...things) {
  const results = things.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, thing] of things.entries()) results[index].push(await thing());
  }
  return results;
}
