import type { Semaphore } from "../core/semaphore.js";
import { type OperationOutcome, skipReason, skipped } from "./operation-outcome.js";
import { type WaitGraph, isHard } from "./wait-graph.js";

/** What the scheduler calls. */
export interface SchedulerHooks {
  /**
   * Runs one operation. Must not reject.
   * @param yieldPermit to be called as soon as it needs no permit any more, so that the next one is started; it can be
   * left out
   */
  readonly run: (index: number, yieldPermit: () => void) => Promise<OperationOutcome>;
  /** Why an operation that could start need not, in words; null = start it. */
  readonly needless: (index: number) => string | null;
  /** Called once for each operation. */
  readonly onEnd: (index: number, outcome: OperationOutcome) => void;
}

/**
 * Starts each operation when all that it waits for have ended, in the order of the plan, in O(n + waits) besides the
 * order of the queue. When one does not succeed, those that need it are skipped at once; the rest goes on.
 */
export class Scheduler {
  readonly #graph: WaitGraph;
  readonly #semaphore: Semaphore;
  readonly #hooks: SchedulerHooks;
  /** How each operation ended, by index; undefined until then. */
  readonly outcomes: (OperationOutcome | undefined)[];
  /** How many operations each one still waits for. */
  readonly #waits: number[];
  readonly #started: boolean[];
  /** How many operations have not ended yet. */
  #left: number;
  #stopped: string | null = null;
  #finish: () => void = () => {};
  #crash: (error: unknown) => void = () => {};

  constructor(graph: WaitGraph, semaphore: Semaphore, hooks: SchedulerHooks) {
    this.#graph = graph;
    this.#semaphore = semaphore;
    this.#hooks = hooks;
    this.#left = graph.operations.length;
    this.outcomes = graph.operations.map(() => undefined);
    this.#waits = graph.predecessors.map((before) => before.length);
    this.#started = graph.operations.map(() => false);
  }

  /** Resolves when every operation has ended. Rejects only for errors of this program. */
  async run(): Promise<void> {
    if (this.#left === 0) return;
    const finished = new Promise<void>((resolve, reject) => {
      this.#finish = resolve;
      this.#crash = reject;
    });
    const ready = [...this.#waits.keys()].filter((index) => this.#waits[index] === 0);
    for (const index of ready) this.#queue(index);
    await finished;
  }

  /** Starts no further operation: those not yet started are skipped for this reason, the others run to their end. */
  stop(why: string): void {
    if (this.#stopped !== null) return;
    this.#stopped = why;
    for (const index of this.outcomes.keys()) this.#skip(index, why);
  }

  #skip(index: number, why: string): void {
    if (this.#started[index] !== true && this.outcomes[index] === undefined) this.#end(index, skipped(why));
  }

  #queue(index: number): void {
    void this.#semaphore.acquire(index).then(async () => {
      let held = true;
      const release = (): void => {
        if (held) this.#semaphore.release();
        held = false;
      };
      try {
        // What waits for this operation may come before all that is ready, and is not ready yet.
        await this.#start(index, this.#graph.followers[index]?.length ? () => undefined : release);
      } catch (error) {
        this.#crash(error);
      } finally {
        release();
      }
    });
  }

  async #start(index: number, yieldPermit: () => void): Promise<void> {
    if (this.outcomes[index] !== undefined) return;
    const why = this.#hooks.needless(index);
    if (why !== null) return this.#end(index, skipped(why));
    this.#started[index] = true;
    this.#end(index, await this.#hooks.run(index, yieldPermit));
  }

  /** Ends an operation and all that need it if it failed: without recursion, as chains may be long. */
  #end(first: number, firstOutcome: OperationOutcome): void {
    const ending: [number, OperationOutcome][] = [[first, firstOutcome]];
    const ended: [number, OperationOutcome][] = [];
    for (const [index, outcome] of ending) {
      if (this.outcomes[index] !== undefined) continue;
      this.outcomes[index] = outcome;
      this.#left -= 1;
      ended.push([index, outcome]);
      const operation = this.#graph.operations[index];
      for (const { to, reason } of this.#graph.followers[index] ?? []) {
        const waits = (this.#waits[to] ?? 0) - 1;
        this.#waits[to] = waits;
        if (this.outcomes[to] !== undefined) continue;
        if (outcome.status !== "done" && isHard(reason) && operation !== undefined)
          // What stops the run is the reason for all that is left.
          ending.push([to, skipped(this.#stopped ?? skipReason(operation, reason, outcome.status))]);
        else if (waits === 0) this.#queue(to);
      }
    }
    // Called only now: the hook may stop the whole run, and the operations skipped above have the better reason.
    for (const [index, outcome] of ended) this.#hooks.onEnd(index, outcome);
    if (this.#left === 0) this.#finish();
  }
}
