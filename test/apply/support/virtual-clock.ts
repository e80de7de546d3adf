import type { Clock } from "../../../src/api/client.ts";

/**
 * Time that passes only when nobody has anything left to do: then it jumps to the next waking.
 * Every promise that can settle at a moment has settled before the next moment comes.
 */
export class VirtualClock implements Clock {
  #now = Date.parse("2024-05-01T12:00:00Z");
  readonly #start = this.#now;
  #sleepers: { at: number; wake: () => void }[] = [];
  #pumping = false;

  now(): number {
    return this.#now;
  }

  /** Milliseconds since the clock was made. */
  get elapsed(): number {
    return this.#now - this.#start;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      };
      const sleeper = { at: this.#now + ms, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", wake);
      this.#pump();
    });
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      const [next] = this.#sleepers.toSorted((a, b) => a.at - b.at);
      if (next === undefined) return;
      this.#now = next.at;
      next.wake();
      if (this.#sleepers.length > 0) this.#pump();
    });
  }
}
