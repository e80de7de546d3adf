import type { Clock } from "../../../../src/api/client.ts";
import type { Fleet } from "../../../../src/serve/fleet/fleet.ts";
import { Redactor } from "../../../../src/redact.ts";
import { accountPasses } from "../../../../src/serve/account/pass-account.ts";
import { fleetPowers } from "../../../../src/serve/account/fleet-powers.ts";
import { expandEntries } from "../../../../src/serve/fleet/expand-entries.ts";
import { stackPowers } from "../../../../src/serve/fleet/stack-powers.ts";
import type { ServeDeps } from "../../../../src/serve/serve-deps.ts";
import type { ServeEvent } from "../../../../src/serve/serve-events.ts";
import { type ServeLoop, createServeLoop } from "../../../../src/serve/serve-loop.ts";
import type { SourceReader } from "../../../../src/serve/sources/source-reader.ts";
import type { ServeStore } from "../../../../src/serve/store/store.ts";
import type { SimulatedClock } from "../../../serve/support/simulated-clock.ts";
import type { Dice } from "./dice.ts";
import type { ServeAccount } from "./serve-account.ts";

/** What outlives a process. */
export interface ServeOutside {
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
  /** Steps to the outside until it is killed; Infinity = it is not. */
  #stepsLeft = Infinity;
  readonly clock: Clock;
  /** As the connections of a real process have it: nobody sets it. */
  readonly steadyClock: Clock;
  readonly #outside: ServeOutside;
  readonly #stop = new AbortController();
  readonly #hardStop = new AbortController();
  #fleet: Fleet;
  #loop: ServeLoop | null = null;
  #ended: Promise<void> = Promise.resolve();

  constructor(fleet: Fleet, outside: ServeOutside) {
    this.#fleet = fleet;
    this.#outside = outside;
    this.#killed = new Promise((resolve) => (this.#die = resolve));
    const { clock } = outside;
    this.clock = {
      now: () => clock.now(),
      sleep: (ms, signal) => this.outside("sleep", () => clock.sleep(ms, signal)),
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
    const { accounts, approvals, dice, emit, reader, store } = this.#outside;
    const { powers } = fleetPowers(() => this.#fleet, new Redactor());
    const deps: ServeDeps = {
      clock: this.clock,
      steadyClock: this.steadyClock,
      random: dice.next,
      store: this.#wrapped("store", store),
      reader: this.#wrapped("reader", reader),
      approvals: {
        draw: approvals.draw,
        listApprovals: (...asked) => this.outside("tags", () => approvals.listApprovals(...asked)),
        readApprovals: (...asked) => this.outside("tags", () => approvals.readApprovals(...asked)),
      },
      connect: async (account, changes) => {
        const found = accounts.get(account.name);
        if (found === undefined) throw new Error(`there is no account ${account.name}`);
        return found.connect(this, account.requestsPerMinute, changes);
      },
      pass: accountPasses({ powers }),
      expand: (found) => {
        const present = found.filter(({ configs, entry }) => "pattern" in entry.config || configs.length > 0);
        const configs = new Map(
          present.map((one) => [one.entry.name, one.configs.map(({ path, match }) => ({ path, match: match ?? "" }))]),
        );
        const { problems, targets } = expandEntries(
          present.map(({ entry }) => entry),
          configs,
        );
        return { targets, problems: problems.map(({ name, message }) => ({ stack: name, message })) };
      },
      readClaims: (target, text) => {
        const account = this.#fleet.accounts.get(target.entry.account);
        if (account === undefined) return null;
        const granted = stackPowers({ target, account, text });
        return "settings" in granted ? granted.settings : null;
      },
      emit: (event) => {
        if (!this.dead) emit(event);
      },
      mask: (text) => text,
      dryRun: false,
    };
    this.#loop = await createServeLoop(this.#fleet, deps);
    const run = this.#loop.run({ stop: this.#stop.signal, hardStop: this.#hardStop.signal });
    this.#ended = Promise.race([run, this.#killed]);
  }

  /** As SIGHUP does. */
  async changeFleet(fleet: Fleet): Promise<void> {
    this.#fleet = fleet;
    await Promise.race([this.#loop?.changeFleet(fleet), this.#killed]);
  }

  /** As SIGTERM does, with a grace. */
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

  /** As kill -9 does, after so many more steps. */
  killAfter(steps: number): void {
    this.#stepsLeft = steps;
    if (steps <= 0) this.kill();
  }

  /** One step to the outside: before it, and before what follows it, the process may be killed. */
  async outside<T>(_what: string, step: () => Promise<T> | T): Promise<T> {
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
  #wrapped<T extends object>(what: string, thing: T): T {
    return new Proxy(thing, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name === "assertHeld" || name === "isHeld" || name === "isTeller" || name === "onWrite")
          return member.bind(target) as unknown;
        return (...args: readonly unknown[]) =>
          this.outside(what, () => Reflect.apply(member, target, args) as unknown);
      },
    });
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
