import { onTestFinished } from "vitest";
import type { AccountOutcome, AccountPassInput, PassDeps } from "../../../src/serve/account/account-pass.ts";
import type { ServeEvent } from "../../../src/serve/serve-events.ts";
import type { Fleet, FleetAccount, FleetEntry, FleetSource } from "../../../src/serve/fleet/fleet.ts";
import { newStackRecord } from "../../../src/serve/records.ts";
import type { StackRecord, StackStatus } from "../../../src/serve/records.ts";
import type { ExpandEntries, ServeDeps } from "../../../src/serve/serve-deps.ts";
import { type ServeLoop, createServeLoop } from "../../../src/serve/serve-loop.ts";
import { accountWith, entryWith, sourceWith } from "../fleet/fleet-data.ts";
import { MemorySources } from "../support/memory-sources.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { SimulatedClock } from "../support/simulated-clock.ts";

export const minute = 60_000;

const place = { file: "fleet.yaml", line: 1, column: 1 };

export function sourceOf(name: string, changes: Partial<FleetSource> = {}): FleetSource {
  return sourceWith({ name, git: `https://git.example.com/${name}.git`, place, ...changes });
}

export function accountOf(name: string): FleetAccount {
  return accountWith({ name, key: { file: `/secrets/${name}` }, place });
}

export function entryOf(name: string, changes: Partial<FleetEntry> = {}): FleetEntry {
  return entryWith({ name, config: { path: `${name}/edgewise.yaml` }, place, ...changes });
}

export function fleetOf(entries: readonly FleetEntry[], changes: Partial<Fleet> = {}): Fleet {
  return {
    file: "/etc/edgewise/fleet.yaml",
    pause: false,
    sources: new Map([["edge", sourceOf("edge")]]),
    accounts: new Map([["main", accountOf("main")]]),
    entries,
    forgotten: new Set(),
    http: { host: "127.0.0.1", port: 7070, token: null },
    notify: [],
    historyMs: 90 * 24 * 60 * minute,
    ...changes,
  };
}

/** One target for each match, as the fleet's own rules do. */
export const expand: ExpandEntries = (found) => ({
  targets: found.flatMap(({ entry, configs }) =>
    configs.map(({ path, match }) => ({
      name: match === null ? entry.name : `${entry.name}/${match}`,
      entry,
      config: path,
      stack: entry.stack?.replace("*", match ?? "") ?? null,
      secrets: entry.secrets,
    })),
  ),
  problems: [],
});

/** A pass as the simulated account did it. */
export interface Passed {
  readonly at: number;
  readonly account: string;
  readonly stacks: readonly string[];
  readonly paused: boolean;
}

/** What a stack is after a look, unless the test says something else. */
export function looked(
  input: AccountPassInput,
  index: number,
  now: number,
  changes: Partial<StackStatus> = {},
): StackRecord {
  const due = input.due[index];
  if (due === undefined) throw new Error("no such stack");
  const before = due.record ?? newStackRecord(due.target, now);
  const commit = due.commit?.commit ?? null;
  const status: StackStatus = {
    ...before.status,
    state: commit === null ? "failed" : "synced",
    reason: null,
    message: due.unfollowed?.message ?? "",
    commit,
    appliedCommit: commit,
    lookedAt: commit === null ? before.status.lookedAt : now,
    nextLook: now + due.target.entry.policy.intervalMs,
    ...changes,
  };
  return { ...before, stack: due.target.stack, status };
}

/** The loop in virtual time, over sources, a store and passes in memory. */
export class LoopStage {
  readonly clock = new SimulatedClock();
  readonly sources = new MemorySources(() => this.clock.now());
  readonly store = new MemoryStore();
  readonly events: ServeEvent[] = [];
  readonly passes: Passed[] = [];
  readonly stop = new AbortController();
  readonly hardStop = new AbortController();
  /** Replaces what a pass does. */
  pass: (input: AccountPassInput, deps: PassDeps) => Promise<AccountOutcome> = async (input) => this.lookAtAll(input);
  deps: ServeDeps = {
    clock: this.clock,
    random: () => 0.5,
    store: this.store,
    reader: this.sources,
    connect: async () => {
      throw new Error("nothing connects here");
    },
    pass: async (input, deps) => {
      const stacks = input.due.map(({ target }) => target.name);
      this.passes.push({ at: this.clock.elapsed, account: input.account.name, stacks, paused: deps.paused });
      return this.pass(input, deps);
    },
    expand,
    readClaims: (_, text) => ({
      marker: /^stack: (.+)$/mu.exec(text)?.[1] ?? null,
      previousStacks: /^previousStacks: (.+)$/mu.exec(text)?.[1]?.split(" ") ?? [],
    }),
    emit: (event) => void this.events.push(event),
    mask: (text) => text.replaceAll("hunter2", "(secret)"),
    dryRun: false,
  };

  async lookAtAll(input: AccountPassInput): Promise<AccountOutcome> {
    await this.clock.sleep(100);
    const now = this.clock.now();
    return {
      account: input.record,
      stacks: input.due.map((_, index) => ({
        record: looked(input, index, now),
        history: [],
      })),
    };
  }

  /** Starts the loop; it is stopped when the test ends. */
  async start(fleet: Fleet): Promise<{ readonly loop: ServeLoop; readonly ended: Promise<void> }> {
    const loop = await createServeLoop(fleet, this.deps);
    const ended = loop.run({ stop: this.stop.signal, hardStop: this.hardStop.signal });
    onTestFinished(async () => {
      this.stop.abort();
      this.hardStop.abort();
      await ended;
    });
    return { loop, ended };
  }

  /** Lets time pass. */
  async after(ms: number): Promise<void> {
    await this.clock.sleep(ms);
  }

  /** Which stacks were looked at since the last call. */
  taken(): readonly string[] {
    return this.passes.splice(0).flatMap(({ stacks }) => stacks);
  }

  named<Name extends ServeEvent["event"]>(name: Name): readonly Extract<ServeEvent, { event: Name }>[] {
    return this.events.filter((event): event is Extract<ServeEvent, { event: Name }> => event.event === name);
  }
}
