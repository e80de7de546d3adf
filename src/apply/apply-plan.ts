import { EdgewiseError } from "../core/errors.js";
import type { Value } from "../core/json.js";
import type { Operation, Plan, Warning } from "../plan/plan-format.js";
import type { ApplyDeps, RunContext } from "./apply-deps.js";
import { differences } from "./compare-response.js";
import { type EventBody, EventEmitter } from "./events.js";
import {
  type OperationOutcome,
  failureOf,
  nameOfOperation,
  operationResult,
  outcomeOfFailure,
  skipped,
} from "./operation-outcome.js";
import { OperationRunner } from "./operation-runner.js";
import { type Preflight, preflight } from "./preflight.js";
import { consistencyDeadline } from "./request-executor.js";
import { type DueRestore, RestoreTracker, restoreRelease } from "./restore.js";
import { type ApplyReport, countStatuses, isTrouble, operationsDo, outcomeOf } from "./result.js";
import { Semaphore } from "../core/semaphore.js";
import { Scheduler } from "./scheduler.js";

type StopReason = Extract<EventBody, { event: "stopping" }>["reason"];

/**
 * Runs exactly the operations of a plan, in the order that its graph requires. A plan with refusals is not run at all.
 * Errors of the service never throw: they are in the report.
 * @throws EdgewiseError `plan-file` when the plan can't be run, `secret-unavailable` when a secret is missing; nothing
 * was sent then
 */
export async function applyPlan(plan: Plan, deps: ApplyDeps): Promise<ApplyReport> {
  const checked = preflight(plan, deps);
  return checked === null ? refused(plan) : new ApplyRun(plan, deps, checked).toEnd();
}

function refused(plan: Plan): ApplyReport {
  const does = operationsDo(plan);
  const operations = plan.operations.map((operation) =>
    operationResult(operation, skipped("skipped: the plan is refused"), {
      place: "",
      does: does.get(operation.id) ?? {},
    }),
  );
  return { outcome: "refused", operations, warnings: [], interrupted: false };
}

/** One apply: connects the scheduler, the operation runner and the restores. */
class ApplyRun {
  readonly #plan: Plan;
  readonly #context: RunContext;
  readonly #runner: OperationRunner;
  readonly #scheduler: Scheduler;
  readonly #restores: RestoreTracker;
  /** ` (edge.yaml:3)` by address. */
  readonly #places: ReadonlyMap<string, string>;
  /** When each operation ended, in milliseconds since 1970. */
  readonly #endTimes: number[] = [];
  readonly #warnings: Warning[] = [];
  readonly #restoring: Promise<void>[] = [];
  #stopped = false;

