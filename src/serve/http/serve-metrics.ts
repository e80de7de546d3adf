import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ServeEvent } from "../serve-events.js";
import { type StackState, stackStates } from "../records.js";
import { type FleetGauges, createFleetGauges } from "./fleet-gauges.js";
import type { ServeView, ShownState } from "./serve-view.js";

/** What Prometheus reads (docs/serve/http.md). */
export interface ServeMetrics {
  /** Counts what the loop does. */
  onEvent(event: ServeEvent): void;
  /** Everything in Prometheus' text format, with the fleet as it is at a time (milliseconds since 1970). */
  render(view: ServeView, now: number): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** What the program was built from. */
export interface BuildInfo {
  readonly version: string;
  /** Null = it was not built from a commit. */
  readonly commit: string | null;
}

/** From a quiet stack of one page to a long apply. */
const seconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

/** Metrics with a registry of their own: two loops in one process count apart. */
export function createMetrics(build: BuildInfo, shownState: ShownState): ServeMetrics {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: "edgewise_build_info",
    help: "1, with the version of edgewise and the commit that it was built from.",
    labelNames: ["version", "commit"],
    registers,
  }).set({ version: build.version, commit: build.commit ?? "unknown" }, 1);
  const counters = createCounters(registers);
  const gauges: FleetGauges = createFleetGauges(registers);
  return {
    onEvent: (event) => count(event, counters),
    async render(view, now) {
      gauges.set(view, shownState, now);
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

type Counters = ReturnType<typeof createCounters>;

function createCounters(registers: Registry[]) {
  const reconciles = new Counter({
    name: "edgewise_reconciles_total",
    help: "Passes of stacks, by the state that they ended in.",
    labelNames: ["outcome"],
    registers,
  });
  // A rate needs a value before the first time.
  for (const outcome of stackStates) reconciles.inc({ outcome }, 0);
  const storeUsable = new Gauge({
    name: "edgewise_store_usable",
    help: "1 while the state directory or the database can be used.",
    registers,
  });
  storeUsable.set(1);
  return {
    reconciles,
    storeUsable,
    duration: new Histogram({
      name: "edgewise_reconcile_duration_seconds",
      help: "How long one pass of one stack took.",
      buckets: seconds,
      registers,
    }),
    requests: new Counter({
      name: "edgewise_api_requests_total",
      help: "Requests to the service, by the status of the answer; none = there was no answer.",
      labelNames: ["status"],
      registers,
    }),
    rateLimited: new Counter({
      name: "edgewise_api_rate_limited_total",
      help: "Times that the service asked to slow down.",
      registers,
    }),
  };
}

function count(event: ServeEvent, { reconciles, duration, requests, rateLimited, storeUsable }: Counters): void {
  if (event.event === "stack-looked") {
    const outcome: StackState = event.state;
    reconciles.inc({ outcome });
    duration.observe(Math.max(0, event.ms) / 1000);
  } else if (event.event === "request") requests.inc({ status: statusLabel(event.status) });
  else if (event.event === "rate-limited") rateLimited.inc();
  else if (event.event === "store-failed") storeUsable.set(0);
  else if (event.event === "store-recovered") storeUsable.set(1);
}

/** A closed set, whatever a service answers. */
function statusLabel(status: number): string {
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : "none";
}
