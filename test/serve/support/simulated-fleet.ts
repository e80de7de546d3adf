import type { AccountPassInput, DueStack } from "../../../src/serve/account/account-pass.ts";
import { type PassAccount, accountPasses } from "../../../src/serve/account/pass-account.ts";
import { type Scheduled, dueAt, dueStacks, nextDue, shownState } from "../../../src/serve/decisions/schedule.ts";
import type { FleetSource, StackPolicy, StackTarget } from "../../../src/serve/fleet/fleet.ts";
import {
  type AccountRecord,
  type SourceRecord,
  type StackRecord,
  type StackState,
  newAccountRecord,
} from "../../../src/serve/records.ts";
import { simpleParts } from "../account/support/stage.ts";
import { accountWith, entryWith, sourceWith, targetOf } from "../fleet/fleet-data.ts";
import { minute } from "./looks.ts";
import { MemorySources } from "./memory-sources.ts";
import { MemoryStore } from "./memory-store.ts";
import { SimulatedAccount } from "./simulated-account.ts";
import { SimulatedClock } from "./simulated-clock.ts";

/** One look at one stack, as it was recorded. Times are elapsed milliseconds. */
export interface RecordedLook {
  readonly at: number;
  readonly stack: string;
  readonly state: StackState;
  readonly reason: string | null;
  readonly message: string;
}

/** How a fleet begins. */
export interface FleetBeginnings {
  readonly stacks: number;
  /** How many backends each stack has. */
  readonly backends?: number;
  readonly policy: StackPolicy;
  readonly seed?: number;
}

/**
 * A fleet with one source and one account, kept in virtual time: stacks `s0`, `s1`, … with HTTP response backends `b0`,
 * `b1`, …, whose descriptions people edit.
 */
export class SimulatedFleet {
  readonly clock = new SimulatedClock();
  readonly account = new SimulatedAccount(this.clock);
  readonly sources = new MemorySources(() => this.clock.now());
  readonly store = new MemoryStore();
  readonly looks: RecordedLook[] = [];
  policy: StackPolicy;
  accountRecord: AccountRecord = newAccountRecord("main");
  readonly records = new Map<string, StackRecord>();
  readonly #begun: FleetBeginnings;
  readonly #source: FleetSource;
  readonly #pass: PassAccount = accountPasses(simpleParts);
  #sourceRecord: SourceRecord | null = null;
  #hastened: ReadonlySet<string> = new Set();
  #events: { readonly at: number; readonly what: () => void }[] = [];
  #dice: number;

