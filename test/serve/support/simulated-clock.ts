import type { Clock } from "../../../src/api/client.ts";

interface Sleeper {
  /** In elapsed milliseconds: setting the clock wakes nobody early or late. */
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

/** So many turns others may take at one moment; two clocks would wait for each other for ever. */
const mostPatience = 200;

/**
 * Time that passes only when nobody has anything left to do: then it jumps to the next waking. The clock on the wall
 * can be set back or forward meanwhile; who sleeps is not woken by that.
 */
export class SimulatedClock implements Clock {
  #elapsed = 0;
  #shown: number;
  #order = 0;
  readonly #sleepers = new Set<Sleeper>();
  #pumping = false;
  #patience = mostPatience;
  #holds = 0;

  constructor(start = Date.parse("2026-05-01T12:00:00Z")) {
    this.#shown = start;
  }

  now(): number {
    return this.#shown + this.#elapsed;
  }

  get elapsed(): number {
    return this.#elapsed;
  }

  shift(ms: number): void {
    this.#shown += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        this.#sleepers.delete(sleeper);
        resolve();
      };
      const sleeper = { at: this.#elapsed + Math.max(0, ms), order: this.#order++, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", wake);
      this.#pump();
    });
  }

  /** No time passes while something is done outside, such as reading a file. */
  async held<T>(work: () => Promise<T>): Promise<T> {
    this.#holds += 1;
    try {
      return await work();
    } finally {
      this.#holds -= 1;
      if (this.#sleepers.size > 0) this.#pump();
    }
  }

  #pump(): void {
    if (this.#pumping || this.#holds > 0) return;
    this.#pumping = true;
    // By then every promise that can settle at this moment has settled.
    setImmediate(() => {
      this.#pumping = false;
      if (this.#holds > 0) return;
      // Somebody let others have a turn, and goes on at this moment.
      if (this.#patience > 0 && process.getActiveResourcesInfo().includes("Immediate")) {
        this.#patience -= 1;
        return this.#pump();
      }
      this.#patience = mostPatience;
      let next: Sleeper | null = null;
      for (const one of this.#sleepers)
        if (next === null || one.at < next.at || (one.at === next.at && one.order < next.order)) next = one;
      if (next === null) return;
      this.#elapsed = next.at;
      next.wake();
      if (this.#sleepers.size > 0) this.#pump();
    });
  }
}
