import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type Impact, impacts } from "../../kinds/impact.js";
import { type StackState, stackStates } from "../records.js";
import type { ServeEvent } from "../serve-events.js";
import { troubleKinds } from "../troubles.js";
import type { ServeView, StackView } from "./serve-view.js";
import { ageSeconds, stateAt } from "./shown-stack.js";

export interface ServeMetrics {
  onEvent(event: ServeEvent): void;
  render(view: ServeView, now: number): Promise<{ readonly contentType: string; readonly text: string }>;
}

export interface BuildInfo {
  readonly version: string;
  readonly commit: string | null;
}

const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

/** From so many stacks on there are no series of single stacks: Prometheus would suffer, and the list shows them. */
const mostSingleSeries = 5000;

/** Metrics with a registry of their own: two loops in one process count apart. Each name has one set of labels. */
export function createMetrics(build: BuildInfo): ServeMetrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers });
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  gauge(
    "edgewise_build_info",
    "1, with the version of edgewise and the commit that it was built from.",
    "version",
    "commit",
  ).set({ version: build.version, commit: build.commit ?? "unknown" }, 1);
  const reconciles = counter(
    "edgewise_reconciles_total",
    "Passes of stacks, by the state that they ended in.",
    "outcome",
  );
  // A rate needs a value before the first time.
  for (const outcome of stackStates) reconciles.inc({ outcome }, 0);
  const storeUsable = gauge("edgewise_store_usable", "1 while the state directory or the database can be used.");
  storeUsable.set(1);
  const duration = new Histogram({
    name: "edgewise_reconcile_duration_seconds",
    help: "How long one pass of one stack took.",
    buckets: seconds,
    registers,
  });
  const requests = counter(
    "edgewise_api_requests_total",
    "Requests to the service, by the status of the answer; none = there was no answer.",
    "status",
  );
  const rateLimited = counter("edgewise_api_rate_limited_total", "Times that the service asked to slow down.");
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

  const measure = (view: ServeView, now: number): void => {
    for (const each of [age, state, stacks, oldest, source, brake]) each.reset();
    const all = view.stacks();
    const sums = sumUp(all, now);
    for (const each of stackStates) stacks.set({ state: each }, sums.states[each]);
    for (const each of impacts) waiting.set({ impact: each }, sums.waiting[each]);
    oldest.set(sums.oldest);
    drift.set(sums.drift);
    if (all.length < mostSingleSeries) {
      for (const stack of all) {
        const { status, name } = stack.record;
        const shown = stateAt(stack, now);
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
  };

  return {
    onEvent(event) {
      if (event.event === "stack-looked") {
        reconciles.inc({ outcome: event.state });
        duration.observe(Math.max(0, event.ms) / 1000);
      } else if (event.event === "request") requests.inc({ status: statusLabel(event.status) });
      else if (event.event === "rate-limited") rateLimited.inc();
      else if (event.event === "store-failed") storeUsable.set(0);
      else if (event.event === "store-recovered") storeUsable.set(1);
    },
    async render(view, now) {
      measure(view, now);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function statusLabel(status: number): string {
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : "none";
}

interface FleetSums {
  readonly states: { [S in StackState]: number };
  readonly waiting: { [I in Impact]: number };
  oldest: number;
  drift: number;
}

function sumUp(stacks: readonly StackView[], now: number): FleetSums {
  const sums: FleetSums = {
    states: { synced: 0, pending: 0, waiting: 0, refused: 0, failed: 0, orphaned: 0, unknown: 0 },
    waiting: { none: 0, cosmetic: 0, routing: 0, security: 0, irreversible: 0 },
    oldest: 0,
    drift: 0,
  };
  for (const stack of stacks) {
    const { changes, impact, lookedAt, ...status } = stack.record.status;
    sums.states[stateAt(stack, now)] += 1;
    sums.oldest = Math.max(sums.oldest, ageSeconds(lookedAt, now) ?? 0);
    sums.drift += changes.drift + changes.both;
    if (status.state === "waiting") sums.waiting[impact] += changes.commit + changes.drift + changes.both;
  }
  return sums;
}
