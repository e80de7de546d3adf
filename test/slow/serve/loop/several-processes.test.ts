import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AccountPassInput, PassDeps } from "../../../../src/serve/account/account-pass.ts";
import type { AccountOutcome } from "../../../../src/serve/account/account-pass.ts";
import type { Fleet } from "../../../../src/serve/fleet/fleet.ts";
import type { ServeEvent } from "../../../../src/serve/serve-events.ts";
import { type ServeLoop, createServeLoop } from "../../../../src/serve/serve-loop.ts";
import { hasten, stackDueAt } from "../../../../src/serve/serve-state.ts";
import { runs } from "../../../support/runs.ts";
import { SharedDatabase, type SharedSession } from "../../../serve/support/shared-database.ts";
import { SimulatedClock } from "../../../serve/support/simulated-clock.ts";
import { MemorySources } from "../../../serve/support/memory-sources.ts";
import { accountOf, entryOf, expand, fleetOf, looked, minute, sourceOf } from "../../../serve/loop/loop-fixture.ts";

const names = ["a", "b", "c", "d"];
const files = Object.fromEntries(names.map((name) => [`${name}/edgewise.yaml`, `stack: ${name}\n`]));
const accounts = new Map(names.map((name) => [`acc-${name}`, accountOf(`acc-${name}`)]));
const fleet = fleetOf(
  names.map((name) => entryOf(name, { account: `acc-${name}` })),
  { accounts },
);

/** A pass of one process. */
interface Pass {
  readonly process: string;
  readonly account: string;
  readonly commits: readonly (string | null)[];
  readonly from: number;
  /** Infinity = it never ended. */
  to: number;
  readonly quietUntil: number;
  readonly unreachable: boolean;
}

interface Process {
  readonly name: string;
  readonly store: SharedSession;
  readonly loop: ServeLoop;
  readonly sources: MemorySources;
  readonly events: ServeEvent[];
  readonly ended: Promise<void>;
  readonly stop: () => void;
}

interface Edit {
  readonly [path: string]: string | null;
}

/** Several loops in virtual time over one database, whose passes take a second. */
class Fleets {
  readonly clock = new SimulatedClock();
  readonly database = new SharedDatabase(this.clock);
  readonly passes: Pass[] = [];
  readonly #dead = new Set<string>();
  readonly #pushed: Edit[] = [];
  readonly #has = new Map<MemorySources, number>();
  readonly #broken = new Set<MemorySources>();
  /** Every process has a clone of its own. */
  readonly clones: MemorySources[] = [];
  /** Called in the middle of a pass. */
  during: (pass: Pass, input: AccountPassInput, deps: PassDeps) => Promise<void> = async () => undefined;

