import { Gauge, type Registry } from "prom-client";
import { type Impact, impacts } from "../../kinds/impact.js";
import { type StackState, stackStates } from "../records.js";
import { troubleKinds } from "../troubles.js";
import type { ServeView, ShownState, StackView } from "./serve-view.js";
import { ageSeconds } from "./shown-stack.js";

/** What is measured when it is asked for: the fleet as it stands. */
export interface FleetGauges {
  set(view: ServeView, shownState: ShownState, now: number): void;
}

/** From so many stacks on there are no series of single stacks: Prometheus would suffer, and the list shows them. */
export const mostSingleSeries = 5000;

/** Registers the gauges. Each name has one set of labels, so that sums never count anything twice. */
export function createFleetGauges(registers: Registry[]): FleetGauges {
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers });
  const age = gauge("edgewise_stack_age_seconds", "Since the last complete look at a stack began.", "stack");
  const state = gauge("edgewise_stack_state", "1 for the state of a stack.", "stack", "state", "reason");
  const stacks = gauge("edgewise_stacks", "How many stacks have a state.", "state");
  const oldest = gauge("edgewise_stacks_oldest_age_seconds", "The age of the stack that was looked at longest ago.");
  const drift = gauge("edgewise_drift_findings", "Differences that are not put back and not only a commit made.");
  const waiting = gauge("edgewise_waiting_changes", "Changes that wait, by the worst impact of their stack.", "impact");
  const source = gauge("edgewise_source_age_seconds", "Since a source was last fetched with success.", "source");
  const brake = gauge("edgewise_brake", "1 while the unasked writes of an account are stopped.", "account");
  const troubles = gauge("edgewise_troubles", "Troubles that no stack's state says, as the page of the fleet.", "kind");
  const passing = gauge("edgewise_accounts_passing", "Accounts that this process passes now.");

  return {
    set(view, shownState, now) {
      for (const each of [age, state, stacks, oldest, source, brake]) each.reset();
      const all = view.stacks();
      const sums = sumUp(all, shownState, now);
      for (const each of stackStates) stacks.set({ state: each }, sums.states[each]);
      for (const each of impacts) waiting.set({ impact: each }, sums.waiting[each]);
      oldest.set(sums.oldest);
      drift.set(sums.drift);
      if (all.length < mostSingleSeries) {
        for (const { record, intervalMs } of all) {
          const { status, name } = record;
          const shown = shownState(status, intervalMs, now);
          const reason = shown === "waiting" && status.reason !== null ? { reason: status.reason } : {};
          state.set({ stack: name, state: shown, ...reason }, 1);
          const old = ageSeconds(status.lookedAt, now);
          if (old !== null) age.set({ stack: name }, old);
        }
      }
      for (const { name, fetchedAt, problem } of view.sources()) {
        // One that never could be fetched must not be missing from an alert on age.
        const old = ageSeconds(fetchedAt ?? problem?.since ?? null, now);
        if (old !== null) source.set({ source: name }, old);
      }
      for (const kind of troubleKinds)
        troubles.set({ kind }, view.troubles().filter((trouble) => trouble.kind === kind).length);
      passing.set(view.passing());
      const accounts = view.accounts();
      for (const { name, brake: engaged } of accounts) {
        if (engaged !== null || accounts.length < mostSingleSeries)
          brake.set({ account: name }, engaged === null ? 0 : 1);
      }
    },
  };
}

/** What holds for the whole fleet. */
interface FleetSums {
  readonly states: { [S in StackState]: number };
  readonly waiting: { [I in Impact]: number };
  oldest: number;
  drift: number;
}

function sumUp(stacks: readonly StackView[], shownState: ShownState, now: number): FleetSums {
  const sums: FleetSums = {
    states: { synced: 0, pending: 0, waiting: 0, refused: 0, failed: 0, orphaned: 0, unknown: 0 },
    waiting: { none: 0, cosmetic: 0, routing: 0, security: 0, irreversible: 0 },
    oldest: 0,
    drift: 0,
  };
  for (const { record, intervalMs } of stacks) {
    const { changes, impact, lookedAt, ...status } = record.status;
    const shown = shownState(record.status, intervalMs, now);
    sums.states[shown] += 1;
    sums.oldest = Math.max(sums.oldest, ageSeconds(lookedAt, now) ?? 0);
    sums.drift += changes.drift + changes.both;
    if (status.state === "waiting") sums.waiting[impact] += changes.commit + changes.drift + changes.both;
  }
  return sums;
}