  constructor(plan: Plan, deps: ApplyDeps, { graph, secrets }: Preflight) {
    const emitter = new EventEmitter(deps, (error) => this.#eventsFailed(error));
    const semaphore = new Semaphore(deps.concurrency);
    this.#plan = plan;
    this.#context = { deps, graph, secrets, emitter, semaphore, does: operationsDo(plan), created: new Map() };
    this.#runner = new OperationRunner(this.#context);
    this.#restores = new RestoreTracker(graph);
    this.#places = new Map(
      plan.changes.flatMap(({ address, source }) =>
        source === null ? [] : [[address, ` (${source.file}:${source.line})`] as const],
      ),
    );
    this.#scheduler = new Scheduler(graph, semaphore, {
      run: (index, yieldPermit) => this.#run(index, yieldPermit),
      needless: (index) => this.#restores.needless(index, this.#scheduler.outcomes),
      onEnd: (index, outcome) => this.#onEnd(index, outcome),
    });
  }

  async toEnd(): Promise<ApplyReport> {
    const { stack, baseUrl, hash, commit, toolVersion, operations } = this.#plan;
    const { signal, hardSignal, concurrency, by } = this.#context.deps;
    const made = { plan: hash, commit, toolVersion, ...(by === undefined ? {} : { by }) };
    const about = { stack, baseUrl, ...made, operations: operations.length, concurrency };
    await this.#context.emitter.emit({ event: "run-started", ...about });
    // A signal of the process has a name as its reason; a lock that was lost has an error.
    const interrupt = (): void => {
      const reason: unknown = signal.reason;
      if (reason instanceof EdgewiseError) this.#stop("lock-lost", reason.message);
      else this.#stop("interrupted", "interrupted");
    };
    signal.addEventListener("abort", interrupt);
    hardSignal?.addEventListener("abort", interrupt);
    try {
      if (this.#interrupted) interrupt();
      await this.#scheduler.run();
      await Promise.all(this.#restoring);
    } finally {
      signal.removeEventListener("abort", interrupt);
      hardSignal?.removeEventListener("abort", interrupt);
    }
    return this.#report();
  }

  get #interrupted(): boolean {
    const { signal, hardSignal } = this.#context.deps;
    return signal.aborted || hardSignal?.aborted === true;
  }

  async #report(): Promise<ApplyReport> {
    const { emitter, graph } = this.#context;
    const operations = graph.operations.map((operation, index) =>
      this.#resultOf(operation, this.#scheduler.outcomes[index] ?? skipped("skipped")),
    );
    const outcome = outcomeOf(operations);
    await emitter.emit({ event: "run-ended", outcome, ...countStatuses(operations) });
    await emitter.flushed();
    const interrupted = this.#interrupted && outcome !== "applied";
    return { outcome, operations, warnings: this.#warnings, interrupted };
  }

  #resultOf(operation: Operation, outcome: OperationOutcome) {
    const place = this.#places.get(operation.address) ?? "";
    return operationResult(operation, outcome, { place, does: this.#context.does.get(operation.id) ?? {} });
  }

  async #run(index: number, yieldPermit: () => void): Promise<OperationOutcome> {
    const { deps, graph } = this.#context;
    const operation = graph.operations[index];
    if (operation === undefined) throw new RangeError(`there is no operation ${index}`);
    const retryUntil = consistencyDeadline(graph, index, this.#endTimes, deps.consistencyMs);
    let outcome: OperationOutcome | null = null;
    try {
      const run = await this.#runner.run(operation, index, retryUntil, yieldPermit);
      outcome = run.outcome;
      // A failure may stop the run: what is begun meanwhile would come after it.
      if (outcome.status !== "done") return outcome;
      if (outcome.body !== undefined) this.#compare(operation, run.sent, outcome.body);
      return outcome;
    } catch (error) {
      // What was done stays done: a bug that comes afterwards must not hide it.
      return outcome === null ? outcomeOfFailure(failureOf(error), operation.resourceId) : { ...outcome, bug: true };
    }
  }

  #compare(operation: Operation, sent: Value | undefined, response: Value): void {
    const members = differences(operation, sent, response);
    if (members.length === 0) return;
    const message = `the response to ${nameOfOperation(operation)} differs from the request in ${members.join(", ")}`;
    this.#warnings.push({ code: "response-differs", message, address: operation.address });
  }

  #onEnd(index: number, outcome: OperationOutcome): void {
    const { deps, emitter, graph } = this.#context;
    const operation = graph.operations[index];
    if (operation === undefined) return;
    this.#endTimes[index] = deps.clock.now();
    const { id: op, ...result } = this.#resultOf(operation, outcome);
    void emitter.emit({ event: "operation-ended", op, ...result });
    for (const due of this.#restores.due(index, this.#scheduler.outcomes)) this.#restoring.push(this.#restore(due));
    const name = nameOfOperation(operation);
    if (outcome.bug === true)
      this.#stop("internal-error", `${name}: ${outcome.error ?? "its response could not be read"}`);
    if (deps.failFast && isTrouble(outcome.status))
      this.#stop("fail-fast", `${name} ${outcome.status === "failed" ? "failed" : "may have failed"}`);
  }

  async #restore(due: DueRestore): Promise<void> {
    this.#warnings.push(await restoreRelease(due, this.#context, this.#runner, this.#scheduler.outcomes));
  }

  #eventsFailed(error: unknown): void {
    const why = error instanceof EdgewiseError ? `: ${error.message}` : "";
    this.#stop("events-failed", `events can no longer be recorded${why}`);
  }

  /** Starts no further operation. Only the first reason is reported. */
  #stop(reason: StopReason, message: string): void {
    if (this.#stopped) return;
    this.#stopped = true;
    void this.#context.emitter.emit({ event: "stopping", reason, message });
    if (reason !== "interrupted" && reason !== "fail-fast") this.#warnings.push({ code: reason, message });
    this.#scheduler.stop(`skipped: ${message}`);
  }
}
