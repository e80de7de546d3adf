// The bench of a fleet on PostgreSQL: many stacks over a service that is nothing but a pause, with the real loops, stores
// and database; and fewer with whole processes, repositories and services.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { writeFleet, writeFleetWorld, writeRepository } from "./fleet.mjs";
import { atMost, mib, ms, thousands } from "./format.mjs";
import { cli, path } from "./paths.mjs";
import { startPostgres } from "./postgres.mjs";
import { startServices } from "./service.mjs";

const seconds = (value) => `${(value / 1000).toFixed(1)} s`;
const bytes = (value) => `${Math.round(value)} bytes`;
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

function quantile(numbers, share) {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

const withinP95 = (numbers) => atMost(quantile(numbers, 0.95), 20, "p95 ≤ 20 ms");
const spread = (numbers) => {
  const [half, most, all] = [0.5, 0.95, 1].map((share) => ms(quantile(numbers, share)));
  return `p50 ${half}, p95 ${most}, max ${all} (${numbers.length} of them)`;
};

/** Both fleets, one after the other, each on a server of its own. */
export async function sharedFleet({ folder, quick }) {
  return [...(await simulated(quick)), ...(await real(folder, quick))];
}

async function withDatabase(work) {
  const database = await startPostgres();
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function simulated(quick) {
  const size = quick
    ? { accounts: 40, each: 50, workers: 2, intervalMs: 4000, windowMs: 4000 }
    : { accounts: 2000, each: 50, workers: 4, intervalMs: 120_000, windowMs: 60_000 };
  const { accounts, each, intervalMs, windowMs, workers } = size;
  const count = accounts * each;
  return await withDatabase(async (database) => {
    const options = { url: database.url, accounts, each, intervalMs, passMs: 5 };
    const worker = path("bench/cases/fleet-worker.mjs");
    const start = (more) => fork(worker, [JSON.stringify({ ...options, ...more })]);
    const running = Array.from({ length: workers }, () => start({}));
    try {
      const began = performance.now();
      await until(async () => (await rows(database)) === count);
      const firstMs = performance.now() - began;
      await pause(1.2 * intervalMs);
      const before = await databaseState(database);
      for (const each of running) each.send({ mark: true });
      await pause(windowMs);
      const reports = await Promise.all(running.map((each) => ask(each, { report: true }, "report")));
      const after = await databaseState(database);
      const taken = await takeover(start({ hold: true }), running);
      return simulatedRows({
        ...size,
        count,
        firstMs,
        before,
        after,
        taken,
        reports: reports.map((each) => each.report),
      });
    } finally {
      for (const each of running) if (each.connected) each.send({ stop: true });
      await Promise.all(running.map(ended));
    }
  });
}

function simulatedRows({ accounts, after, before, count, firstMs, intervalMs, reports, taken, workers }) {
  const problems = reports.flatMap((report) => report.problems);
  if (problems.length > 0) throw new Error(`${problems.length} problems: ${problems[0]}`);
  const all = (name) => reports.flatMap((report) => report[name]);
  const looks = sum(reports.map((report) => report.looks));
  const second = reports[0].ms / 1000;
  const cores = sum(reports.map((report) => report.cpuMs / report.ms));
  const asked = sum(reports.map((report) => report.asked));
  const passes = all("finish").length;
  const idle = sum(reports.map((report) => report.idle));
  const per = (name) => (after[name] - before[name]) / looks;
  const what = `fleet of ${thousands(count)} stacks in ${accounts} accounts, ${workers} processes`;
  const peak = mib(Math.max(...reports.map((report) => report.maxMiB)));
  const oldest = Math.max(...reports.map((report) => report.intervals ?? Infinity));
  const fsync = `one fsync of this disk takes ${ms(after.fsync[0])}, p95 ${ms(after.fsync[1])}`;
  return [
    {
      what: `${what}: looks, each stack every ${intervalMs / 1000} s`,
      measured: `${Math.round(looks / second)} a second`,
      against: `all processes ${cores.toFixed(2)} cores; of first looks ${Math.round((count / firstMs) * 1000)} a second`,
      peak,
    },
    { what: `${what}: claims`, measured: spread(all("claim")), against: fsync, goal: withinP95(all("claim")) },
    {
      what: `${what}: saves and release after a pass`,
      measured: spread(all("finish")),
      goal: withinP95(all("finish")),
    },
    {
      what: `${what}: oldest look`,
      measured: `${oldest.toFixed(2)} intervals`,
      against: `accounts asked for ${asked}, passed ${passes}, claimed in vain ${idle}`,
      goal: atMost(oldest, 1.5),
    },
    {
      what: `${what}: what others changed, once a second`,
      measured: spread(all("changes")),
      against: `${Math.round(sum(reports.map((report) => report.changed)) / all("changes").length)} stacks each`,
    },
    {
      what: `${what}: another process loads all`,
      measured: seconds(taken.loadMs),
      peak: mib(taken.rssMiB),
    },
    {
      what: `${what}: accounts of a killed process are looked at`,
      measured: `the last of ${taken.after.length} after ${ms(Math.max(...taken.after))}`,
      against: `the first after ${ms(Math.min(...taken.after))}`,
      goal: atMost(Math.max(...taken.after), 2000, "≤ 2 s"),
    },
    {
      what: `${what}: database`,
      measured: `${mib(after.size / 2 ** 20)}; a stack ${bytes(after.stackBytes / count)} with its index, its row ${bytes(after.rowBytes)}`,
      against: `a look: ${bytes(per("wal"))} of WAL, ${per("transactions").toFixed(2)} transactions; an entry of history ${bytes(after.entryBytes)}; ${after.connections} connections`,
    },
  ];
}

/** Kills a process that holds accounts. @returns how long until others look at each of them */
async function takeover(holder, others) {
  const all = [];
  holder.on("message", (message) => message.held !== undefined && all.push(message.held));
  const [loaded] = await once(holder, "message");
  await until(async () => all.length >= 4);
  // It may get more until it ends.
  const held = [...all];
  const looked = new Map();
  for (const each of others) {
    each.on("message", ({ at, looked: name }) => {
      if (name !== undefined && !looked.has(name)) looked.set(name, at);
    });
    each.send({ watch: held });
  }
  await pause(200);
  const killed = Date.now();
  holder.kill("SIGKILL");
  await until(async () => held.every((name) => looked.has(name)));
  return { ...loaded, after: held.map((name) => looked.get(name) - killed) };
}

async function real(folder, quick) {
  const size = quick
    ? { accounts: 4, each: 50, workers: 2, interval: 4, windowMs: 4000 }
    : { accounts: 200, each: 50, workers: 4, interval: 60, windowMs: 60_000 };
  const { accounts, each, interval, windowMs, workers } = size;
  const count = accounts * each;
  const repository = writeRepository(folder, count, each);
  const files = Array.from({ length: accounts }, (_, index) => {
    const file = join(folder, `world-${index}.json`);
    writeFleetWorld(file, each, index * each, each);
    return file;
  });
  const services = await startServices(files);
  try {
    const fleet = writeFleet(folder, repository, services.environments, { interval: `${interval}s`, each });
    return await withDatabase(async (database) => {
      const running = await Promise.all(Array.from({ length: workers }, () => startServe(fleet, database.url, folder)));
      let seen;
      const began = performance.now();
      try {
        await until(async () => (await unlooked(database)) === 0 && (await rows(database)) === count);
        const firstMs = performance.now() - began;
        await pause(1.2 * interval * 1000);
        seen = await watch(database, running, windowMs);
        seen.firstMs = firstMs;
        const [{ problems }] = await database.query(
          `select count(*)::int as problems from edgewise.stack where head::json->'status'->>'state' <> 'synced'`,
        );
        if (problems > 0) throw new Error(`${problems} looks found something else than a stack in sync`);
      } finally {
        for (const { child } of running) child.kill("SIGTERM");
        await Promise.all(running.map(({ child }) => ended(child)));
      }
      const ends = running.map(({ used }) => JSON.parse(used()));
      return realRows({ ...size, count, ...seen, ends });
    });
  } finally {
    await services.close();
  }
}

function realRows({ accounts, count, ends, firstMs, from, interval, oldestMs, pages, workers }) {
  const what = `fleet of ${thousands(count)} stacks in ${accounts} accounts, ${workers} times \`serve --database\``;
  const claims = ends.flatMap((end) => end.claims).filter(({ at }) => at >= from);
  const peak = Math.max(...ends.map((end) => end.maxRSS / 1024));
  return [
    {
      what: `${what}: claims`,
      measured: spread(claims.map((claim) => claim.ms)),
      against: `first looks at all ${seconds(firstMs)}, start and fetch included`,
      goal: [withinP95(claims.map((claim) => claim.ms)), atMost(peak * 1.048576, 400, "≤ 400 MB")],
      peak: mib(peak),
    },
    {
      what: `${what}: oldest look`,
      measured: `${(oldestMs / 1000 / interval).toFixed(2)} intervals of ${interval} s`,
      goal: atMost(oldestMs / 1000 / interval, 1.5),
    },
    ...Object.entries(pages).map(([page, times]) => ({
      what: `${what}: GET ${page}`,
      measured: spread(times),
      goal: atMost(Math.max(...times), 300, "≤ 300 ms"),
    })),
  ];
}

/** Starts `serve --database`. @returns when it listens: its address, and what it used, once it has ended */
async function startServe(fleet, url, cwd) {
  const args = ["--import", path("bench/claim-times.mjs"), cli, "serve", fleet, "--listen", "127.0.0.1:0"];
  const child = spawn(process.execPath, [...args, "--log-format", "json"], {
    cwd,
    env: { ...process.env, EDGEWISE_DATABASE: url, NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  let used = "";
  child.stdio[3].on("data", (text) => (used += text));
  const address = await new Promise((resolve, reject) => {
    let said = "";
    createInterface({ input: child.stderr }).on("line", (line) => {
      said = `${said}${line}\n`.slice(-2000);
      const found = /"url":"(http:[^"]+)"/.exec(line);
      if (found !== null) resolve(found[1]);
    });
    child.once("exit", (code) => reject(new Error(`serve ended with ${code}: ${said}`)));
  });
  return { child, address, used: () => used };
}

/** How old looks get, and how long pages take, for so long. */
async function watch(database, running, windowMs) {
  const from = Date.now();
  const pages = { "/": [], "/metrics": [] };
  let oldestMs = 0;
  for (let turn = 0; Date.now() < from + windowMs; turn += 1) {
    const [{ age }] = await database.query(
      `select extract(epoch from clock_timestamp()) * 1000 - min((head::json->'status'->>'lookedAt')::float8) as age
        from edgewise.stack`,
    );
    oldestMs = Math.max(oldestMs, Number(age));
    const { address } = running[turn % running.length];
    for (const page of Object.keys(pages)) {
      const asked = performance.now();
      const answer = await fetch(new URL(page, address));
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${page}: ${answer.status}`);
      pages[page].push(performance.now() - asked);
    }
    await pause(1000);
  }
  return { from, oldestMs, pages };
}

/** How many stacks were ever looked at; the first process makes the table. */
async function rows({ query }) {
  const [{ made }] = await query("select to_regclass('edgewise.stack') is not null as made");
  if (!made) return 0;
  const [{ count }] = await query("select count(*)::int as count from edgewise.stack");
  return count;
}

async function unlooked(database) {
  if ((await rows(database)) === 0) return Infinity;
  const [{ count }] = await database.query(
    `select count(*)::int as count from edgewise.stack where head::json->'status'->>'lookedAt' is null`,
  );
  return count;
}

async function databaseState({ fsync, query }) {
  const [state] = await query(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal,
      pg_database_size(current_database())::float8 as size,
      pg_total_relation_size('edgewise.stack')::float8 as "stackBytes",
      (select avg(pg_column_size(s.*))::float8 from edgewise.stack s) as "rowBytes",
      pg_total_relation_size('edgewise.history')::float8 /
        greatest(1, (select count(*) from edgewise.history)) as "entryBytes",
      (select sum(xact_commit)::float8 from pg_stat_database where datname = current_database()) as transactions,
      (select count(*)::int - 1 from pg_stat_activity where datname = current_database()) as connections`,
  );
  return { ...state, fsync: await fsync() };
}

/** Sends a message. @returns the next one that has this member */
async function ask(child, message, member) {
  const answer = new Promise((resolve) => {
    const listen = (told) => {
      if (told[member] === undefined) return;
      child.off("message", listen);
      resolve(told);
    };
    child.on("message", listen);
  });
  child.send(message);
  return await answer;
}

async function until(isSo) {
  const from = performance.now();
  while (!(await isSo())) {
    if (performance.now() - from > 600_000) throw new Error("it takes longer than ten minutes");
    await pause(200);
  }
}

async function ended(child) {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
