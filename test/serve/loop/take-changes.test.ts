import { describe, expect, it } from "vitest";
import { enterState } from "../../../src/serve/keep-records.ts";
import { newAccountRecord, newStackRecord } from "../../../src/serve/records.ts";
import type { StackRecord } from "../../../src/serve/records.ts";
import type { ServeDeps } from "../../../src/serve/serve-deps.ts";
import { type ServeState, setTargets, stateOf, unhasten } from "../../../src/serve/serve-state.ts";
import type { StoredChanges } from "../../../src/serve/store/store.ts";
import { takeChanges } from "../../../src/serve/take-changes.ts";
import { SharedDatabase } from "../support/shared-database.ts";
import { SimulatedClock } from "../support/simulated-clock.ts";
import { entryOf, fleetOf } from "./loop-fixture.ts";

const entry = entryOf("prod");
const target = { name: "prod", entry, config: "prod/edgewise.yaml", stack: null, secrets: null };

function recordAt(lookedAt: number, changes: Partial<StackRecord["status"]> = {}): StackRecord {
  const record = newStackRecord(target, 0);
  return { ...record, status: { ...record.status, state: "synced", lookedAt, nextLook: 1e15, ...changes } };
}

const nothing: StoredChanges = { stacks: [], accounts: [], sources: [], abandoned: [] };

/** A process that is told changes. */
function processOf(stacks: readonly StackRecord[]) {
  const clock = new SimulatedClock();
  const stored = { stacks: new Map(stacks.map((one) => [one.name, one])), accounts: new Map(), sources: new Map() };
  const state = stateOf(fleetOf([entry]), { ...stored, damaged: new Map() }, clock.now(), true);
  setTargets(state, new Map([["prod", target]]));
  const store = new SharedDatabase(clock).connect();
  let next: StoredChanges = nothing;
  store.changes = async () => next;
  const deps = { clock, store, emit: () => undefined, mask: (text: string) => text } as unknown as ServeDeps;
  const take = (changes: Partial<StoredChanges> = {}): Promise<void> => {
    next = { ...nothing, ...changes };
    return takeChanges(state, deps);
  };
  return { state, deps, take };
}

function asking(state: ServeState): void {
  state.passing.set("main", new AbortController());
}

describe("what other processes saved", () => {
  it("while this one asked for the account in vain is taken over after that", async () => {
    const { state, take } = processOf([recordAt(1)]);
    asking(state);
    await take({ stacks: [recordAt(2)], accounts: [{ ...newAccountRecord("main"), lastWrite: 7 }] });
    expect([state.stacks.get("prod")?.status.lookedAt, state.accounts.get("main")?.lastWrite]).toEqual([1, undefined]);
    await take();
    state.passing.delete("main");
    await take();
    expect([state.stacks.get("prod")?.status.lookedAt, state.accounts.get("main")?.lastWrite]).toEqual([2, 7]);
    expect([...state.passedElsewhere]).toEqual(["prod"]);
  });

  it("counts for nothing when this process has passed the account since", async () => {
    const { state, take } = processOf([recordAt(1)]);
    asking(state);
    await take({ stacks: [recordAt(2)] });
    state.stacks.set("prod", recordAt(3));
    state.passing.delete("main");
    await take();
    expect(state.stacks.get("prod")?.status.lookedAt).toBe(3);
    expect(state.deferred.stacks.size).toBe(0);
  });

  it("is not entered in the history once more, when it is what this process sees, too", async () => {
    const { deps, state, take } = processOf([recordAt(1)]);
    asking(state);
    const orphaned = recordAt(1, { state: "orphaned", since: 5, message: "nothing describes it" });
    await take({ stacks: [orphaned] });
    await enterState(state, recordAt(1), { state: "orphaned", reason: null, message: "nothing describes it" }, deps);
    expect(state.stacks.get("prod")).toBe(orphaned);
  });

  it("hastens an account whose holder died once, also when nobody ever claims it again as what it was", async () => {
    const { state, take } = processOf([recordAt(1)]);
    await take({ abandoned: ["main"] });
    expect([...state.hastened.keys()]).toEqual(["prod"]);
    unhasten(state, "prod");
    await take({ abandoned: ["main"] });
    expect([...state.hastened.keys()]).toEqual([]);
    await take();
    await take({ abandoned: ["main"] });
    expect([...state.hastened.keys()]).toEqual(["prod"]);
  });

  it("that can't be read is told once, and once more when something else is the reason by now", async () => {
    const { deps, state } = processOf([]);
    const told: string[] = [];
    const because = (message: string): Promise<void> => {
      const store = { ...deps.store, changes: async () => Promise.reject(new Error(message)) };
      const emit: ServeDeps["emit"] = (event) => void ("message" in event && told.push(event.message ?? ""));
      return takeChanges(state, { ...deps, store, emit });
    };
    for (const why of ["it was cut", "it was cut", "nothing listens there", "nothing listens there"])
      await because(why);
    expect(told).toEqual(["it was cut", "nothing listens there"]);
  });
});
