/**
 * What NODE_OPTIONS preloads into the program: its waits are shorter and its clocks faster by the same factor.
 * @param from the time from which on that is so, the same for all processes of a run
 */
export function hurried(haste: number, from: number): string {
  const program = `import timers from "node:timers/promises";
import { syncBuiltinESMExports } from "node:module";
const [now, wall] = [performance.now.bind(performance), Date.now];
for (const name of ["setTimeout", "setInterval"]) {
  const slow = globalThis[name];
  globalThis[name] = (what, ms = 0, ...rest) => slow(what, ms / ${haste}, ...rest);
}
const sleep = timers.setTimeout;
timers.setTimeout = (ms = 0, ...rest) => sleep(ms / ${haste}, ...rest);
syncBuiltinESMExports();
performance.now = () => now() * ${haste};
Date.now = () => Math.round(${from} + (wall() - ${from}) * ${haste});`;
  return `--import=data:text/javascript,${encodeURIComponent(program)}`;
}
