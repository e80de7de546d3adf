import type { ApplyEvent } from "../../apply/events.js";
import type { RateLimit } from "./log.js";

const minuteMs = 60_000;

/** What a progress bar shows of a run, kept up to date by its events. Times are milliseconds since 1970. */
export class RunState {
  total = 0;
  running = 0;
  done = 0;
  failed = 0;
  readonly #requestsPerMinute: number | null;
  /** When the wait of each operation that waits is over, and why it waits. */
  readonly #waiting = new Map<string, { readonly until: number; readonly why: string }>();
  /** When the requests of the last minute were sent. */
  readonly #sent: number[] = [];

  /** @param requestsPerMinute the limit that is configured; null = none */
  constructor(requestsPerMinute: number | null) {
    this.#requestsPerMinute = requestsPerMinute;
  }

  take(event: ApplyEvent, now: number): void {
    if (event.event === "run-started") this.total = event.operations;
    else if (event.event === "operation-started") this.running += 1;
    else if (event.event === "request") {
      this.#sent.push(now);
      this.#waiting.delete(event.op);
    } else if (event.event === "waiting") {
      const why = event.reason === "settling" ? "settling" : "looking up";
      this.#waiting.set(event.op, { until: now + event.milliseconds, why });
    } else if (event.event === "operation-ended") {
      // Skipped operations were never started.
      if (event.status !== "skipped") this.running = Math.max(0, this.running - 1);
      if (event.status === "failed" || event.status === "unknown") this.failed += 1;
      this.#waiting.delete(event.op);
      this.done += 1;
    }
  }

  /** Why operations wait: `2 settling`, `rate limit (60/min)`. */
  waits(now: number, limit: RateLimit): readonly string[] {
    const counts = new Map<string, number>();
    for (const { until, why } of this.#waiting.values()) {
      if (until > now) counts.set(why, (counts.get(why) ?? 0) + 1);
    }
    const most = this.#ceiling(limit);
    const isLimited = limit.until > now || (most !== null && this.#lastMinute(now) >= most);
    return [
      ...[...counts].map(([why, many]) => `${many} ${why}`),
      ...(isLimited ? [most === null ? "rate limit" : `rate limit (${most}/min)`] : []),
    ];
  }

  /** How many requests a minute may hold, as configured or learned; null when there is no limit. */
  #ceiling({ requestsPerMinute: learned }: RateLimit): number | null {
    const set = this.#requestsPerMinute;
    return learned === null || set === null ? (learned ?? set) : Math.min(learned, set);
  }

  #lastMinute(now: number): number {
    while ((this.#sent[0] ?? now) < now - minuteMs) this.#sent.shift();
    return this.#sent.length;
  }
}
