import type { Clock } from "../api/client.js";
import type { ServeView, StackView } from "./http/shown-stack.js";
import type { Trouble } from "./serve-events.js";
import { type Fleet, type StackTarget, entryFinder } from "./fleet/fleet.js";
import { type StackRecord, newStackRecord } from "./records.js";
import type { ServeLoop } from "./serve-loop.js";
import type { ServeState } from "./serve-state.js";
import type { ServeStore } from "./store/store.js";

const orphanIntervalMs = 600_000;

export function createLoopView(
  loop: Pick<ServeLoop, "state" | "markDue">,
  {
    store,
    clock,
    troubles,
  }: { readonly store: ServeStore; readonly clock: Clock; readonly troubles: () => readonly Trouble[] },
): ServeView {
  const { state } = loop;
  return {
    stacks: () => stacksOf(state, clock.now()),
    stack: (name) => stackOf(state, name, clock.now()),
    plan: (stack) => store.readPlan(stack),
    history: (stack, page) => store.readHistory(stack, page),
    sources: () => [...state.sources.values()].flatMap(({ record }) => (record === null ? [] : [record])),
    accounts: () =>
      [...state.fleet.accounts.keys()].flatMap((name) => {
        const account = state.accounts.get(name);
        return account === undefined ? [] : [account];
      }),
    troubles,
    passing: () => state.passing.size,
    heartbeat: () => state.heartbeat,
    unreadiness: async () => {
      return [
        ...(!state.storeFailed && (await store.isUsable()) ? [] : ["The state can't be saved."]),
        // Who asks needs no token: what stands in the file is for the log alone.
        ...(troubles().some(({ kind }) => kind === "fleet")
          ? ["The fleet file has errors, and stays in effect as it was. The log says which."]
          : []),
        ...(wasTried(state) ? [] : ["Not every stack was looked at yet."]),
      ];
    },
    markDue: (source, at) => loop.markDue(source, at),
  };
}

export function stacksOf(state: ServeState, now: number): readonly StackView[] {
  const targets = [...state.targets.values()].map((target) => targetView(state, target, now));
  const others = [...state.stacks.values()].filter(({ name }) => !state.targets.has(name));
  return [...targets, ...others.map(recordViews(state.fleet))];
}

function targetView({ stacks }: ServeState, target: StackTarget, now: number): StackView {
  const { approvers, intervalMs } = target.entry.policy;
  const record = stacks.get(target.name) ?? newStackRecord(target, now);
  return { record, intervalMs, approvable: approvers !== null };
}

export function recordViews(fleet: Fleet): (record: StackRecord) => StackView {
  const find = entryFinder(fleet);
  return (record) => ({
    record,
    intervalMs: find(record.name)?.policy.intervalMs ?? orphanIntervalMs,
    approvable: false,
  });
}

function stackOf(state: ServeState, name: string, now: number): StackView | null {
  const target = state.targets.get(name);
  if (target !== undefined) return targetView(state, target, now);
  const record = state.stacks.get(name);
  return record === undefined ? null : recordViews(state.fleet)(record);
}

function wasTried({ sources, stacks, targets }: ServeState): boolean {
  if ([...sources.values()].some(({ tried }) => !tried)) return false;
  for (const name of targets.keys()) if (!stacks.has(name)) return false;
  return true;
}