  /** What is pushed reaches every clone that can be fetched. */
  push(changes: Edit): string {
    this.#pushed.push(changes);
    return this.clones.map((clone) => this.#catchUp(clone)).at(0) ?? "";
  }

  /** From now on, or no longer, the source can't be fetched by whoever has this clone. */
  breakFetch(clone: MemorySources, broken: boolean): void {
    if (broken) this.#broken.add(clone);
    else this.#broken.delete(clone);
    clone.break("edge", broken ? "no route to git" : null);
    this.#catchUp(clone);
  }

  /** The ids of all commits, oldest first. */
  line(): readonly string[] {
    const clone = new MemorySources(() => this.clock.now());
    const first = clone.push("edge", files);
    return [first, ...this.#pushed.map((changes) => clone.edit("edge", changes))];
  }

  #catchUp(clone: MemorySources): string {
    let commit = "";
    if (this.#broken.has(clone)) return commit;
    for (const changes of this.#pushed.slice(this.#has.get(clone) ?? 0)) commit = clone.edit("edge", changes);
    this.#has.set(clone, this.#pushed.length);
    return commit;
  }

  async start(name: string, changed: Fleet = fleet): Promise<Process> {
    const sources = new MemorySources(() => this.clock.now());
    sources.push("edge", files);
    this.clones.push(sources);
    this.#catchUp(sources);
    const events: ServeEvent[] = [];
    const store = this.database.connect();
    const stop = new AbortController();
    const deps = {
      clock: this.clock,
      random: () => 0.5,
      store,
      reader: sources,
      connect: async () => Promise.reject(new Error("nothing connects here")),
      pass: (input: AccountPassInput, deps: PassDeps) => this.#pass(name, input, deps),
      expand,
      readClaims: (_: unknown, text: string) => ({
        marker: /^stack: (.+)$/mu.exec(text)?.[1] ?? null,
        previousStacks: [],
      }),
      emit: (event: ServeEvent) => void events.push(event),
      mask: (text: string) => text,
      dryRun: false,
    };
    const loop = await createServeLoop(changed, deps);
    const ended = loop.run({ stop: stop.signal, hardStop: new AbortController().signal });
    onTestFinished(() => stop.abort());
    return { name, store, loop, sources, events, ended, stop: () => stop.abort() };
  }

  /** A process was killed: its passes have ended, too. */
  died(process: string): void {
    this.#dead.add(process);
    for (const pass of this.passes) if (pass.process === process) pass.to = Math.min(pass.to, this.clock.elapsed);
  }

  /** Passes of one account that ran at the same time. */
  overlaps(): readonly string[] {
    return this.passes.flatMap((one, index) =>
      this.passes.slice(index + 1).flatMap((other) => {
        const together = one.account === other.account && one.from < other.to && other.from < one.to;
        return together ? [`${one.account}: ${one.process} ${one.from}, ${other.process} ${other.from}`] : [];
      }),
    );
  }

  async #pass(process: string, input: AccountPassInput, deps: PassDeps): Promise<AccountOutcome> {
    const pass: Pass = {
      process,
      account: input.account.name,
      commits: input.due.map(({ commit }) => commit?.commit ?? null),
      from: this.clock.elapsed,
      to: Infinity,
      quietUntil: input.quietUntil ?? 0,
      unreachable: input.due.some(({ unfollowed }) => unfollowed?.unreachable === true),
    };
    this.passes.push(pass);
    await this.clock.sleep(500);
    await this.during(pass, input, deps);
    await this.clock.sleep(500, deps.hardStop);
    if (this.#dead.has(process)) await new Promise(() => {});
    pass.to = this.clock.elapsed;
    if (deps.hardStop.aborted) return { account: input.record, stacks: [] };
    const now = this.clock.now();
    const stacks = input.due.map((_, index) => ({
      record: looked(input, index, now),
      history: [],
    }));
    return { account: input.record, stacks };
  }
}

describe("several processes on one fleet", () => {
  it("look at each stack once in an interval, together", async () => {
    const fleets = new Fleets();
    const many = new Map(Array.from({ length: 20 }, (_, index) => [`acc-${index}`, accountOf(`acc-${index}`)]));
    const entries = [...many.keys()].map((account) =>
      entryOf(`s-${account}`, { account, config: { path: "a/edgewise.yaml" } }),
    );
    const large = fleetOf(entries, { accounts: many });
    await Promise.all(["one", "two", "three"].map((name) => fleets.start(name, large)));
    await fleets.clock.sleep(61 * minute);
    for (const name of many.keys()) {
      const own = fleets.passes.filter(({ account }) => account === name);
      expect(own.length).toBeGreaterThanOrEqual(6);
      expect(own.length).toBeLessThanOrEqual(8);
    }
    expect(new Set(fleets.passes.map(({ process }) => process)).size).toBeGreaterThan(1);
    expect(fleets.overlaps()).toEqual([]);
  });

  it("pass an account within two seconds after its holder died, and don't write before its requests can't arrive", async () => {
    const fleets = new Fleets();
    const one = await fleets.start("one");
    let killedAt = 0;
    fleets.during = async ({ account, process }) => {
      if (process !== "one" || account !== "acc-b" || killedAt > 0) return;
      killedAt = fleets.clock.elapsed;
      one.store.kill();
      await new Promise(() => {});
    };
    await fleets.start("two");
    await fleets.clock.sleep(minute);
    const taken = fleets.passes.find(({ account, process }) => account === "acc-b" && process === "two");
    expect(killedAt).toBeGreaterThan(0);
    expect((taken?.from ?? Infinity) - killedAt).toBeLessThanOrEqual(2500);
    const began = fleets.clock.now() - fleets.clock.elapsed;
    expect((taken?.quietUntil ?? 0) - began - killedAt).toBeGreaterThanOrEqual(40_000);
  });

  it("never go back to a commit that another one has left, and fetch what it follows at once", async () => {
    const fleets = new Fleets();
    const slow = new Map([["edge", sourceOf("edge", { pollMs: 30 * minute })]]);
    const one = await fleets.start("one");
    const two = await fleets.start("two", { ...fleet, sources: slow });
    await fleets.clock.sleep(2 * minute);
    const commit = fleets.push({ "a/edgewise.yaml": "stack: a\n# more\n" });
    await fleets.clock.sleep(2 * minute);
    expect(two.loop.state.sources.get("edge")?.commit?.commit).toBe(commit);
    fleets.passes.splice(0);
    one.stop();
    await fleets.clock.sleep(25 * minute);
    expect(fleets.passes.length).toBeGreaterThan(0);
    for (const { commits, process } of fleets.passes) expect([process, commits]).toEqual(["two", [commit]]);
  });

  it("only look when they can't have the commit that another one followed, and leave that to it while it is there", async () => {
    const fleets = new Fleets();
    const one = await fleets.start("one");
    const two = await fleets.start("two");
    await fleets.clock.sleep(2 * minute);
    fleets.breakFetch(two.sources, true);
    const commit = fleets.push({ "a/edgewise.yaml": "stack: a\n# more\n" });
    await fleets.clock.sleep(5 * minute);
    const now = fleets.clock.now();
    const target = two.loop.state.targets.get("b");
    if (target === undefined) throw new Error("there is no b");
    hasten(two.loop.state, "b", now);
    expect(stackDueAt(two.loop.state, target, now)).toBeGreaterThan(now + 4 * minute);
    one.stop();
    await one.ended;
    fleets.passes.splice(0);
    await fleets.clock.sleep(30 * minute);
    expect(fleets.passes.length).toBeGreaterThanOrEqual(4);
    expect(fleets.passes.filter(({ unreachable }) => !unreachable)).toEqual([]);
    fleets.breakFetch(two.sources, false);
    await fleets.clock.sleep(15 * minute);
    const last = fleets.passes.at(-1);
    expect([last?.process, last?.commits, last?.unreachable]).toEqual(["two", [commit], false]);
  });

  it("leave a stack alone that another one's fleet file describes, until nobody looks at it any more", async () => {
    const fleets = new Fleets();
    const one = await fleets.start("one");
    await fleets.start("two", { ...fleet, entries: fleet.entries.filter(({ name }) => name !== "d") });
    const orphaned = () => fleets.database.history.filter(({ outcome }) => outcome === "orphaned");
    await fleets.clock.sleep(60 * minute);
    expect(orphaned()).toEqual([]);
    one.stop();
    await fleets.clock.sleep(9 * minute);
    expect(orphaned()).toEqual([]);
    await fleets.clock.sleep(15 * minute);
    expect(orphaned().map(({ stack }) => stack)).toEqual(["d"]);
  });

  it("say once that the database is gone, pass nothing meanwhile, and go on when it is back", async () => {
    const fleets = new Fleets();
    const one = await fleets.start("one");
    await fleets.clock.sleep(2 * minute);
    fleets.database.turn(false);
    fleets.passes.splice(0);
    await fleets.clock.sleep(30 * minute);
    expect(fleets.passes).toEqual([]);
    expect(one.events.filter(({ event }) => event === "store-failed")).toHaveLength(1);
    fleets.database.turn(true);
    await fleets.clock.sleep(2 * minute);
    expect(fleets.passes.length).toBeGreaterThanOrEqual(4);
    expect(one.events.filter(({ event }) => event === "store-recovered")).toHaveLength(1);
    expect(one.events.filter(({ event }) => event === "bug")).toEqual([]);
  });
});

describe("several processes, whatever happens to them", () => {
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 90_000 }),
    what: fc.constantFrom("kill", "cut", "down", "up", "push", "break", "start", "nothing"),
    which: fc.nat(),
  });

