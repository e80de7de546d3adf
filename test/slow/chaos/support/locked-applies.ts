import type { Client, Clock } from "../../../../src/api/client.ts";
import { createClient } from "../../../../src/api/create-client.ts";
import { applyPlan } from "../../../../src/apply/apply-plan.ts";
import { createFindByMarker } from "../../../../src/apply/find-by-marker.ts";
import { secretResolver } from "../../../../src/apply/preflight.ts";
import { EdgewiseError } from "../../../../src/core/errors.ts";
import type { JsonObject } from "../../../../src/core/json.ts";
import { readMarker } from "../../../../src/kinds/marker.ts";
import { clientOptions, plan as makePlan } from "../../../../src/library/library-api.ts";
import { readLiveFor } from "../../../../src/live/read-live.ts";
import { acquireLock } from "../../../../src/lock/account-lock.ts";
import { lockTime } from "../../../../src/lock/service-time.ts";
import type { Manifest } from "../../../../src/manifest/manifest.ts";
import type { Plan } from "../../../../src/plan/plan-format.ts";
import { parseFault } from "../../../../src/sandbox/fault.ts";
import { startSandbox } from "../../../../src/sandbox/start-sandbox.ts";
import type { Dice } from "./dice.ts";
import { type Figures, count } from "./figures.ts";
import { RunCut } from "./run-cut.ts";
import { nameOfFault } from "./sandbox-faults.ts";

const stack = "chaos";

/** How many times faster the client's clock runs than the sandbox's. */
const haste = 50;

/** How far lists are behind, and how long a run lets them settle, in real milliseconds. */
const [lagMs, settleMs] = [25, 40];

/** How long a lock lasts, in milliseconds of the hasty clock: one that a killed run left is soon over. */
const leaseMs = 2 * 60_000;

/** When most runs have ended that nobody cuts short, in real milliseconds. */
const longestRunMs = 600;

/** Answers that get lost before and after a request is carried out, and lists that lag. */
function faultsFrom(dice: Dice): readonly string[] {
  const writes = "method=POST|PATCH|DELETE";
  const pool = [
    `reset=after,${writes}`,
    `reset=before,${writes}`,
    `truncate,${writes}`,
    `status=503,when=after,${writes}`,
    "status=503,method=GET",
    "delay=10ms",
  ];
  const some = Array.from(
    { length: dice.between(0, 3) },
    () => `${dice.pick(pool)},probability=${dice.pick([0.1, 0.3])},count=3`,
  );
  return [`lag=${lagMs}ms,method=GET,probability=${dice.pick([0.5, 1])}`, ...some];
}

/**
 * Two or three applies at once, all with the account's lock, some of them killed or stopped by a signal. After a kill,
 * one more run has to wait until the lock of the dead one has expired. Returns what is wrong, as sentences.
 */
export async function runLockedApplies(dice: Dice, figures: Figures): Promise<readonly string[]> {
  const faults = faultsFrom(dice);
  const sandbox = await startSandbox({ seed: String(dice.between(0, 1_000_000)), faults: faults.map(parseFault) });
  const clock = hastyClock();
  const manifests = Array.from({ length: dice.between(1, 3) }, (_, index) => backend(`b${index}`));
  const { apiKey, baseUrl } = sandbox;
  const work = { apiKey, baseUrl, clock, figures, manifests };
  const names = Array.from({ length: dice.chance(0.2) ? 3 : 2 }, (_, index) => `run ${index}`);
  try {
    const ends = await Promise.all(
      names.map(async (name) => {
        const own = dice.fork(name);
        await clock.sleep(own.between(0, 60) * haste);
        return cutApply({ ...work, dice: own, name }, new RunCut(own, longestRunMs));
      }),
    );
    if (ends.some(({ how }) => how === "killed")) {
      const last = await cutApply({ ...work, dice: dice.fork("last"), name: "last run" }, null);
      if (last.how === "locked") return ["a killed run's lock kept others out after it had expired"];
      ends.push(last);
    }
    const { log, total, faults: met } = sandbox.requests();
    figures.runs += 1;
    figures.applies += ends.length;
    figures.requests += total;
    figures.writes += log.filter(({ method }) => method !== "GET").length;
    for (const [spec, times] of Object.entries(met))
      if (times > 0) count(figures.faults, nameOfFault(parseFault(spec)), times);
    for (const { how } of ends) count(figures.ends, how);
    return wrongIn(sandbox.world().lists.HTTPResponseBackend, ends, manifests);
  } finally {
    await sandbox.close();
  }
}

