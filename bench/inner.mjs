// Runs the cases: programs of their own, each for one measurement.
import { measure } from "./measure.mjs";
import { path } from "./paths.mjs";

/** The arguments of Node that run a case. */
export const caseOf = (name, ...args) => [path(`bench/cases/${name}.mjs`), ...args.map(String)];

/** Runs a case in a process of its own. @returns what it printed as JSON, with the peak memory of its process */
export async function inner(name, ...args) {
  const { cpuMs, mib, ms, stdout } = await measure(caseOf(name, ...args), { memory: true });
  return { ...JSON.parse(stdout), mib, wholeMs: ms, wholeCpuMs: cpuMs };
}
