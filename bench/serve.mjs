// The benches of the continuous reconciler: its state directory, and whole passes over many stacks at rest.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFleet, writeFleetWorld, writeRepository } from "./fleet.mjs";
import { atLeast, atMost, mib, ms, perSecond, thousands } from "./format.mjs";
import { measure, median } from "./measure.mjs";
import { cli, path } from "./paths.mjs";
import { startService, startServices } from "./service.mjs";

/** The program that serves: another build, to compare with. */
const program = process.env["BENCH_PROGRAM"] ?? cli;

/** With 10,000 stacks a round takes minutes. */
const roundsFor = (count, rounds) => (count === 10_000 ? 1 : rounds);
const roundsShown = (count, rounds) => (count === 10_000 && rounds > 1 ? ", one round" : "");

/** At least a hundred looks a second and core; with 10,000 stacks in no more than 400 MB. */
const goals = (count, looks, peak) => [
  atLeast(looks, 100),
  ...(count === 10_000 ? [atMost(peak * 1.048576, 400, "≤ 400 MB")] : []),
];

/** The state directory alone. */
export async function store({ folder, quick, rounds }) {
  const count = quick ? 1000 : 10_000;
  const runs = [];
  for (let round = 0; round < rounds; round++) {
    rmSync(join(folder, "state"), { recursive: true, force: true });
    const { mib: peak, stdout } = await measure([path("bench/cases/store.mjs"), folder, String(count)], {
      memory: true,
    });
    runs.push({ ...JSON.parse(stdout), peak });
  }
  const of = (name) => median(runs.map((run) => run[name]));
  const what = `state of ${thousands(count)} stacks`;
  return [
    { what: `${what}: save each, 8 at once`, measured: perSecond(count, of("save")), peak: mib(of("peak")) },
    { what: `${what}: save each, one after the other`, measured: perSecond(count, of("saveAgain")) },
    { what: `${what}: load`, measured: ms(of("load")) },
    { what: "one history entry for each of them", measured: perSecond(count, of("append")) },
    {
      what: "history of one stack with 2,160 entries: first page of 100",
      measured: ms(of("firstPage")),
      against: `all ${runs[0].pages} pages ${ms(of("allPages"))}; of a stack with one entry ${ms(of("quietPage"))}`,
    },
    { what: "ask whether the state directory is still held", measured: `${of("held").toFixed(0)} µs` },
  ];
}

/** `serve --once` over stacks of which nothing differs: the first looks, and looks of a process that has been there. */
export async function serve({ folder, quick, rounds }) {
  const rows = [];
  for (const count of quick ? [200] : [1000, 10_000]) {
    const repository = writeRepository(folder, count);
    const data = join(folder, "world.json");
    writeFleetWorld(data, count);
    const service = await startService({ data, latency: 0 });
    const first = [];
    const again = [];
    try {
      const fleet = writeFleet(folder, repository, [service.env]);
      const state = join(folder, "state");
      const once = () => measure([program, "serve", fleet, "--once", "--state", state], { cwd: folder, memory: true });
      for (let round = 0; round < roundsFor(count, rounds); round++) {
        rmSync(state, { recursive: true, force: true });
        first.push(await once());
        again.push(await once());
        // Otherwise it may be fast because it did nothing.
        const seen = readdirSync(join(state, "stacks")).filter((name) => name.endsWith(".json")).length;
        if (seen !== count) throw new Error(`${seen} of ${count} stacks were looked at\n${again.at(-1).stdout}`);
      }
    } finally {
      await service.close();
    }
    const row = (what, runs) => {
      const cpu = median(runs.map((run) => run.cpuMs));
      const peak = median(runs.map((run) => run.mib));
      return {
        what: `\`serve --once\`, ${thousands(count)} stacks at rest, ${what}${roundsShown(count, rounds)}`,
        measured: `${perSecond(count, cpu)} and core`,
        against: `${ms(median(runs.map((run) => run.ms)))} in all, start and fetch included`,
        goal: goals(count, (count / cpu) * 1000, peak),
        peak: mib(peak),
      };
    };
    rows.push(row("first looks", first), row("once more", again));
  }
  return rows;
}

/** The loop in one process, which has been there before: one account with all stacks, and many with a hundred each. */
export async function serveLoop({ folder, quick, rounds }) {
  const rows = [];
  const fleets = quick
    ? [[1, 1000]]
    : [
        [1, 1000],
        [100, 10_000],
      ];
  for (const [accounts, count] of fleets) {
    const repository = writeRepository(folder, count);
    const files = Array.from({ length: accounts }, (_, index) => {
      const file = join(folder, `world-${index}.json`);
      writeFleetWorld(file, count / accounts, (index * count) / accounts);
      return file;
    });
    const services = await startServices(files);
    const runs = [];
    try {
      const fleet = writeFleet(folder, repository, services.environments, { interval: "1s" });
      for (let round = 0; round < roundsFor(count, rounds); round++) {
        const state = join(folder, "state");
        rmSync(state, { recursive: true, force: true });
        const args = [path("bench/cases/serve-rest.mjs"), fleet, state, String(count)];
        const { mib: peak, stdout } = await measure(args, { cwd: folder, memory: true });
        runs.push({ ...JSON.parse(stdout), peak });
      }
    } finally {
      await services.close();
    }
    const of = (name) => median(runs.map((run) => run[name]));
    const what = `the loop, ${thousands(count)} stacks at rest in ${accounts === 1 ? "one account" : `${accounts} accounts`}${roundsShown(count, rounds)}`;
    rows.push({
      what,
      measured: `${perSecond(1, of("rest"))} and core`,
      against: `first looks ${perSecond(1, of("first"))} and core; a round of all ${ms(of("restMs"))}`,
      goal: goals(count, 1000 / of("rest"), of("peak")),
      peak: mib(of("peak")),
    });
  }
  return rows;
}