interface LockedEnd {
  readonly how: string;
  /** Whether its own lock may be left. */
  readonly leftover: boolean;
}

interface LockedRun {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly clock: Clock;
  readonly dice: Dice;
  readonly figures: Figures;
  readonly manifests: readonly Manifest[];
  readonly name: string;
}

/** An apply as a process of its own, which may be cut short. */
async function cutApply(run: LockedRun, cut: RunCut | null): Promise<LockedEnd> {
  const { apiKey, baseUrl, clock, dice, figures } = run;
  const options = { baseUrl, apiKey, clock, random: dice.next, timeoutMs: 5000 };
  const dies = cut === null ? {} : { signal: cut.kill.signal };
  const connected = createClient(clientOptions({ ...options, ...dies }));
  const client = cut === null ? connected : cut.through(connected);
  try {
    if (cut === null) return await lockedApply(run, client, new AbortController().signal);
    const end = await cut.during(figures, async () => lockedApply(run, client, cut.signal.signal));
    return end ?? { how: "killed", leftover: true };
  } finally {
    await client.close();
  }
}

/** As the command does it: plans, takes the lock, plans again, applies, removes the lock. */
async function lockedApply(run: LockedRun, client: Client, signal: AbortSignal): Promise<LockedEnd> {
  const { clock, dice, manifests, name } = run;
  const planNow = async (): Promise<Plan> =>
    makePlan(manifests, await readLiveFor(client, manifests), { stack, baseUrl: client.baseUrl });
  let leftover = false;
  const end = (how: string): LockedEnd => ({ how, leftover });
  try {
    if ((await planNow()).operations.length === 0) return end("nothing to do");
    const acquired = await acquireLock(
      { stack, run: `${name} ${dice.between(0, 1_000_000)}`, by: name },
      {
        client,
        clock,
        time: lockTime(clock.now, clock.now),
        random: dice.next,
        settleMs: settleMs * haste,
        timeoutMs: 10 * 60_000,
        leaseMs,
        signal,
        onWait: () => {},
        onLeftover: () => (leftover = true),
      },
    );
    if (acquired.type !== "held") return end(acquired.type);
    try {
      const plan = await planNow();
      if (plan.operations.length === 0) return end("another did it");
      const guarded = acquired.lock.guard(client);
      const { outcome } = await applyPlan(plan, {
        client: guarded,
        concurrency: 4,
        resolveSecret: secretResolver(manifests),
        findByMarker: createFindByMarker(guarded, stack),
        signal: AbortSignal.any([signal, acquired.lock.signal]),
        failFast: false,
        onEvent: () => {},
        clock,
        random: dice.next,
      });
      return end(outcome);
    } finally {
      await acquired.lock.release();
    }
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    return end(error.code);
  }
}

function wrongIn(
  lists: readonly JsonObject[],
  ends: readonly LockedEnd[],
  manifests: readonly Manifest[],
): readonly string[] {
  const names = lists.flatMap(({ metadata }) => readMarker(metadata).marker?.name ?? []);
  const twins = manifests.filter(({ name }) => names.filter((each) => each === name).length > 1);
  const locks = lists.filter(({ metadata }) => String(metadata).includes('"lock":true'));
  const done = ends.some(({ how }) => how === "applied");
  return [
    ...twins.map(({ name }) => `${name} was made more than once`),
    ...(locks.length > 0 && !ends.some(({ leftover }) => leftover) ? ["a lock was left, and nobody said so"] : []),
    ...(done && new Set(names).size < manifests.length ? ["an apply said that all was done, and it is not there"] : []),
  ];
}

function backend(name: string): Manifest {
  return {
    address: `HTTPResponseBackend/${name}`,
    kind: "HTTPResponseBackend",
    name,
    labels: {},
    id: null,
    previousNames: [],
    lifecycle: { ignore: [] },
    spec: { status_code: 503 },
    source: { file: "chaos.yaml", line: 1 },
    fingerprint: "sha256:0",
  };
}

function hastyClock(): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * haste,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const done = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, ms / haste);
        signal?.addEventListener("abort", done, { once: true });
      }),
  };
}
