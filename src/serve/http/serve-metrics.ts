import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { impacts } from "../../kinds/impact.js";
import { stackStates } from "../records.js";
import { type ServeEvent, troubleKinds } from "../serve-events.js";
import { type ServeView, ageSeconds, countStates, stateAt, waitingChanges } from "./shown-stack.js";

export type ServeMetrics = ReturnType<typeof createMetrics>;

const buckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

const mostSingleSeries = 5000;

export function createMetrics(build: Readonly<{ version: string; commit: string | null }>) {
  const registry = new Registry();
  const registers = [registry];
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers });
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const info = gauge("edgewise_build_info", "1, with the version and its commit.", "version", "commit");
  info.set({ version: build.version, commit: build.commit ?? "unknown" }, 1);
  const reconciles = counter("edgewise_reconciles_total", "Passes of stacks, by the state at their end.", "outcome");
  // A rate needs a value before the first time.
  for (const outcome of stackStates) reconciles.inc({ outcome }, 0);
  const storeUsable = gauge("edgewise_store_usable", "1 while the state directory or the database can be used.");
  storeUsable.set(1);
  const duration = new Histogram({
    name: "edgewise_reconcile_duration_seconds",
    help: "How long one pass of one stack took.",
    buckets,
    registers,
  });
  const requests = counter("edgewise_api_requests_total", "Requests to the service; none = no answer.", "status");
  const rateLimited = counter("edgewise_api_rate_limited_total", "Times that the service asked to slow down.");
  const age = gauge("edgewise_stack_age_seconds", "Since the last complete look at a stack began.", "stack");
  const state = gauge("edgewise_stack_state", "1 for the state of a stack.", "stack", "state", "reason");
  const stacks = gauge("edgewise_stacks", "How many stacks have a state.", "state");
  const oldest = gauge("edgewise_stacks_oldest_age_seconds", "The age of the stack that was looked at longest ago.");
  const drift = gauge("edgewise_drift_findings", "Differences that are not put back and not only a commit made.");
  const waiting = gauge("edgewise_waiting_changes", "Changes that wait, by the worst impact of their stack.", "impact");
  const source = gauge("edgewise_source_age_seconds", "Since a source was last fetched with success.", "source");
  const brake = gauge("edgewise_brake", "1 while automatic writes to an account are paused.", "account");
  const troubles = gauge("edgewise_troubles", "Troubles that no stack's state says, as the page of the fleet.", "kind");
  const passing = gauge("edgewise_accounts_passing", "Accounts that this process passes now.");

  const measure = (view: ServeView, now: number): void => {
    for (const each of [age, state, stacks, oldest, source, brake]) each.reset();
    const all = view.stacks();
    const counts = countStates(all, now);
    for (const each of stackStates) stacks.set({ state: each }, counts[each]);
    for (const each of impacts) waiting.set({ impact: each }, 0);
    drift.set(0);
    let longest = 0;
    for (const stack of all) {
      const { name, status } = stack.record;
      const { changes, impact } = status;
      const seconds = ageSeconds(status.lookedAt, now);
      longest = Math.max(longest, seconds ?? 0);
      drift.inc(changes.drift + changes.both);
      if (status.state === "waiting") waiting.inc({ impact }, waitingChanges(status));
      if (all.length >= mostSingleSeries) continue;
      const shown = stateAt(stack, now);
      const reason = shown === "waiting" && status.reason !== null ? { reason: status.reason } : {};
      state.set({ stack: name, state: shown, ...reason }, 1);
      if (seconds !== null) age.set({ stack: name }, seconds);
    }
    oldest.set(longest);
    for (const { name, fetchedAt, problem } of view.sources()) {
      // One that never could be fetched must not be missing from an alert on age.
      const seconds = ageSeconds(fetchedAt ?? problem?.since ?? null, now);
      if (seconds !== null) source.set({ source: name }, seconds);
    }
    for (const kind of troubleKinds)
      troubles.set({ kind }, view.troubles().filter((trouble) => trouble.kind === kind).length);
    passing.set(view.passing());
    const accounts = view.accounts();
    for (const { name, brake: engaged } of accounts)
      if (engaged !== null || accounts.length < mostSingleSeries)
        brake.set({ account: name }, engaged === null ? 0 : 1);
  };

  return {
    onEvent(event: ServeEvent): void {
      if (event.event === "stack-looked") {
        reconciles.inc({ outcome: event.state });
        duration.observe(Math.max(0, event.ms) / 1000);
      } else if (event.event === "request") requests.inc({ status: statusLabel(event.status) });
      else if (event.event === "rate-limited") rateLimited.inc();
      else if (event.event === "store-failed") storeUsable.set(0);
      else if (event.event === "store-recovered") storeUsable.set(1);
    },
    async render(view: ServeView, now: number) {
      measure(view, now);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

function statusLabel(status: number): string {
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : "none";
}
