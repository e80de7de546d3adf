import { EdgewiseError } from "../errors.js";
import type { Json, Value } from "../json.js";
import type { Operation, Plan, Warning } from "../plan/plan-format.js";
import type { ApplyDeps } from "./apply-deps.js";
import { differences } from "./compare-response.js";
import { type EventBody, EventEmitter } from "./events.js";
import {
  type OperationOutcome,
  failureOf,
  nameOfOperation,
  operationResult,
  outcomeOfFailure,
  skipped,
  statusInWords,
} from "./operation-outcome.js";
import { OperationRunner } from "./operation-runner.js";
import { resolveSecrets } from "./preflight.js";
import { RequestExecutor, consistencyDeadline, defaultConsistencyMs } from "./request-executor.js";
import { RestoreTracker } from "./restore.js";
import { type ApplyReport, countStatuses, outcomeOf } from "./result.js";
import { Scheduler, Semaphore } from "./scheduler.js";
import { type WaitGraph, waitGraph } from "./wait-graph.js";

type StopReason = Extract<EventBody, { event: "stopping" }>["reason"];

/**
 * Runs the operations of a plan, exactly these, in the order that its graph asks for. A plan with refusals is not run at
 * all. What the service answers never throws: it is in the report.
 * @throws EdgewiseError `plan-file` when the plan can't be run, `secret-unavailable` when a secret is missing; nothing
 * was sent then
 */
export async function applyPlan(plan: Plan, deps: ApplyDeps): Promise<ApplyReport> {
  const graph = waitGraph(plan.operations);
  if (plan.refusals.length > 0) return refused(plan);
  const secrets = resolveSecrets(plan.operations, deps.resolveSecret);
  return new ApplyRun(plan, graph, deps, secrets).toEnd();
}

function refused(plan: Plan): ApplyReport {
  const operations = plan.operations.map((operation) =>
    operationResult(operation, skipped("skipped: the plan is refused"), ""),
  );
  return { outcome: "refused", operations, warnings: [], interrupted: false };
}

/** One apply: holds together scheduler, runner and restores. */
class ApplyRun {
  readonly #plan: Plan;
  readonly #graph: WaitGraph;
  readonly #deps: ApplyDeps;
  readonly #slots: Semaphore;
  readonly #teller: EventEmitter;
  readonly #runner: OperationRunner;
  readonly #scheduler: Scheduler;
  readonly #restores: RestoreTracker;
  readonly #places: ReadonlyMap<string, string>;
  readonly #endTimes: number[] = [];
  readonly #warnings: Warning[] = [];
  readonly #restoring: Promise<void>[] = [];
  #stopped = false;

