import { setMaxListeners } from "node:events";
import { EdgewiseError } from "../core/errors.js";
import { Semaphore } from "../core/semaphore.js";
import { operationActions } from "../plan/operation-words.js";
import type { Operation, Plan } from "../plan/plan-format.js";
import type { ApplyDeps, RunContext } from "./apply-deps.js";
import { createListKind } from "./create-once.js";
import { type EventBody, EventEmitter } from "./events.js";
import { type OperationOutcome, nameOfOperation, skipped } from "./operation-outcome.js";
import { OperationRunner } from "./operation-runner.js";
import { preflight } from "./preflight.js";
import { Restores } from "./restore.js";
import { type ApplyReport, type OperationResult, countStatuses, isTrouble, outcomeOf } from "./result.js";
import { Scheduler } from "./scheduler.js";

type StopReason = Extract<EventBody, { event: "stopping" }>["reason"];

/**
 * Runs exactly the operations of a plan, unless it is refused. Errors of the service are in the report. @throws
 * EdgewiseError `plan-file` or `secret-unavailable` before anything is sent
 */
export async function applyPlan(plan: Plan, deps: ApplyDeps): Promise<ApplyReport> {
  return new ApplyRun(plan, deps).toEnd();
}

class ApplyRun {
  readonly #plan: Plan;
  readonly #context: RunContext;
  readonly #scheduler: Scheduler;
  readonly #restores: Restores;
  /** ` (edge.yaml:3)` by address. */
  readonly #places: ReadonlyMap<string, string>;
  readonly #restoring: Promise<void>[] = [];
  #stopped = false;

  constructor(plan: Plan, deps: ApplyDeps) {
    const { graph, secrets } = preflight(plan, deps);
    const semaphore = new Semaphore(deps.concurrency);
    const hard = deps.hardSignal ?? new AbortController().signal;
    // Everything that waits listens to the same signals.
    setMaxListeners(0, deps.signal, hard);
    this.#plan = plan;
    this.#context = {
      deps,
      hard,
      graph,
      secrets,
      semaphore,
      stack: plan.stack,
      listKind: createListKind(deps.client),
      emitter: new EventEmitter(deps, (error) => this.#eventsFailed(error)),
      does: operationActions(plan),
      created: new Map(),
      endTimes: [],
      warnings: [],
    };
    const runner = new OperationRunner(this.#context);
    this.#places = new Map(
      plan.changes.flatMap(({ address, source }) =>
        source === null ? [] : [[address, ` (${source.file}:${source.line})`] as const],
      ),
    );
    this.#scheduler = new Scheduler(graph, semaphore, {
      run: async (operation, index) => runner.run(operation, index),
      needless: (index) => this.#restores.needless(index),
      onEnd: (operation, index, outcome) => this.#onEnd(operation, index, outcome),
    });
    this.#restores = new Restores(this.#context, runner, this.#scheduler.outcomes);
  }

  async toEnd(): Promise<ApplyReport> {
    const { baseUrl, commit, hash: plan, operations, refusals, stack, toolVersion } = this.#plan;
    const { deps, emitter, hard, warnings } = this.#context;
    if (refusals.length > 0) {
      const results = this.#results("skipped: the plan is refused");
      return { outcome: "refused", operations: results, warnings, interrupted: false };
    }
    const { by, concurrency, signal } = deps;
    const made = { plan, commit, toolVersion, ...(by === undefined ? {} : { by }) };
    const about = { stack, baseUrl, ...made, operations: operations.length, concurrency };
    await emitter.emit({ event: "run-started", ...about });
    // A signal of the process has a name as its reason; a lock that was lost has an error.
    const interrupt = (): void => {
      const reason: unknown = signal.reason;
      if (reason instanceof EdgewiseError) this.#stop("lock-lost", reason.message);
      else this.#stop("interrupted", "interrupted");
    };
    const signals = [signal, hard];
    const isInterrupted = (): boolean => signals.some(({ aborted }) => aborted);
    for (const each of signals) each.addEventListener("abort", interrupt);
    try {
      if (isInterrupted()) interrupt();
      await this.#scheduler.run();
      await Promise.all(this.#restoring);
    } finally {
      for (const each of signals) each.removeEventListener("abort", interrupt);
    }
    const results = this.#results("skipped");
    const outcome = outcomeOf(results, warnings);
    await emitter.emit({ event: "run-ended", outcome, ...countStatuses(results) });
    await emitter.flushed();
    return { outcome, operations: results, warnings, interrupted: isInterrupted() && outcome !== "applied" };
  }

  #results(unended: string): readonly OperationResult[] {
    return this.#plan.operations.map((operation, index) =>
      this.#resultOf(operation, this.#scheduler.outcomes[index] ?? skipped(unended)),
    );
  }

  #resultOf(operation: Operation, { error, httpStatus, resourceId, status }: OperationOutcome): OperationResult {
    const { address, id, kind } = operation;
    const place = isTrouble(status) ? (this.#places.get(address) ?? "") : "";
    const message = error === null ? null : error + place;
    return { id, address, kind, ...this.#context.does.get(id), status, httpStatus, resourceId, error: message };
  }

  #onEnd(operation: Operation, index: number, outcome: OperationOutcome): void {
    const { deps, emitter, endTimes } = this.#context;
    endTimes[index] = deps.clock.now();
    const { id: op, ...result } = this.#resultOf(operation, outcome);
    void emitter.emit({ event: "operation-ended", op, ...result });
    this.#restoring.push(...this.#restores.begin(index));
    const name = nameOfOperation(operation);
    if (outcome.bug === true)
      this.#stop("internal-error", `${name}: ${outcome.error ?? "its response could not be read"}`);
  }

  #eventsFailed(error: unknown): void {
    const why = error instanceof EdgewiseError ? `: ${error.message}` : "";
    this.#stop("events-failed", `events can no longer be recorded${why}`);
  }

  /** Only the first reason is reported. */
  #stop(reason: StopReason, message: string): void {
    if (this.#stopped) return;
    this.#stopped = true;
    const { emitter, warnings } = this.#context;
    void emitter.emit({ event: "stopping", reason, message });
    if (reason !== "interrupted") warnings.push({ code: reason, message });
    this.#scheduler.stop(`skipped: ${message}`);
  }
}
