import { noFigures } from "./figures.ts";
import { runKinds } from "./run-kinds.ts";

// `worker KIND FIRST-SEED STEP RUNS SECONDS`: runs every STEP-th seed from the first one until the time is over.
const [kind = "", first = "1", step = "1", runs = "1", seconds = "60"] = process.argv.slice(2);
const run = Object.entries(runKinds).find(([name]) => name === kind)?.[1];
if (run === undefined) throw new Error(`there is no kind of run called "${kind}"`);

const until = performance.now() + Number(seconds) * 1000;
const figures = noFigures();
const wrong: { readonly seed: number; readonly what: string }[] = [];
let made = 0;
const report = (seed: number, what: string): void => {
  wrong.push({ seed, what });
  // At once: a long chaos that is cut off must not lose what it has found.
  console.error(`seed ${seed}: ${what}`);
};
process.on("uncaughtException", (error) => report(0, `an error that nothing caught: ${error.stack ?? error.message}`));
const lane = async (): Promise<void> => {
  while (made < Number(runs) && performance.now() < until) {
    const seed = Number(first) + made * Number(step);
    made += 1;
    for (const what of await run(seed, figures)) report(seed, what);
  }
};
// What mostly waits, for another one's lock or until a dead one's requests can't arrive, leaves the processor to others.
const lanes: { readonly [kind: string]: number } = { locked: 8 };
await Promise.all(Array.from({ length: lanes[kind] ?? 1 }, lane));
process.stdout.write(`${JSON.stringify({ figures, wrong })}\n`);
