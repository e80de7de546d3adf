import type { Client } from "../../../../src/api/client.ts";
import type { Dice } from "./dice.ts";
import { type Figures, count } from "./figures.ts";

/** How one run is cut short in the middle of its work, if it is: like a process, by a kill or by a signal. */
export class RunCut {
  /** For the run's client: what is in flight is cut off, and the service may carry it out all the same. */
  readonly kill = new AbortController();
  /** What the first SIGTERM does. */
  readonly signal = new AbortController();
  readonly #how: "kill" | "signal" | null;
  readonly #afterMs: number;

  /** @param longestMs a time by which most runs have ended, in real milliseconds */
  constructor(dice: Dice, longestMs: number) {
    this.#how = dice.chance(0.35) ? dice.pick(["kill", "signal"] as const) : null;
    this.#afterMs = dice.between(0, longestMs);
  }

  get killed(): boolean {
    return this.kill.signal.aborted;
  }

  /** Does the work until it ends or is killed; null = it was killed. */
  async during<T>(figures: Figures, work: () => Promise<T>): Promise<T | null> {
    let timer: NodeJS.Timeout | undefined;
    const dead = new Promise<null>((resolve) => {
      if (this.#how === null) return;
      timer = setTimeout(() => {
        count(figures.cuts, this.#how ?? "");
        this[this.#how ?? "signal"].abort();
        if (this.#how === "kill") resolve(null);
      }, this.#afterMs);
    });
    try {
      return await Promise.race([work(), dead]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A client that a killed run neither uses any more nor hears from. */
  through(client: Client): Client {
    const alive = async <T>(work: () => Promise<T>): Promise<T> => {
      if (this.killed) return silence();
      const done = await work().catch((error: unknown) => {
        if (this.killed) return silence<T>();
        throw error;
      });
      return this.killed ? silence() : done;
    };
    return {
      ...client,
      get: async (path) => alive(async () => client.get(path)),
      list: async (collection) => alive(async () => client.list(collection)),
      send: async (request) => alive(async () => client.send(request)),
    };
  }
}

/** Nothing comes any more. */
function silence<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
