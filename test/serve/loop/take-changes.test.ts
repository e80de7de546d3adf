import { describe, expect, it } from "vitest";
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
});
