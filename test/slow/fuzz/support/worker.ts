import { fuzz } from "./fuzz-kinds.ts";
import { Ground } from "./ground.ts";

// `worker KIND FIRST-SEED STEP SECONDS`: runs every STEP-th seed from the first one until the time is over.
// It reports each seed that it starts, so that the parent knows which one hangs.
const [kind = "", first = "1", step = "1", seconds = "10"] = process.argv.slice(2);
const say = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

let seed = Number(first);
for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (error: unknown) => say({ seed, wrong: `nobody caught ${String(error)}` }));

const ground = await Ground.open();
const until = performance.now() + Number(seconds) * 1000;
let runs = 0;
for (; performance.now() < until; seed += Number(step)) {
  say({ begins: seed });
  const wrong = await fuzz(kind, seed, ground).catch((error: unknown) => [
    `the fuzzer failed: ${String(error instanceof Error ? error.stack : error)}`,
  ]);
  for (const what of wrong) say({ seed, wrong: what });
  runs += 1;
}
await ground.close();
say({ runs, ends: Object.fromEntries(ground.ends) });
process.exit(0);