  constructor(begun: FleetBeginnings) {
    this.#begun = begun;
    this.policy = begun.policy;
    this.#dice = begun.seed ?? 1;
    this.#source = sourceWith({ git: "/git/edge" });
    this.sources.push("edge", Object.fromEntries(this.names().flatMap((name) => this.#filesOf(name))));
  }

  names(): readonly string[] {
    return Array.from({ length: this.#begun.stacks }, (_, at) => `s${at}`);
  }

  /** Something happens so many milliseconds from now. */
  after(ms: number, what: () => void): void {
    this.#events = [...this.#events, { at: this.clock.elapsed + ms, what }].toSorted((a, b) => a.at - b.at);
  }

  /** Something happens again and again, from now on. */
  every(ms: number, what: () => void, until = Infinity): void {
    this.after(ms, () => {
      if (this.clock.elapsed > until) return;
      what();
      this.every(ms, what, until);
    });
  }

  /** Somebody changes the description of a backend by hand. */
  editByHand(stack: string, backend = "b0", description = "by hand"): void {
    this.account.edit(stack, `HTTPResponseBackend/${backend}`, { description });
  }

  /** The descriptions of a stack that are live, by nothing but order. */
  descriptions(stack: string): readonly string[] {
    return this.account.owned(stack).map(({ description }) => String(description));
  }

  /** How a stack is shown now. */
  shown(stack: string): string {
    const status = this.records.get(stack)?.status;
    if (status === undefined) return "unknown";
    const state = shownState(status, this.policy.intervalMs, this.clock.now());
    return state === "waiting" ? `waiting: ${status.reason}` : state;
  }

  /** Lets the loop run for so long. */
  async run(ms: number): Promise<void> {
    const end = this.clock.elapsed + ms;
    let polled = this.clock.elapsed;
    while (this.clock.elapsed < end) {
      for (const { what } of this.#events.filter(({ at }) => at <= this.clock.elapsed)) what();
      this.#events = this.#events.filter(({ at }) => at > this.clock.elapsed);
      if (polled <= this.clock.elapsed) {
        await this.#poll();
        polled = this.clock.elapsed + minute;
      }
      const now = this.clock.now();
      const due = dueStacks(this.#scheduled(), now);
      if (due.length > 0) await this.#passOver(due.map(({ name }) => name));
      const next = (nextDue(this.#scheduled(), this.clock.now()) ?? Infinity) - this.clock.now();
      const event = (this.#events[0]?.at ?? Infinity) - this.clock.elapsed;
      const wait = Math.min(next, event, polled - this.clock.elapsed, end - this.clock.elapsed);
      await this.clock.sleep(Math.max(1, wait));
    }
  }

  /** When stacks are due, in milliseconds from now. */
  dueIn(): readonly number[] {
    return this.#scheduled().map((stack) => dueAt(stack, this.clock.now()) - this.clock.now());
  }

  #scheduled(): readonly (Scheduled & { readonly name: string })[] {
    const hastenedAt = this.clock.now();
    return this.names().map((name) => ({
      name,
      intervalMs: this.policy.intervalMs,
      record: this.records.get(name) ?? null,
      hastenedAt: this.#hastened.has(name) ? hastenedAt : null,
    }));
  }

  async #poll(): Promise<void> {
    const before = this.#sourceRecord;
    this.#sourceRecord = await this.sources.fetch(this.#source, before, new AbortController().signal);
    const { followed } = this.#sourceRecord;
    if (followed === null || before?.followed == null || followed === before.followed) return;
    const [old, now] = await Promise.all(
      [before.followed, followed].map(async (commit) =>
        (await this.sources.open(this.#source, commit)).directoryIds(this.names()),
      ),
    );
    const touched = this.names().filter((name) => old?.get(name)?.id !== now?.get(name)?.id);
    this.#hastened = new Set([...this.#hastened, ...touched]);
  }

  async #passOver(names: readonly string[]): Promise<void> {
    this.#hastened = new Set([...this.#hastened].filter((name) => !names.includes(name)));
    const { followed = null, problem = null } = this.#sourceRecord ?? {};
    const commit = followed === null ? null : await this.sources.open(this.#source, followed);
    const unfollowed =
      problem === null
        ? null
        : {
            rewound: problem.code === "rewound",
            unreachable: problem.code === "unreachable",
            message: problem.message,
          };
    const due = names.map((name): DueStack => ({
      target: this.#target(name),
      record: this.records.get(name) ?? null,
      commit,
      unfollowed,
    }));
    const { signal } = new AbortController();
    const input: AccountPassInput = {
      account: accountWith({ baseUrl: this.account.baseUrl }),
      record: this.accountRecord,
      due,
      stacks: this.#begun.stacks,
    };
    const outcome = await this.#pass(input, {
      clock: this.clock,
      random: () => this.#roll(),
      store: this.store,
      claim: { assertHeld: async () => this.store.assertHeld(), isHeld: () => true },
      emit: () => undefined,
      connect: async (_account, changes) => this.account.connect(changes),
      paused: false,
      dryRun: false,
      stop: signal,
      hardStop: signal,
    });
    this.accountRecord = outcome.account;
    await this.store.saveAccount(outcome.account);
    for (const { record } of outcome.stacks) {
      this.records.set(record.name, record);
      await this.store.saveStack(record);
      const { state, reason, message } = record.status;
      this.looks.push({ at: this.clock.elapsed, stack: record.name, state, reason, message });
    }
  }

  /** From 0 to below 1, the same for the same seed (mulberry32). */
  #roll(): number {
    this.#dice = (this.#dice + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#dice ^ (this.#dice >>> 15), 1 | this.#dice);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  #target(name: string): StackTarget {
    return targetOf(entryWith({ name, config: { path: `${name}/edgewise.yaml` }, policy: this.policy }), {
      stack: name,
    });
  }

  #filesOf(name: string): readonly (readonly [path: string, text: string])[] {
    const head = "apiVersion: edgewise/v1\nkind:";
    const config = `${head} Config\nstack: ${name}\nmanifests: [manifests/]\n`;
    const backends = Array.from({ length: this.#begun.backends ?? 2 }, (_, at) => {
      const text = `${head} HTTPResponseBackend\nmetadata: {name: b${at}}\nspec: {description: of ${name}, status_code: 503}\n`;
      return [`${name}/manifests/b${at}.yaml`, text] as const;
    });
    return [[`${name}/edgewise.yaml`, config], ...backends];
  }
}
