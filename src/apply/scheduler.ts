import type { Semaphore } from "../core/semaphore.js";
import type { Operation, WaitReason } from "../plan/plan-format.js";
import { type OperationOutcome, nameOfOperation, skipped, statusInWords } from "./result.js";
import type { WaitGraph } from "./run-context.js";

const roleOf: { readonly [R in WaitReason]: string } = {
  same: "comes before it on the same resource",
  use: "creates what it uses",
  unuse: "should have stopped using what it deletes",
  free: "should have released what it takes",
  late: "is needed by the operation that would take what this one releases",
  last: "comes before it",
};

type SchedulerHooks = Readonly<{
  run: (operation: Operation, index: number) => Promise<OperationOutcome>;
  needless: (index: number) => string | null;
  onEnd: (operation: Operation, index: number, outcome: OperationOutcome) => void;
}>;

/** When an operation does not succeed, those that need it are skipped at once. */
export class Scheduler {
  readonly outcomes: (OperationOutcome | undefined)[];
  readonly #waits: number[];
  readonly #started = new Set<number>();
  #left: number;
  #stopped: string | null = null;
  #finish: () => void = () => {};
  #crash: (error: unknown) => void = () => {};

  constructor(
    private readonly graph: WaitGraph,
    private readonly semaphore: Semaphore,
    private readonly hooks: SchedulerHooks,
  ) {
    this.#left = graph.operations.length;
    this.outcomes = graph.operations.map(() => undefined);
    this.#waits = graph.operations.map((_, index) => graph.waits.before(index).size);
  }

  async run(): Promise<void> {
    if (this.#left === 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#finish = resolve;
      this.#crash = reject;
      const ready = [...this.graph.operations.entries()].filter(([index]) => this.#waits[index] === 0);
      for (const [index, operation] of ready) void this.#start(operation, index);
    });
  }

  stop(why: string): void {
    if (this.#stopped !== null) return;
    this.#stopped = why;
    for (const index of this.outcomes.keys()) if (!this.#started.has(index)) this.#end(index, skipped(why));
  }

  async #start(operation: Operation, index: number): Promise<void> {
    await this.semaphore.acquire(index);
    try {
      if (this.outcomes[index] !== undefined) return;
      const why = this.hooks.needless(index);
      if (why === null) this.#started.add(index);
      this.#end(index, why === null ? await this.hooks.run(operation, index) : skipped(why));
    } catch (error) {
      this.#crash(error);
    } finally {
      this.semaphore.release();
    }
  }

  /** With all that need it if it failed: chains may be long, so no recursion. */
  #end(first: number, firstOutcome: OperationOutcome): void {
    const { operations, waits } = this.graph;
    const ending: [number, OperationOutcome][] = [[first, firstOutcome]];
    const ended: [Operation, number, OperationOutcome][] = [];
    for (const [index, outcome] of ending) {
      const operation = operations[index];
      if (this.outcomes[index] !== undefined || operation === undefined) continue;
      this.outcomes[index] = outcome;
      this.#left -= 1;
      ended.push([operation, index, outcome]);
      for (const to of waits.after(index)) {
        const follower = operations[to];
        const reason = waits.before(to).get(index) ?? "same";
        const left = (this.#waits[to] ?? 0) - 1;
        this.#waits[to] = left;
        if (this.outcomes[to] !== undefined || follower === undefined) continue;
        // `last` only orders.
        if (outcome.status !== "done" && reason !== "last") {
          const why = `${nameOfOperation(operation)}, which ${roleOf[reason]}, ${statusInWords[outcome.status]}`;
          ending.push([to, skipped(this.#stopped ?? `skipped: ${why}`)]);
        } else if (left === 0) void this.#start(follower, to);
      }
    }
    // The hook may stop the run; what was skipped here has the better reason.
    for (const each of ended) this.hooks.onEnd(...each);
    if (this.#left === 0) this.#finish();
  }
}
