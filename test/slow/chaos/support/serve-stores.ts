import type { StackRecord } from "../../../../src/serve/records.ts";
import type { ServeStore, StoredState } from "../../../../src/serve/store/store.ts";
import { MemoryDatabase } from "../../../serve/support/memory-store.ts";
import type { SimulatedClock } from "../../../serve/support/simulated-clock.ts";

/** After a takeover so long nothing is written. */
export const quietMs = 40_000;

export interface ScenarioStore {
  /** The store of a new process; what breaks when it is killed, and what when only its connection does. */
  connect(): { readonly store: ServeStore; readonly kill: () => void; readonly cut: () => void };
  mayConnect(): boolean;
  usable(): boolean;
  use(usable: boolean): void;
  onStack(told: (record: StackRecord) => void): void;
  load(): Promise<Pick<StoredState, "accounts" | "stacks">>;
  readPlan: ServeStore["readPlan"];
  /** When an account was last taken from a holder that did not give it back; in elapsed milliseconds. */
  takenOverAt(account: string): number;
}

export function ownStore(clock: SimulatedClock): ScenarioStore {
  return storeOf(new MemoryDatabase(clock, false));
}

export function sharedStore(clock: SimulatedClock): ScenarioStore {
  return storeOf(new MemoryDatabase(clock));
}

function storeOf(database: MemoryDatabase): ScenarioStore {
  const reader = database.connect();
  return {
    connect: () => {
      const store = database.connect();
      return { store, kill: () => store.kill(), cut: () => store.cut() };
    },
    mayConnect: () => !database.shared || database.up,
    usable: () => database.up,
    use: (usable) => database.turn(usable),
    onStack: (told) => {
      database.onWrite = (table, record) => {
        if (table === "stack") told(record as StackRecord);
      };
    },
    load: () => reader.load(),
    readPlan: (stack) => reader.readPlan(stack),
    takenOverAt: (account) => database.takenOver.get(account) ?? -Infinity,
  };
}
