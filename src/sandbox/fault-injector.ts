import type { Fault, FaultEnd, Rate } from "./fault.js";
import type { Lag } from "./lagging-world.js";
import type { Random } from "./sandbox-environment.js";

/** The combined faults of one request. */
export interface AppliedFaults {
  /** The specs of the faults that apply, in their order. */
  readonly specs: readonly string[];
  readonly delayMs: number;
  /** How far reads are behind. */
  readonly lag: Lag;
  /** Null = the response is not broken. */
  readonly end: Exclude<FaultEnd, { readonly of: "rate" }> | null;
  /** Whether the request is carried out before its response is broken. */
  readonly after: boolean;
  /** Seconds. */
  readonly retryAfter: number | null;
}

interface Counter {
  readonly fault: Fault;
  readonly window: RateWindow | null;
  selected: number;
  applied: number;
}

/** Decides which faults apply to a request. Delays add up; of the faults that end a response, the first counts. */
export class FaultInjector {
  readonly #counters: readonly Counter[];
  readonly #random: Random;

  constructor(faults: readonly Fault[], random: Random) {
    this.#random = random;
    this.#counters = faults.map((fault) => ({
      fault,
      window: fault.end?.of === "rate" ? new RateWindow(fault.end.rate) : null,
      selected: 0,
      applied: 0,
    }));
  }

  /** How far behind reads can be: each number of writes once, and the longest time. */
  get lags(): { readonly writes: readonly number[]; readonly longestMs: number } {
    const faults = this.#counters.map(({ fault }) => fault);
    const writes = [...new Set(faults.map(({ staleWrites }) => staleWrites))].filter((each) => each > 0);
    return { writes, longestMs: Math.max(0, ...faults.map(({ lagMs }) => lagMs)) };
  }

  /** How often each fault was applied, by its spec. */
  get counts(): { readonly [spec: string]: number } {
    const counts: Record<string, number> = {};
    for (const { fault, applied } of this.#counters) counts[fault.spec] = (counts[fault.spec] ?? 0) + applied;
    return counts;
  }

  /**
   * Counts a request and returns the faults that apply to it.
   * @param path without the query
   * @param now milliseconds that never go back, for rates
   */
  apply(method: string, path: string, now: number): AppliedFaults {
    const specs: string[] = [];
    let delayMs = 0;
    let writes = 0;
    let milliseconds = 0;
    let ending: Pick<AppliedFaults, "end" | "after" | "retryAfter"> | null = null;
    for (const counter of this.#counters) {
      const { fault } = counter;
      // A response ends once; a later fault that would end it again does not apply and does not count.
      if (fault.end !== null && ending !== null) continue;
      if (!this.#selects(counter, method, path)) continue;
      const waitMs = counter.window?.enter(now) ?? null;
      if (waitMs === 0) continue;
      counter.applied += 1;
      specs.push(fault.spec);
      delayMs += fault.delayMs;
      writes = Math.max(writes, fault.staleWrites);
      milliseconds = Math.max(milliseconds, fault.lagMs);
      if (fault.end !== null)
        ending = { end: endOf(fault.end), after: fault.after, retryAfter: retryAfterOf(fault, waitMs) };
    }
    return {
      specs,
      delayMs,
      lag: { writes, milliseconds },
      ...(ending ?? { end: null, after: false, retryAfter: null }),
    };
  }

  #selects(counter: Counter, method: string, path: string): boolean {
    const { select } = counter.fault;
    if (select.methods.length > 0 && !select.methods.includes(method)) return false;
    if (select.path !== null && !fitsPattern(path, select.path)) return false;
    if (select.count !== null && counter.applied >= select.count) return false;
    counter.selected += 1;
    if (counter.selected <= select.skip) return false;
    return select.probability === 1 || this.#random() < select.probability;
  }
}

function endOf(end: FaultEnd): AppliedFaults["end"] {
  return end.of === "rate" ? { of: "status", status: 429, html: false } : end;
}

function retryAfterOf({ retryAfter }: Fault, waitMs: number | null): number | null {
  return retryAfter === "auto" ? Math.ceil((waitMs ?? 0) / 1000) : retryAfter;
}

/** Counts requests in a rolling window of time. */
export class RateWindow {
  #times: number[] = [];

  constructor(readonly rate: Rate) {}

  /**
   * Counts one request if the window has room.
   * @param now milliseconds that never go back
   * @returns 0 = counted; otherwise the milliseconds until there is room, and the request does not count
   */
  enter(now: number): number {
    const oldest = now - this.rate.windowMs;
    if ((this.#times[0] ?? now) <= oldest) this.#times = this.#times.filter((time) => time > oldest);
    const first = this.#times[this.#times.length - this.rate.requests];
    if (first !== undefined) return first - oldest;
    this.#times.push(now);
    return 0;
  }
}

/** Whether a path matches a pattern in which `*` means any characters, including `/`. */
export function fitsPattern(path: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return path === first;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}