  constructor(plan: Plan, graph: WaitGraph, deps: ApplyDeps, secrets: ReturnType<typeof resolveSecrets>) {
    this.#plan = plan;
    this.#graph = graph;
    this.#deps = deps;
    this.#slots = new Semaphore(deps.concurrency);
    this.#teller = new EventEmitter(deps, (error) => {
      const why = error instanceof EdgewiseError ? `: ${error.message}` : "";
      this.#stop("events-failed", `what happens can't be recorded any more${why}`);
    });
    this.#runner = new OperationRunner(
      deps,
      secrets,
      new RequestExecutor(deps, this.#teller, this.#slots),
      this.#teller,
    );
    this.#restores = new RestoreTracker(graph);
    this.#places = new Map(
      plan.changes.flatMap(({ address, source }) =>
        source === null ? [] : [[address, ` (${source.file}:${source.line})`] as const],
      ),
    );
    this.#scheduler = new Scheduler(graph, this.#slots, {
      run: (index) => this.#operation(index),
      pointless: (index) => this.#restores.pointless(index, this.#scheduler.outcomes),
      onEnd: (index, ended) => this.#ended(index, ended),
    });
  }

  async toEnd(): Promise<ApplyReport> {
    const { stack, baseUrl, hash, operations } = this.#plan;
    const { signal, hardSignal, concurrency } = this.#deps;
    const about = { stack, baseUrl, plan: hash, operations: operations.length, concurrency };
    await this.#teller.emit({ event: "run-started", ...about });
    const interrupt = (): void => this.#stop("interrupted", "interrupted");
    signal.addEventListener("abort", interrupt);
    hardSignal?.addEventListener("abort", interrupt);
    try {
      if (signal.aborted || hardSignal?.aborted === true) interrupt();
      await this.#scheduler.run();
      await Promise.all(this.#restoring);
    } finally {
      signal.removeEventListener("abort", interrupt);
      hardSignal?.removeEventListener("abort", interrupt);
    }
    return this.#report();
  }

  async #report(): Promise<ApplyReport> {
    const operations = this.#graph.operations.map((operation, index) => {
      const ended = this.#scheduler.outcomes[index] ?? skipped("skipped");
      return operationResult(operation, ended, this.#places.get(operation.address) ?? "");
    });
    const outcome = outcomeOf(operations);
    await this.#teller.emit({ event: "run-ended", outcome, ...countStatuses(operations) });
    await this.#teller.flushed();
    const aborted = this.#deps.signal.aborted || this.#deps.hardSignal?.aborted === true;
    return { outcome, operations, warnings: this.#warnings, interrupted: aborted && outcome !== "applied" };
  }

  async #operation(index: number): Promise<OperationOutcome> {
    const operation = this.#graph.operations[index];
    if (operation === undefined) throw new RangeError(`there is no operation ${index}`);
    const until = consistencyDeadline(this.#graph, index, this.#endTimes, this.#deps.settleMs);
    let ended: OperationOutcome | null = null;
    try {
      const end = await this.#runner.run(operation, index, until);
      ended = end.outcome;
      if (ended.status === "done" && ended.body !== undefined) this.#compare(operation, end.sent, ended.body);
      return ended;
    } catch (error) {
      // What was done stays done: the account of it matters more than how this ended.
      return ended === null ? outcomeOfFailure(failureOf(error), operation.resourceId) : { ...ended, bug: true };
    }
  }

  #compare(operation: Operation, sent: Value | undefined, answer: Value): void {
    const members = differences(operation, sent, answer);
    if (members.length === 0) return;
    const words = `the answer to ${nameOfOperation(operation)} differs from what was asked in ${members.join(", ")}`;
    this.#warn("response-differs", words, operation.address);
  }

  #ended(index: number, ended: OperationOutcome): void {
    const operation = this.#graph.operations[index];
    if (operation === undefined) return;
    this.#endTimes[index] = this.#deps.clock.now();
    const { id, address, kind, ...rest } = operationResult(operation, ended, this.#places.get(operation.address) ?? "");
    void this.#teller.emit({ event: "operation-ended", op: id, address, kind, ...rest });
    for (const { index: release, body } of this.#restores.due(index, this.#scheduler.outcomes))
      this.#restoring.push(this.#restore(release, body));
    if (ended.bug === true)
      this.#stop("internal-error", `${nameOfOperation(operation)}: ${ended.error ?? "its answer could not be read"}`);
    if (this.#deps.failFast && (ended.status === "failed" || ended.status === "unknown"))
      this.#stop(
        "fail-fast",
        `${nameOfOperation(operation)} ${ended.status === "failed" ? "failed" : "may have failed"}`,
      );
  }

  /** Begins nothing more. The first reason is the one that is told. */
  #stop(reason: StopReason, message: string): void {
    if (this.#stopped) return;
    this.#stopped = true;
    void this.#teller.emit({ event: "stopping", reason, message });
    if (reason === "internal-error" || reason === "events-failed") this.#warn(reason, message);
    this.#scheduler.stop(`skipped: ${message}`);
  }

  async #restore(index: number, body: Json): Promise<void> {
    const operation = this.#graph.operations[index];
    if (operation === undefined) return;
    await this.#slots.acquire(index);
    const until = this.#deps.clock.now() + (this.#deps.settleMs ?? defaultConsistencyMs);
    const error = await this.#runner.restore(operation, index, body, until).finally(() => this.#slots.release());
    const { id: op, address } = operation;
    void this.#teller.emit({ event: "restored", op, address, restored: error === null, error });
    if (error === null)
      this.#warn(
        "released-hostport-restored",
        `${address} serves again what it had let go for another: ${this.#lost(operation)}`,
        address,
      );
    else
      this.#warn(
        "restore-failed",
        `${address} let go hostports for another and could not take them back: ${error} (${this.#lost(operation)}). Nothing serves them until the next apply`,
        address,
      );
  }

  /** Why a release was in vain, in words. */
  #lost({ temporary }: Operation): string {
    const takers = (temporary?.takers ?? []).flatMap((id) => {
      const index = this.#graph.indexOf.get(id);
      const taker = index === undefined ? undefined : this.#graph.operations[index];
      const status = index === undefined ? undefined : this.#scheduler.outcomes[index]?.status;
      return taker === undefined || status === undefined || status === "done"
        ? []
        : [`${nameOfOperation(taker)} ${statusInWords[status]}`];
    });
    return takers.join(", ");
  }

  #warn(code: string, message: string, address?: string): void {
    this.#warnings.push({ code, message, ...(address === undefined ? {} : { address }) });
  }
}
