import { matchesWildcards } from "../core/wildcards.js";
import type { Fault, FaultEnd } from "./fault.js";
import type { Random } from "./sandbox-environment.js";

export interface AppliedFaults {
  /** The specs of the faults that apply, in their order. */
  readonly specs: readonly string[];
  readonly delayMs: number;
  readonly lagMs: number;
  /** Null = the response is not broken. */
  readonly end: Exclude<FaultEnd, { readonly of: "rate" }> | null;
  /** Whether the request is carried out first. */
  readonly after: boolean;
  readonly retryAfter: number | null;
}

interface Counter {
  readonly fault: Fault;
  /** When the requests of the rolling window of a rate came. */
  times: readonly number[];
  selected: number;
  applied: number;
}

/** Decides which faults apply to a request. Delays add up; of the faults that end a response, the first counts. */
export class FaultInjector {
  readonly #counters: readonly Counter[];

  constructor(
    faults: readonly Fault[],
    private readonly random: Random,
  ) {
    this.#counters = faults.map((fault) => ({ fault, times: [], selected: 0, applied: 0 }));
  }

  /** How far behind reads can be, in ms. */
  get mostLag(): number {
    return Math.max(0, ...this.#counters.map(({ fault }) => fault.lagMs));
  }

  /** How often each fault was applied, by its spec. */
  get counts(): { readonly [spec: string]: number } {
    const counts: Record<string, number> = {};
    for (const { fault, applied } of this.#counters) counts[fault.spec] = (counts[fault.spec] ?? 0) + applied;
    return counts;
  }

  /**
   * @param path without the query
   * @param now ms that never go back, for rates
   */
  apply(method: string, path: string, now: number): AppliedFaults {
    const specs: string[] = [];
    let [delayMs, lagMs] = [0, 0];
    let ending: Pick<AppliedFaults, "end" | "after" | "retryAfter"> = { end: null, after: false, retryAfter: null };
    for (const counter of this.#counters) {
      const { fault } = counter;
      const { after, end, retryAfter } = fault;
      // A response ends once; a later fault that would end it again does not apply and does not count.
      if ((end !== null && ending.end !== null) || !this.#selects(counter, method, path)) continue;
      const wait = end?.of === "rate" ? waitFor(counter, end, now) : null;
      if (wait === 0) continue;
      counter.applied += 1;
      specs.push(fault.spec);
      delayMs += fault.delayMs;
      lagMs = Math.max(lagMs, fault.lagMs);
      if (end === null) continue;
      ending = {
        end: end.of === "rate" ? { of: "status", status: 429, html: false } : end,
        after,
        retryAfter: retryAfter === "auto" ? Math.ceil((wait ?? 0) / 1000) : retryAfter,
      };
    }
    return { specs, delayMs, lagMs, ...ending };
  }

  #selects(counter: Counter, method: string, path: string): boolean {
    const { count, methods, path: pattern, probability, skip } = counter.fault;
    if ((methods.length > 0 && !methods.includes(method)) || !matchesWildcards(pattern, path)) return false;
    if (counter.applied >= count) return false;
    counter.selected += 1;
    return counter.selected > skip && (probability === 1 || this.random() < probability);
  }
}

/** Counts a request when the rate has room, and returns 0; else the ms until there is room. */
function waitFor(counter: Counter, { rate }: Extract<FaultEnd, { of: "rate" }>, now: number): number {
  counter.times = counter.times.filter((time) => time > now - rate.windowMs);
  const first = counter.times[counter.times.length - rate.requests];
  if (first !== undefined) return first + rate.windowMs - now;
  counter.times = [...counter.times, now];
  return 0;
}
