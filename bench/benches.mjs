// The benches. Each returns rows: what, measured, compared with, ratio, goal, peak memory.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { longestChain, writeManifests, writeWorld } from "./account.mjs";
import { inTurn, measure, median } from "./measure.mjs";
import { cli, path, singleFile } from "./paths.mjs";
import { startService } from "./service.mjs";
import { serve, serveLoop, store } from "./serve.mjs";
import { sharedFleet } from "./shared-fleet.mjs";

const ms = (value) => (value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`);
const mib = (value) => `${Math.round(value)} MiB`;
const thousands = (count) => (count < 1000 ? String(count) : `${count / 1000}k`);
const caseOf = (name, ...args) => [path(`bench/cases/${name}.mjs`), ...args.map(String)];
const inner = async (name, ...args) => {
  const { mib: peak, stdout } = await measure(caseOf(name, ...args), { memory: true });
  return { ...JSON.parse(stdout), mib: peak };
};
const ratio = (a, b) => (a / b).toFixed(2);

/** Whole processes: Node alone, `--version`, and `validate` of five manifests, also with the program as one file. */
async function startup({ folder, rounds }) {
  writeManifests(folder, 5, 1);
  const [bare, version, validate, oneVersion, oneValidate] = await inTurn(
    rounds * 5,
    () => measure(["-e", "0"]),
    () => measure([cli, "--version"]),
    () => measure([cli, "validate"], { cwd: folder }),
    () => measure([singleFile, "--version"]),
    () => measure([singleFile, "validate"], { cwd: folder }),
  );
  const node = median(bare.map((run) => run.ms));
  const row = (what, runs, goal = "") => {
    const own = median(runs.map((run) => run.ms));
    return { what, measured: ms(own), against: `bare Node ${ms(node)}`, ratio: ratio(own, node), goal };
  };
  return [
    row("`--version`", version, "≤ 1.35"),
    row("`validate`, 5 manifests", validate, "≤ 2"),
    row("`--version` of the one file", oneVersion, "≤ 40 ms more"),
    row("`validate`, 5 manifests, of the one file", oneValidate),
  ];
}

/** Loading, compared with the YAML library alone; each in its own process, without Node's start. */
async function loading({ folder, quick, rounds }) {
  const rows = [];
  const sizes = quick
    ? [[1000, 100]]
    : [
        [1000, 100],
        [10_000, 500],
        [10_000, 10_000],
        [50_000, 500],
      ];
  for (const [count, perFile] of sizes) {
    writeManifests(folder, count, perFile);
    const [load, parse] = await inTurn(
      rounds,
      () => inner("load", folder),
      () => inner("parse-all", folder),
    );
    const own = median(load.map((run) => run.ms));
    const other = median(parse.map((run) => run.ms));
    const files = Math.ceil(count / perFile);
    rows.push({
      what: `load ${thousands(count)} manifests, ${files === 1 ? "one file" : `${files} files`}`,
      measured: ms(own),
      against: `parseAllDocuments ${ms(other)}`,
      ratio: ratio(own, other),
      goal: "≤ 0.7",
      peak: `${mib(median(load.map((run) => run.mib)))} (${mib(median(parse.map((run) => run.mib)))})`,
    });
  }
  return rows;
}

/**
 * The planner alone, with the rehearsal. Times come from a process that has run it before, as a service would; memory
 * comes from a process that runs it once.
 */
async function planner({ quick, rounds }) {
  const rows = [];
  for (const changed of [0, 1]) {
    let base = null;
    let read = Infinity;
    for (const count of quick ? [1000, 10_000] : [1000, 10_000, 100_000]) {
      const runs = [];
      for (let round = 0; round < rounds; round++)
        runs.push(await inner("plan", count, changed, count > 10_000 ? 2 : 5));
      const once = await inner("plan", count, changed, 1);
      if (count <= 10_000) read = Math.min(...runs.map((run) => run.readUs));
      const us = Math.min(...runs.map((run) => run.us));
      base ??= us;
      rows.push({
        what: `plan ${thousands(count)} in memory, ${changed === 1 ? "all changed" : "no change"}`,
        measured: `${us.toFixed(1)} µs each`,
        against: `at 1k ${base.toFixed(1)} µs each`,
        ratio: ratio(us, base),
        goal: changed === 0 && count === 10_000 ? "≤ 8 µs" : "linear",
        peak: mib(once.mib),
      });
    }
    if (changed === 0) {
      const what = "bring both sides of 10k to normal form first";
      rows.push({ what, measured: `${read.toFixed(1)} µs each`, against: "done while pages are on their way" });
    }
  }
  return rows;
}

/**
 * The whole command without changes, against a service in another process. It is compared with a program that only
 * follows the pages of the longest list, one request after the other.
 */
async function planCommand({ folder, quick, rounds }) {
  const rows = [];
  for (const count of quick ? [1000] : [5, 1000, 10_000]) {
    writeManifests(folder, count, 500);
    const data = join(folder, "world.json");
    for (const latency of [0, 50]) {
      writeWorld(data, count);
      const service = await startService({ data, latency });
      let results;
      try {
        results = await inTurn(
          rounds,
          () => measure([cli, "plan"], { cwd: folder, env: service.env, memory: true }),
          () => measure(caseOf("list"), { env: service.env }),
        );
      } finally {
        await service.close();
      }
      const [runs, chains] = results;
      if (!runs.every(({ stdout }) => /No changes/i.test(stdout))) throw new Error(runs[0].stdout);
      const own = median(runs.map((run) => run.ms));
      const chain = median(chains.map((run) => JSON.parse(run.stdout).ms));
      const pages = longestChain(count);
      const ideal = pages * latency;
      rows.push({
        what: `\`plan\` of ${thousands(count)}, no change, ${latency} ms latency`,
        measured: ms(own),
        against: `${pages} ${pages === 1 ? "page" : "pages"}${ideal === 0 ? "" : ` × ${latency} ms = ${ms(ideal)};`} nothing but reading them ${ms(chain)}`,
        ratio: ideal === 0 ? ratio(own, chain) : `${ratio(own, ideal)}; ${ratio(own, chain)}`,
        goal: count === 10_000 ? (latency === 0 ? "≤ 1.5 s, ≤ 250 MiB" : "≤ 1.1 × ideal") : "",
        peak: mib(median(runs.map((run) => run.mib))),
      });
    }
  }
  return rows;
}

