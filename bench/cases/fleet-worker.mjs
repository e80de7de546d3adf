// One process of a fleet on PostgreSQL: the real loop and the real store, over sources in memory and a service that is
// nothing but a pause. Says how long claims and what follows a pass take, and how old the oldest look is.
//   fleet-worker.mjs {"url", "accounts", "each", "intervalMs", "passMs", "hold"}, forked
import { createHash } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../dist/api/system-clock.js";
import { nextLookAfter } from "../../dist/serve/decisions/schedule.js";
import { newStackMemory } from "../../dist/serve/records.js";
import { createServeLoop } from "../../dist/serve/serve-loop.js";
import { openPostgresStore } from "../../dist/serve/store/postgres/open-postgres-store.js";
import { memoryFleet } from "../memory-fleet.mjs";
import { historyEntry } from "../fleet.mjs";

const options = JSON.parse(process.argv[2]);
const { intervalMs, passMs } = options;
const { commit, expand, fleet, readClaims, reader } = memoryFleet(options);
const opened = await openPostgresStore({ url: options.url, place: { cwd: "/", env: {} } });
const stop = new AbortController();
let seen = nothingSeen();
const watched = new Set();

function nothingSeen() {
  const { system, user } = process.cpuUsage();
  const from = { at: performance.now(), cpu: system + user };
  return { from, claim: [], finish: [], changes: [], changed: 0, asked: 0, claimed: 0, idle: 0, looks: 0, oldestMs: 0 };
}

async function timed(list, act) {
  const from = performance.now();
  const result = await act();
  list.push(performance.now() - from);
  return result;
}

/** By account: when its pass ended. */
const passed = new Map();
const store = Object.create(opened, {
  claim: { value: claim },
  changes: {
    value: async () => {
      const changes = await timed(seen.changes, () => opened.changes());
      seen.changed += changes.stacks.length;
      return changes;
    },
  },
});
for (const name of ["load", "saveStack", "saveTransition", "saveAccount", "readSource", "saveSource", "appendHistory"])
  bind(name);
for (const name of ["saveStacks", "pruneHistory", "close", "isTeller", "forgetStack"]) bind(name);

/** Methods have private parts, which only the store itself has. */
function bind(name) {
  if (opened[name] !== undefined) Object.defineProperty(store, name, { value: opened[name].bind(opened) });
}

async function claim(wanted, most) {
  const claims = await timed(seen.claim, () => opened.claim(wanted, most));
  seen.asked += wanted.length;
  seen.claimed += claims.length;
  return claims.map((own) => {
    const release = own.release.bind(own);
    own.release = async (sent) => {
      const since = passed.get(own.account);
      passed.delete(own.account);
      await release(sent);
      if (since === undefined) seen.idle += 1;
      else seen.finish.push(performance.now() - since);
    };
    return own;
  });
}

function nextLookOf({ entry }, state, clock) {
  return nextLookAfter({
    status: { state, reason: null },
    failures: 0,
    policy: { ...entry.policy, windows: [], suspend: null },
    now: clock.now(),
    random: Math.random(),
  });
}

/** The first looks come all at once. Those after them are spread over an interval, as in a fleet that has run for days. */
function firstDue({ entry }, clock) {
  const share = createHash("sha256").update(entry.account).digest().readUInt32BE() / 2 ** 32;
  return Math.floor(clock.now() + share * intervalMs);
}

/** Every thousandth look finds something to tell. */
function outcomeOf({ record, target }, began, clock) {
  const before = record?.memory ?? memoryOf(target);
  const news = Math.random() < 0.001;
  const state = news ? "waiting" : "synced";
  const status = {
    state,
    reason: news ? "approval" : null,
    message: news ? "1 change waits for an approval" : "live is what the commit says",
    since: record?.status.state === state ? record.status.since : began,
    commit,
    appliedCommit: commit,
    lookedAt: began,
    impact: news ? "routing" : "none",
    changes: { commit: 0, drift: news ? 1 : 0, both: 0 },
    digest: null,
    nextLook: record === null ? firstDue(target, clock) : nextLookOf(target, state, clock),
    uncomparedSecrets: 0,
  };
  const memory = news ? { ...before, sightedAt: began } : before;
  const { account, source } = target.entry;
  const history = news ? [historyEntry(target.name, began)] : [];
  return {
    record: { name: target.name, account, source, stack: target.stack, status, memory },
    history,
    wrote: false,
    seconds: 0,
  };
}

/** Of five resources. */
function memoryOf({ name }) {
  const addresses = Array.from({ length: 5 }, (_, index) => `TLSEdge/${name.replace("/", "-")}-${index}`);
  const print = Buffer.alloc(32, name).toString("hex");
  return {
    ...newStackMemory,
    synced: Object.fromEntries(addresses.map((address) => [address, `sha256:${print}`])),
    ids: Object.fromEntries(addresses.map((address, index) => [address, `edgtls_2kXq9V0sB4nT7m00000000000${index}`])),
  };
}

async function pass({ account, due, record }, { clock }) {
  if (watched.delete(account.name)) process.send({ looked: account.name, at: Date.now() });
  if (options.hold) {
    process.send({ held: account.name });
    await new Promise(() => {});
  }
  const began = clock.now();
  await pause(passMs * Math.random());
  const stacks = due.map((each) => outcomeOf(each, began, clock));
  seen.looks += stacks.length;
  passed.set(account.name, performance.now());
  return { account: record, stacks };
}

const problems = [];
const from = performance.now();
const loop = await createServeLoop(fleet, {
  clock: { now: () => opened.clock.now(), sleep: (ms, signal) => systemClock.sleep(ms, signal) },
  random: Math.random,
  store,
  reader,
  connect: async () => {
    throw new Error("there is no service");
  },
  pass,
  expand,
  readClaims,
  emit: (event) => {
    if (/failed|bug|damaged/.test(event.event)) problems.push(`${event.event}: ${event.message}`);
  },
  mask: (text) => text,
  dryRun: false,
});
const { maxRSS } = process.resourceUsage();
process.send({ loadMs: performance.now() - from, rssMiB: maxRSS / 1024 });
process.on("message", (message) => {
  if (message.watch !== undefined) for (const name of message.watch) watched.add(name);
  if (message.mark === true) seen = nothingSeen();
  if (message.report === true) process.send({ report: report() });
  if (message.stop === true) stop.abort();
});
// Going over all stacks takes tens of milliseconds, in which nothing else happens: rarely.
const sampling = setInterval(() => (seen.oldestMs = Math.max(seen.oldestMs, oldest())), Math.min(5000, intervalMs / 4));

function oldest() {
  const now = opened.clock.now();
  let most = 0;
  for (const name of loop.state.targets.keys()) {
    const lookedAt = loop.state.stacks.get(name)?.status.lookedAt ?? null;
    most = Math.max(most, lookedAt === null ? Infinity : now - lookedAt);
  }
  return most;
}

function report() {
  const { from: since, ...rest } = seen;
  const { system, user } = process.cpuUsage();
  const ms = performance.now() - since.at;
  const maxMiB = process.resourceUsage().maxRSS / 1024;
  return {
    ...rest,
    intervals: seen.oldestMs / intervalMs,
    ms,
    cpuMs: (system + user - since.cpu) / 1000,
    maxMiB,
    problems,
  };
}

await loop.run({ stop: stop.signal, hardStop: new AbortController().signal });
clearInterval(sampling);
await opened.close();
process.disconnect();
