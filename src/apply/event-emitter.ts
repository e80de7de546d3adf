import type { ApplyDeps } from "./apply-deps.js";
import type { EventBody } from "./events.js";

/** Passes events on, with their time, and keeps count of those that are not yet written. */
export class EventEmitter {
  readonly #deps: Pick<ApplyDeps, "onEvent" | "clock">;
  readonly #failed: (error: unknown) => void;
  #open: Promise<unknown> = Promise.resolve();
  #broken = false;

  /** @param failed called once, when an event could not be told */
  constructor(deps: Pick<ApplyDeps, "onEvent" | "clock">, failed: (error: unknown) => void) {
    this.#deps = deps;
    this.#failed = failed;
  }

  /** Tells an event. Resolves to whether it was taken (written, for a journal); never rejects. */
  async emit(body: EventBody): Promise<boolean> {
    const event = { time: new Date(this.#deps.clock.now()).toISOString(), ...body };
    try {
      const taken = this.#deps.onEvent(event);
      if (taken !== undefined) {
        this.#open = Promise.allSettled([this.#open, taken]);
        await taken;
      }
      return true;
    } catch (error) {
      if (!this.#broken) {
        this.#broken = true;
        this.#failed(error);
      }
      return false;
    }
  }

  /** Resolves when every event told so far was taken, or failed to be. */
  async flushed(): Promise<void> {
    await this.#open;
  }
}
