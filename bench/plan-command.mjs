// The whole `plan` without changes, against a service in another process, beside what no program can do without.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { longestChain, writeManifests, writeWorld } from "./account.mjs";
import { untilFirstRequest } from "./first-request.mjs";
import { atMost, mib, ms, thousands } from "./format.mjs";
import { caseOf } from "./inner.mjs";
import { inTurn, measure, median } from "./measure.mjs";
import { mixedChain, writeMixed, writeMixedWorld } from "./mixed-account.mjs";
import { cli } from "./paths.mjs";
import { startService } from "./service.mjs";

const wall = (runs) => median(runs.map((run) => run.ms));

/**
 * Plans an account that is as its manifests say, in turn with a bare reader: a program that only follows the pages of all
 * lists.
 * @returns a row; its ratios are to the ideal, which is the longest chain of pages at the service's latency
 */
async function planned({ folder, data, latency, rounds, what, pages, goalOf = () => [] }) {
  const service = await startService({ data, latency });
  let results;
  try {
    results = await inTurn(
      rounds,
      () => measure([cli, "plan"], { cwd: folder, env: service.env, memory: true }),
      () => measure(caseOf("bare-reader"), { env: service.env }),
    );
  } finally {
    await service.close();
  }
  const [runs, readers] = results;
  if (!runs.every(({ stdout }) => /No changes/i.test(stdout))) throw new Error(runs[0].stdout);
  const own = wall(runs);
  const reader = wall(readers);
  const chain = median(readers.map((run) => JSON.parse(run.stdout).ms));
  const ideal = pages * latency;
  const peak = median(runs.map((run) => run.mib));
  const to = (floor) => (value) => (value / floor).toFixed(3);
  const sizes = `${pages} ${pages === 1 ? "page" : "pages"}`;
  const floors = `bare reader ${ms(reader)}, its chain alone ${ms(chain)}`;
  return {
    what: `${what}, ${latency} ms latency`,
    measured: ms(own),
    against: ideal === 0 ? `${sizes}; ${floors}` : `${sizes} × ${latency} ms = ${ms(ideal)}; ${floors}`,
    ratio:
      ideal === 0
        ? `${to(reader)(own)} × the bare reader`
        : `${to(ideal)(own)} (bare reader ${to(ideal)(reader)}, chain ${to(ideal)(chain)})`,
    goal: goalOf({ own, ideal, peak }),
    peak: mib(peak),
  };
}

/** Plans with remembered pages: the first run remembers them. Requests are counted at the service. */
async function withPageCache({ folder, data, rounds, what, pages, allPages, goalOf }) {
  const help = await measure([cli, "plan", "--help"]);
  if (!help.stdout.includes("--page-cache")) return [];
  const latency = 50;
  const cache = join(folder, "pages.json");
  rmSync(cache, { force: true });
  const service = await startService({ data, latency });
  const plan = () => measure([cli, "plan", "--page-cache", cache], { cwd: folder, env: service.env, memory: true });
  const runs = [];
  const requests = [];
  try {
    await plan();
    readFileSync(cache);
    for (let round = 0; round < rounds; round++) {
      const before = await service.requests();
      runs.push(await plan());
      requests.push((await service.requests()) - before);
    }
  } finally {
    await service.close();
  }
  if (!runs.every(({ stdout }) => /No changes/i.test(stdout))) throw new Error(runs[0].stdout);
  const own = wall(runs);
  const ideal = pages * latency;
  const most = Math.max(...requests);
  return [
    {
      what: `${what}, ${latency} ms latency, remembered pages`,
      measured: `${ms(own)}, ${most} requests at most`,
      against: `${pages} pages one after the other × ${latency} ms = ${ms(ideal)}; ${allPages} pages in all lists`,
      ratio: (own / ideal).toFixed(3),
      goal: [...goalOf({ own, ideal }), atMost(most, allPages + 3, "requests ≤ pages + 3")],
      peak: mib(median(runs.map((run) => run.mib))),
    },
  ];
}

/** The first request: how long after the start of the process. */
async function firstRequest({ folder, rounds, what }) {
  const bareClient = `require("node:http").get(process.env.EDGEWISE_BASE_URL)`;
  const [own, bare] = await inTurn(
    rounds * 3,
    () => untilFirstRequest([cli, "plan"], { cwd: folder }),
    () => untilFirstRequest(["-e", bareClient]),
  );
  const [ownMs, bareMs] = [median(own), median(bare)];
  return {
    what: `first request of ${what}`,
    measured: ms(ownMs),
    against: `bare Node ${ms(bareMs)}`,
    ratio: (ownMs / bareMs).toFixed(2),
    goal: atMost(ownMs, 90, "≤ 90 ms"),
  };
}

export async function planCommand({ folder, quick, rounds }) {
  const rows = [];
  const data = join(folder, "world.json");
  for (const count of quick ? [1000] : [5, 1000, 10_000]) {
    const account = join(folder, "account");
    writeManifests(account, count, 500);
    const what = `\`plan\` of ${thousands(count)}`;
    const pages = longestChain(count);
    rows.push(await firstRequest({ folder: account, rounds, what }));
    for (const latency of [0, 50]) {
      writeWorld(data, count);
      const goalOf = ({ own, ideal, peak }) => {
        if (count < 10_000) return [];
        if (latency > 0) return [atMost(own / ideal, 1.08, "≤ 1.08 × ideal")];
        return [atMost(own, 1500, "≤ 1.5 s"), atMost(peak, 250, "≤ 250 MiB")];
      };
      rows.push(await planned({ folder: account, data, latency, rounds, what, pages, goalOf }));
    }
    if (count >= 1000) {
      // Three of the five lists are empty, and an empty list has a page, too.
      const allPages = pages + Math.ceil(count / 5 / 100) + 3;
      // The start of the process alone is a quarter of eight pages.
      const goalOf = ({ own, ideal }) => (count < 10_000 ? [] : [atMost(own / ideal, 0.25, "≤ 0.25 × ideal")]);
      rows.push(...(await withPageCache({ folder: account, data, rounds, what, pages, allPages, goalOf })));
    }
  }
  const count = quick ? 500 : 10_000;
  const mixed = join(folder, "mixed");
  await writeMixed(mixed, count);
  await writeMixedWorld(data, mixed);
  for (const latency of [0, 50]) {
    const what = `\`plan\` of the mixed account of ${thousands(count)}`;
    rows.push(await planned({ folder: mixed, data, latency, rounds, what, pages: mixedChain(count) }));
  }
  return rows;
}
