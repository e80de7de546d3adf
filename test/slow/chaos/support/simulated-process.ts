import type { Clock } from "../../../../src/api/client.ts";
import { type ServeParts, openServeParts } from "../../../../src/commands/support/serve-parts.ts";
import type { ServeDeps } from "../../../../src/serve/serve-deps.ts";
import type { ServeEvent } from "../../../../src/serve/serve-events.ts";
import { type ServeLoop, createServeLoop } from "../../../../src/serve/serve-loop.ts";
import type { SourceReader } from "../../../../src/serve/git/source-reader.ts";
import type { ServeStore } from "../../../../src/serve/store/store.ts";
import { memoryIo } from "../../../commands/memory-io.ts";
import type { SimulatedClock } from "../../../serve/support/simulated-clock.ts";
import type { Dice } from "./dice.ts";
import type { ServeAccount } from "./serve-account.ts";

export interface ServeOutside {
  readonly directory: string;
  readonly clock: SimulatedClock;
  readonly store: ServeStore;
  readonly reader: SourceReader;
  readonly accounts: ReadonlyMap<string, ServeAccount>;
  readonly approvals: NonNullable<ServeDeps["approvals"]>;
  readonly emit: (event: ServeEvent) => void;
  readonly dice: Dice;
  /** Its connections break when it is killed. Absent = it has none. */
  readonly onKill?: () => void;
}

/**
 * One process of `edgewise serve` with its real loop, passes, powers and client, in virtual time. It can be killed at any
 * step to the outside: nothing of it goes on after that.
 */
export class ServeProcess {
  readonly #killed: Promise<void>;
  #die: () => void = () => undefined;
  #dead = false;
  #stepsLeft = Infinity;
  readonly clock: Clock;
  /** As the connections of a real process have it: nobody sets it. */
  readonly steadyClock: Clock;
  readonly #outside: ServeOutside;
  readonly #stop = new AbortController();
  readonly #hardStop = new AbortController();
  #parts: ServeParts | null = null;
  #loop: ServeLoop | null = null;
  #ended: Promise<void> = Promise.resolve();

  constructor(outside: ServeOutside) {
    this.#outside = outside;
    this.#killed = new Promise((resolve) => (this.#die = resolve));
    const { clock } = outside;
    this.clock = {
      now: () => clock.now(),
      sleep: (ms, signal) => this.outside(() => clock.sleep(ms, signal)),
    };
    this.steadyClock = { now: () => clock.elapsed, sleep: this.clock.sleep };
  }

  get dead(): boolean {
    return this.#dead;
  }

  get loop(): ServeLoop | null {
    return this.#loop;
  }

  async start(): Promise<void> {
    const { accounts, approvals, clock, dice, directory, emit, reader, store } = this.#outside;
    const log = (event: ServeEvent): void => {
      if (!this.dead) emit(event);
    };
    const io = memoryIo({ cwd: directory });
    const start = { file: "fleet.yaml", flags: { check: true }, io, clock: this.clock, log };
    const parts = (this.#parts = await clock.held(() => openServeParts(start)));
    const { traffic: _, ...real } = parts.deps;
    const deps: ServeDeps = {
      ...real,
      clock: this.clock,
      steadyClock: this.steadyClock,
      random: dice.next,
      store: this.#wrapped(store),
      reader: this.#wrapped(reader),
      approvals: this.#wrapped(approvals),
      connect: async (account, changes) => {
        const found = accounts.get(account.name);
        if (found === undefined) throw new Error(`there is no account ${account.name}`);
        return found.connect(this, account.requestsPerMinute, changes);
      },
    };
    this.#loop = await createServeLoop(parts.fleet, deps);
    const run = this.#loop.run({ stop: this.#stop.signal, hardStop: this.#hardStop.signal });
    this.#ended = Promise.race([run, this.#killed]);
  }

  async reload(): Promise<void> {
    const { clock } = this.#outside;
    const fleet = await clock.held(async () => this.#parts?.reload());
    if (fleet !== undefined) await Promise.race([this.#loop?.changeFleet(fleet), this.#killed]);
  }

  async close(): Promise<void> {
    await this.#outside.clock.held(async () => this.#parts?.close());
  }

  async terminate(graceMs: number): Promise<void> {
    this.#stop.abort();
    const over = new AbortController();
    void this.#outside.clock.sleep(graceMs, over.signal).then(() => this.#hardStop.abort());
    await this.#ended;
    over.abort();
    this.kill();
  }

  kill(): void {
    this.#dead = true;
    this.#die();
    this.#outside.onKill?.();
  }

  killAfter(steps: number): void {
    this.#stepsLeft = steps;
    if (steps <= 0) this.kill();
  }

  /** One step to the outside: before it, and before what follows it, the process may be killed. */
  async outside<T>(step: () => Promise<T> | T): Promise<T> {
    if (this.#isKilled()) return never();
    try {
      const done = await step();
      return this.#isKilled() ? await never<T>() : done;
    } catch (error) {
      if (this.#isKilled()) return never();
      throw error;
    }
  }

  #isKilled(): boolean {
    this.#stepsLeft -= 0.5;
    if (this.#stepsLeft <= 0) this.kill();
    return this.#dead;
  }

  /** Every asynchronous method of a thing is a step to the outside. */
  #wrapped<T extends object>(thing: T): T {
    return new Proxy(thing, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (["assertHeld", "isHeld", "isTeller", "onWrite", "draw"].includes(String(name)))
          return member.bind(target) as unknown;
        return (...args: readonly unknown[]) => this.outside(() => Reflect.apply(member, target, args) as unknown);
      },
    });
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
