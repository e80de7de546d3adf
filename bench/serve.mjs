// `edgewise serve` over stacks of which nothing differs, with a state directory, and two of it on one PostgreSQL.
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { openFleet } from "./fleet.mjs";
import { startPostgres } from "./postgres.mjs";
import { cli, quantile, start } from "./processes.mjs";

/** So long a fleet may take to be looked at, in ms. */
const patience = 300_000;

const row = (what, measured, promised) => ({ What: what, Measured: measured, Promised: promised });
const perSecond = (looks, ms) => `${Math.round((looks / ms) * 1000)} a second`;

/** Every look follows the one before at once, so that the process is always busy. */
export async function serveBench({ folder, quick }) {
  const size = quick ? { accounts: 2, each: 10 } : { accounts: 10, each: 1000 };
  const stacks = size.accounts * size.each;
  const fleet = await openFleet(folder, { ...size, interval: "1s" });
  const from = performance.now();
  const serve = await startServe(fleet.file, folder);
  try {
    await until(async () => (await looks(serve)) >= stacks);
    const firstMs = performance.now() - from;
    const [before, since] = [await looks(serve), performance.now()];
    await until(async () => (await looks(serve)) >= before + stacks);
    const rest = perSecond((await looks(serve)) - before, performance.now() - since);
    const pages = [];
    for (let turn = 0; turn < (quick ? 2 : 9); turn += 1) {
      await pause(1100);
      const asked = performance.now();
      await get(serve, "/");
      pages.push(performance.now() - asked);
    }
    serve.child.kill("SIGTERM");
    const { code, mib, said } = await serve.ended;
    if (code !== 0) throw new Error(`serve ended with ${code}: ${said.slice(-2000)}`);
    const what = `${stacks.toLocaleString("en")} stacks in ${size.accounts} accounts`;
    return [
      row(`${what}, first looks with start and fetch`, perSecond(stacks, firstMs), ""),
      row(`${what}, at rest`, rest, "≥ 100 a second"),
      row(`${what}, peak memory`, `${Math.round(mib)} MiB`, "≤ 400 MB"),
      row(`${what}, status page, median of ${pages.length}`, `${Math.round(quantile(pages, 0.5))} ms`, "≤ 300 ms"),
    ];
  } finally {
    serve.child.kill("SIGKILL");
    await fleet.close();
  }
}

/** What PostgreSQL itself needs for each statement, while two processes look at everything once and once more. */
export async function postgresBench({ folder, quick }) {
  const database = await startPostgres();
  const size = quick ? { accounts: 2, each: 5 } : { accounts: 100, each: 100 };
  const stacks = size.accounts * size.each;
  const fleet = await openFleet(folder, { ...size, interval: quick ? "1s" : "15s" });
  const starting = [1, 2].map(() => startServe(fleet.file, folder, database.url));
  try {
    const processes = await Promise.all(starting);
    const all = async () => (await Promise.all(processes.map(looks))).reduce((sum, each) => sum + each, 0);
    await until(async () => (await all()) >= 2 * stacks);
    for (const { child } of processes) child.kill("SIGTERM");
    await Promise.all(processes.map(({ ended }) => ended));
    const ran = database.statements();
    const what = `${stacks.toLocaleString("en")} stacks in ${size.accounts} accounts, 2 processes`;
    return [
      ["claim accounts", /skip locked/, "p95 ≤ 20 ms"],
      ["save the looks of a pass", /(?:insert into|update) edgewise\.stack\b/, ""],
      ["finish: give an account back", /set holder = null/, "p95 ≤ 20 ms"],
    ].map(([title, sql, promised]) => {
      const times = ran.filter((each) => sql.test(each.sql)).map(({ ms }) => ms);
      if (times.length === 0) throw new Error(`no statement was seen: ${title}`);
      const [half, most] = [0.5, 0.95].map((share) => quantile(times, share).toFixed(1));
      return row(`${what}: ${title}`, `p50 ${half} ms, p95 ${most} ms (${times.length} times)`, promised);
    });
  } finally {
    await fleet.close();
    await database.close();
  }
}

/** Starts `serve`. @returns when it listens: its address and its process */
async function startServe(file, cwd, database) {
  const where = database === undefined ? ["--state", "state"] : [];
  const args = [cli, "serve", file, ...where, "--listen", "127.0.0.1:0", "--log-format", "json"];
  const env = database === undefined ? {} : { EDGEWISE_DATABASE: database };
  const { child, ended, said } = start(args, { cwd, env });
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const found = /"url":"(http:[^"]+)"/.exec(line);
      if (found !== null) resolve(found[1]);
    });
    void ended.then(({ code }) => reject(new Error(`serve ended with ${code}: ${said()}`)));
  });
  return { child, ended, url };
}

async function get({ url }, path) {
  const response = await fetch(new URL(path, url));
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return text;
}

/** How often a process has looked at a stack, and found nothing. */
async function looks(serve) {
  const found = [...(await get(serve, "/metrics")).matchAll(/^edgewise_reconciles_total\{outcome="(\w+)"\} (\d+)/gm)];
  const other = found.find(([, outcome, count]) => outcome !== "synced" && Number(count) > 0);
  if (other !== undefined) throw new Error(`${other[2]} stacks are ${other[1]}`);
  return found.reduce((sum, [, , count]) => sum + Number(count), 0);
}

async function until(isSo) {
  const end = performance.now() + patience;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error("it takes longer than five minutes");
    await pause(500);
  }
}
