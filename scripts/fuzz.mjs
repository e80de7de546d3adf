// npm run fuzz: endless odd manifests, configurations, responses, plans, certificates and command lines.
// A run is wrong if it hangs, crashes, exits with an undocumented code, writes although it failed, shows a planted
// secret, prints JSON that breaks its schema, or changes a prototype that every object inherits.
//   --seconds S   total time (default 900)
//   --kind KIND   only this input
//   --seed N      the first seed (default 1): --kind KIND --seed N --seconds 1 replays a run
//   --write       writes the figures between the fuzz markers of docs/security.md, if that page exists
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { root } from "./sandbox.mjs";
import { buildValidators } from "./validators.mjs";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "900" },
    kind: { type: "string" },
    seed: { type: "string", default: "1" },
    write: { type: "boolean", default: false },
  },
});
for (const name of ["seconds", "seed"])
  if (!/^[1-9]\d{0,8}$/.test(values[name])) fail(`--${name} must be a whole number from 1`);

/** A run that takes longer counts as hanging: most take some milliseconds. */
const longestMs = 60_000;

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** Compiles the programs, and copies the files that they read beside them. */
function compile() {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [tsc, "-p", join(root, "scripts", "fuzz.tsconfig.json")], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
  const out = join(root, "node_modules", ".cache", "fuzz");
  writeFileSync(join(out, "package.json"), '{"type":"module","version":"0.0.0"}\n');
  rmSync(join(out, "schemas"), { force: true });
  symlinkSync(join(root, "schemas"), join(out, "schemas"));
  return join(out, "test", "slow", "fuzz", "support");
}

/** One worker process. Resolves with its results; `stuck` is the seed that hung. */
function work(program, kind, first, step, seconds) {
  return new Promise((done, failed) => {
    const args = [program, kind, first, step, seconds].map(String);
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    const result = { runs: 0, ends: {}, wrong: [], stuck: null };
    let began = 0;
    let seed = first;
    let seeds = 0;
    const watch = setInterval(() => {
      if (began === 0 || performance.now() - began < longestMs) return;
      result.stuck = seed;
      child.kill("SIGKILL");
    }, 1000);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const said = JSON.parse(line);
      if ("begins" in said) {
        seed = said.begins;
        seeds += 1;
        began = performance.now();
      } else if ("wrong" in said) result.wrong.push(said);
      else Object.assign(result, said);
    });
    child.on("error", failed);
    child.on("close", (code) => {
      clearInterval(watch);
      if (result.stuck === null && code !== 0) result.wrong.push({ seed, wrong: `the process ended with ${code}` });
      done({ ...result, runs: Math.max(result.runs, seeds), last: seed });
    });
  });
}

/** Runs seeds of a kind on every core until the time is over. A worker that hangs or dies is replaced. */
async function fuzzKind(program, kind, seconds) {
  const workers = availableParallelism();
  const until = performance.now() + seconds * 1000;
  const all = { runs: 0, ends: {}, wrong: [] };
  const lane = async (first) => {
    for (let next = first; ;) {
      const left = (until - performance.now()) / 1000;
      if (left <= 0 && next !== first) return;
      const { ends, last, runs, stuck, wrong } = await work(program, kind, next, workers, Math.max(0.1, left));
      all.runs += runs;
      for (const [exit, count] of Object.entries(ends)) all.ends[exit] = (all.ends[exit] ?? 0) + count;
      all.wrong.push(...wrong);
      if (stuck !== null) all.wrong.push({ seed: stuck, wrong: `no end after ${longestMs / 1000} s` });
      next = last + workers;
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, index) => lane(Number(values.seed) + index)));
  return all;
}

function table(all) {
  const rows = Object.entries(all).map(([kind, { ends, runs, wrong }]) => {
    const exits = Object.entries(ends).map(([exit, count]) => `${exit}: ${count.toLocaleString("en")}`);
    return `| ${kind} | ${runs.toLocaleString("en")} | ${exits.join(", ")} | ${wrong.length} |`;
  });
  const total = Object.values(all).reduce((sum, { runs }) => sum + runs, 0);
  const head = ["| input | runs | ended with exit code | found wrong |", "|---|---|---|---|"];
  return [...head, ...rows, `| all | ${total.toLocaleString("en")} | | |`].join("\n");
}

await buildValidators();
const support = compile();
const { fuzzKinds } = await import(pathToFileURL(join(support, "fuzz-kinds.js")).href);
if (values.kind !== undefined && !fuzzKinds.includes(values.kind))
  fail(`--kind must be one of ${fuzzKinds.join(", ")}`);
const kinds = values.kind === undefined ? fuzzKinds : [values.kind];
const all = {};
for (const kind of kinds) {
  all[kind] = await fuzzKind(join(support, "worker.js"), kind, Number(values.seconds) / kinds.length);
  for (const { seed, wrong } of all[kind].wrong)
    console.log(`WRONG: ${wrong}\n  npm run fuzz -- --kind ${kind} --seed ${seed} --seconds 1`);
  console.log(`${kind}: ${all[kind].runs} runs, ${all[kind].wrong.length} wrong`);
}
console.log(`\n${table(all)}`);
const failures = Object.values(all).reduce((sum, { wrong }) => sum + wrong.length, 0);
if (failures > 0) process.exitCode = 1;
const page = join(root, "docs", "security.md");
if (values.write && failures === 0 && existsSync(page)) {
  const text = readFileSync(page, "utf8");
  const block = /(<!-- fuzz:begin -->\n)[\s\S]*?(<!-- fuzz:end -->)/;
  if (!block.test(text)) fail(`${page} has no place for the figures`);
  writeFileSync(
    page,
    text.replace(block, (_, start, end) => `${start}\n${table(all)}\n\n${end}`),
  );
}
