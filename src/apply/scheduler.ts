import TinyQueue from "tinyqueue";
import { type OperationOutcome, skipReason, skipped } from "./operation-outcome.js";
import { type WaitGraph, isHard } from "./wait-graph.js";

/** What the scheduler asks and tells. */
export interface SchedulerHooks {
  /** Does one operation. Must not reject. */
  readonly run: (index: number) => Promise<OperationOutcome>;
  /** Why an operation that could begin should not, in words; null = it should. */
  readonly pointless: (index: number) => string | null;
  /** Told once for each operation. */
  readonly onEnd: (index: number, onEnd: OperationOutcome) => void;
}

/**
 * Runs operations when all that they wait for has ended, those that come first in the plan first, in O(n + waits)
 * besides the order of the queue. When one does not succeed, what needs it is skipped at once; the rest goes on.
 */
export class Scheduler {
  readonly #graph: WaitGraph;
  readonly #slots: Semaphore;
  readonly #hooks: SchedulerHooks;
  /** How each operation ended; undefined until then. */
  readonly outcomes: (OperationOutcome | undefined)[];
  readonly #open: number[];
  readonly #begun: boolean[];
  #left: number;
  #stopped: string | null = null;
  #finish: () => void = () => {};
  #crash: (error: unknown) => void = () => {};

  constructor(graph: WaitGraph, slots: Semaphore, hooks: SchedulerHooks) {
    this.#graph = graph;
    this.#slots = slots;
    this.#hooks = hooks;
    this.#left = graph.operations.length;
    this.outcomes = graph.operations.map(() => undefined);
    this.#open = graph.predecessors.map((before) => before.length);
    this.#begun = graph.operations.map(() => false);
  }

  /** Runs everything; resolves when each operation has ended. Rejects only for errors of this program. */
  async run(): Promise<void> {
    if (this.#left === 0) return;
    const finished = new Promise<void>((resolve, reject) => {
      this.#finish = resolve;
      this.#crash = reject;
    });
    const ready = [...this.#open.keys()].filter((index) => this.#open[index] === 0);
    for (const index of ready) this.#queue(index);
    await finished;
  }

  /** Begins nothing more: what has not begun is skipped for this reason, what has goes on to its end. */
  stop(why: string): void {
    if (this.#stopped !== null) return;
    this.#stopped = why;
    for (const index of this.outcomes.keys()) this.#skip(index, why);
  }

  #skip(index: number, why: string): void {
    if (this.#begun[index] !== true && this.outcomes[index] === undefined) this.#end(index, skipped(why));
  }

  #queue(index: number): void {
    void this.#slots.acquire(index).then(async () => {
      try {
        await this.#begin(index);
      } catch (error) {
        this.#crash(error);
      } finally {
        this.#slots.release();
      }
    });
  }

  async #begin(index: number): Promise<void> {
    if (this.outcomes[index] !== undefined) return;
    const why = this.#hooks.pointless(index);
    if (why !== null) return this.#end(index, skipped(why));
    this.#begun[index] = true;
    this.#end(index, await this.#hooks.run(index));
  }

  /** Ends an operation and, without recursion as chains may be long, all that can't be done without it. */
  #end(first: number, how: OperationOutcome): void {
    const ending: [number, OperationOutcome][] = [[first, how]];
    const told: [number, OperationOutcome][] = [];
    for (const [index, ended] of ending) {
      if (this.outcomes[index] !== undefined) continue;
      this.outcomes[index] = ended;
      this.#left -= 1;
      told.push([index, ended]);
      const operation = this.#graph.operations[index];
      for (const { to, reason } of this.#graph.followers[index] ?? []) {
        const left = (this.#open[to] ?? 0) - 1;
        this.#open[to] = left;
        if (this.outcomes[to] !== undefined) continue;
        if (ended.status !== "done" && isHard(reason) && operation !== undefined)
          ending.push([to, skipped(skipReason(operation, reason, ended.status))]);
        else if (left === 0) this.#queue(to);
      }
    }
    // Told only now: whoever is told may stop everything, and what was skipped here has the better reason.
    for (const [index, ended] of told) this.#hooks.onEnd(index, ended);
    if (this.#left === 0) this.#finish();
  }
}

interface Waiter {
  readonly order: number;
  readonly resolve: () => void;
}

/** A fixed number of places. Who waits for one gets it in the order of a number: that of the operation in the plan. */
export class Semaphore {
  #free: number;
  readonly #waiting = new TinyQueue<Waiter>([], (a, b) => a.order - b.order);

  /** @param count how many there are, at least 1 */
  constructor(count: number) {
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`concurrency ${count} is not at least 1`);
    this.#free = count;
  }

  /** Resolves when a place is had; {@link release} must follow. */
  acquire(order: number): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push({ order, resolve });
    });
  }

  /** Gives a place back. */
  release(): void {
    const next = this.#waiting.pop();
    if (next === undefined) this.#free += 1;
    else next.resolve();
  }
}
