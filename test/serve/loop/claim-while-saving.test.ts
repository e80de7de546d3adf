import { describe, expect, it } from "vitest";
import { claimAndPass } from "../../../src/serve/claim-pass.ts";
import { newStackRecord } from "../../../src/serve/records.ts";
import type { ServeDeps } from "../../../src/serve/serve-deps.ts";
import { loadServeState, setTargets } from "../../../src/serve/serve-state.ts";
import { takeChanges } from "../../../src/serve/take-changes.ts";
import { MemorySources } from "../support/memory-sources.ts";
import { SharedDatabase } from "../support/shared-database.ts";
import { SimulatedClock } from "../support/simulated-clock.ts";
import { accountOf, entryOf, expand, fleetOf } from "./loop-fixture.ts";

const account = accountOf("main");
const entry = entryOf("prod", { account: "main" });
const fleet = fleetOf([entry], { accounts: new Map([["main", account]]) });
const target = { name: "prod", entry, config: "edgewise.yaml", stack: "prod", secrets: null };
const never = new AbortController().signal;

/** A process that learns what others changed while its claim is on its way, and what it knows after that. */
async function claimWhileOthersSave() {
  const clock = new SimulatedClock();
  const database = new SharedDatabase(clock);
  const [own, other] = [database.connect(), database.connect()];
  const deps: ServeDeps = {
    clock,
    random: () => 0.5,
    store: own,
    reader: new MemorySources(() => clock.now()),
    connect: async () => expect.unreachable(),
    pass: async ({ record }) => ({ account: record, stacks: [] }),
    expand,
    readClaims: () => null,
    emit: () => undefined,
    mask: (text) => text,
    dryRun: false,
  };
  const state = await loadServeState(fleet, deps);
  setTargets(state, new Map([["prod", target]]));
  const record = newStackRecord(target, clock.now() + 5);
  const holds = await other.claim([{ account, stacks: ["prod"] }], 1);
  await other.saveStack(record);
  const claim = own.claim.bind(own);
  own.claim = async (wanted, most) => {
    await takeChanges(state, deps);
    return claim(wanted, most);
  };
  const passes = { all: true, stop: never, hardStop: never, onEnd: () => undefined };
  const passed = await claimAndPass(state, [{ account, targets: [target] }], passes, deps);
  await takeChanges(state, deps);
  return { known: state.stacks.get("prod"), record, passed: [...passed], holds: holds.length, state };
}

describe("what others changed", () => {
  it("is taken over while an account is asked for that turns out to be another process's", async () => {
    const { holds, known, passed, record, state } = await claimWhileOthersSave();
    expect(holds).toBe(1);
    expect(passed).toEqual([]);
    expect(known).toEqual(record);
    expect(state.passing.size).toBe(0);
  });
});
