import type { Clock } from "../../../src/api/client.ts";

export interface FakeClock extends Clock {
  readonly waits: readonly number[];
  advance(ms: number): void;
}

/**
 * A clock on which waiting takes no time: when nothing else happens, the sleeper that is due first wakes, and the
 * clock shows its time.
 */
export function fakeClock(start = Date.UTC(2030, 0, 1)): FakeClock {
  let now = start;
  const waits: number[] = [];
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  let scheduled = false;
  const schedule = (): void => {
    if (scheduled || sleepers.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      const first = sleepers.reduce<(typeof sleepers)[number] | null>(
        (a, b) => (a === null || b.at < a.at ? b : a),
        null,
      );
      if (first === null) return;
      sleepers = sleepers.filter((sleeper) => sleeper !== first);
      now = Math.max(now, first.at);
      first.wake();
      schedule();
    });
  };
  return {
    waits,
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    sleep: (ms, signal) => {
      waits.push(ms);
      if (signal?.aborted === true) return Promise.resolve();
      return new Promise((resolve) => {
        sleepers.push({ at: now + ms, wake: resolve });
        signal?.addEventListener("abort", () => resolve(), { once: true });
        schedule();
      });
    },
  };
}