  it("never pass an account at the same time, nor go back, nor leave one alone", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const fleets = new Fleets();
        const running = [await fleets.start("0"), await fleets.start("1")];
        let pushes = 0;
        let number = running.length;
        for (const { wait, what, which } of steps) {
          await fleets.clock.sleep(wait);
          const process = running[which % running.length];
          if (process === undefined) continue;
          if (what === "kill") {
            process.store.kill();
            // What is dead does not turn for ever either.
            process.stop();
            fleets.died(process.name);
            running.splice(running.indexOf(process), 1);
          }
          if (what === "cut") process.store.cut();
          if (what === "break") fleets.breakFetch(process.sources, which % 2 === 0);
          if (what === "down" || what === "up") fleets.database.turn(what === "up");
          if (what === "push") fleets.push({ "a/edgewise.yaml": `stack: a\n# ${pushes++}\n` });
          if ((what === "start" || running.length === 0) && fleets.database.up)
            running.push(await fleets.start(String(number++)));
        }
        fleets.database.turn(true);
        for (const clone of fleets.clones) fleets.breakFetch(clone, false);
        if (running.length === 0) running.push(await fleets.start(String(number++)));
        const line = fleets.line();
        const calmFrom = fleets.clock.elapsed;
        await fleets.clock.sleep(25 * minute);
        for (const { stop, store } of running) {
          stop();
          store.kill();
        }
        expect(fleets.overlaps()).toEqual([]);
        for (const name of accounts.keys()) {
          const own = fleets.passes.filter(({ account }) => account === name);
          const order = own
            .filter(({ unreachable }) => !unreachable)
            .map((pass) => line.indexOf(pass.commits[0] ?? ""));
          expect(order).toEqual(order.toSorted((one, other) => one - other));
          expect(own.filter(({ from }) => from >= calmFrom).length).toBeGreaterThanOrEqual(2);
        }
      }),
      runs(30),
    );
  });
});
