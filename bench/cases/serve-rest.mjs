// The loop of `serve` in this process, over a fleet of which nothing differs, until every stack was looked at once and then
// three times more. Prints how long its core works for a look: the first, and later ones.
import { createServeLoop } from "../../dist/serve/serve-loop.js";
import { guarded } from "../../dist/commands/support/io.js";
import { openServeParts } from "../../dist/commands/support/serve-parts.js";
import { systemClock } from "../../dist/api/system-clock.js";

const [file, state, count] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const nothing = () => {};
const io = guarded({
  stdout: nothing,
  stderr: (text) => process.stderr.write(text),
  env: process.env,
  cwd: process.cwd(),
  stdinIsTerminal: false,
  stdoutIsTerminal: false,
  stderrIsTerminal: false,
  color: false,
  stderrColor: false,
  ask: async () => "",
  onSignal: () => nothing,
  onHangup: () => nothing,
  now: Date.now,
});
const clock = { now: Date.now, sleep: (ms, signal) => systemClock.sleep(ms, signal) };
const stop = new AbortController();
const cpuMs = () => {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1000;
};

let looks = 0;
let other = 0;
let first = null;
let rest = null;
const log = (event) => {
  if (event.event === "source-failed" || event.event === "bug") throw new Error(event.message);
  if (event.event !== "stack-looked") return;
  if (event.state !== "synced") other += 1;
  looks += 1;
  if (looks === count) first = { cpuMs: cpuMs(), at: performance.now() };
  if (looks !== 4 * count) return;
  rest = { cpuMs: cpuMs() - first.cpuMs, ms: performance.now() - first.at };
  stop.abort();
};

const parts = await openServeParts({ file, flags: { state }, io, clock, log });
const from = { cpuMs: cpuMs(), at: performance.now() };
const loop = await createServeLoop(parts.fleet, parts.deps);
await loop.run({ stop: stop.signal, hardStop: new AbortController().signal });
await parts.close();
if (other > 0) throw new Error(`${other} looks found something else than a stack in sync`);
console.log(
  JSON.stringify({
    first: (first.cpuMs - from.cpuMs) / count,
    firstMs: first.at - from.at,
    rest: rest.cpuMs / (3 * count),
    restMs: rest.ms / 3,
  }),
);