/** Creating everything in an empty account: plan, writes, and the lists that verify them. */
async function applyCommand({ folder, quick, rounds }) {
  const count = quick ? 200 : 1000;
  const latency = 50;
  writeManifests(folder, count, 500);
  const runs = [];
  for (let round = 0; round < rounds; round++) {
    const service = await startService({ latency });
    try {
      runs.push(await measure([cli, "apply", "--auto-approve"], { cwd: folder, env: service.env, memory: true }));
    } finally {
      await service.close();
    }
  }
  const own = median(runs.map((run) => run.ms));
  const rows = Math.ceil(count / 8);
  const ideal = (1 + rows + longestChain(count)) * latency;
  return [
    {
      what: `\`apply\` of ${thousands(count)} creates, verified, ${latency} ms latency`,
      measured: ms(own),
      against: `(1 + ${count} ÷ 8 + ${longestChain(count)} pages) × ${latency} ms = ${ms(ideal)}`,
      ratio: ratio(own, ideal),
      goal: "≤ 1.15",
      peak: mib(median(runs.map((run) => run.mib))),
    },
  ];
}

/** The program's own estimate of how long changes take, at the rate limit of live services. */
async function scale({ quick }) {
  const rows = [];
  for (const count of quick ? [1000] : [1000, 10_000, 100_000]) {
    const { limited, unlimited } = await inner("estimate", count, 120);
    const duration = (seconds) => {
      if (seconds < 60) return `${Math.round(seconds)} s`;
      return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
    };
    rows.push({
      what: `estimate of ${thousands(count)} changes at 120 requests a minute`,
      measured: duration(limited),
      against: `no ceiling, 8 at a time, 200 ms each: ${duration(unlimited)}`,
    });
  }
  return rows;
}

/** What `serve` answers about a whole fleet, over HTTP. The first answer comes before anything is compiled. */
async function serveHttp({ quick, rounds }) {
  const rows = [];
  const asked = quick
    ? [[1000, "/api/stacks"]]
    : [
        [10_000, "/api/stacks"],
        [10_000, "/api/stacks?state=failed&limit=100"],
        [4999, "/metrics"],
        [10_000, "/metrics"],
      ];
  for (const [count, path] of asked) {
    const runs = [];
    for (let round = 0; round < rounds; round++) runs.push(await inner("serve-list", count, path));
    const first = median(runs.map((run) => run.first));
    rows.push({
      what: `GET ${path.replace("&", " & ")} of ${thousands(count)} stacks`,
      measured: ms(median(runs.map((run) => run.ms))),
      against: `the first time ${ms(first)}; ${Math.ceil(runs[0].bytes / 1024)} KiB`,
      goal: path === "/api/stacks" && !quick ? "≤ 300 ms" : "",
      peak: mib(median(runs.map((run) => run.mib))),
    });
  }
  return rows;
}

export const benches = {
  startup,
  loading,
  planner,
  plan: planCommand,
  apply: applyCommand,
  scale,
  store,
  serve,
  "serve-loop": serveLoop,
  "serve-http": serveHttp,
  fleet: sharedFleet,
};

/** A temporary folder for one bench. */
export function folderFor(parent, name) {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}
