import { setMaxListeners } from "node:events";
import { EdgewiseError } from "../core/errors.js";
import { Semaphore } from "../core/semaphore.js";
import { configDefaults } from "../generated/config-defaults.js";
import { operationActions } from "../plan/operation-words.js";
import type { Operation, Plan } from "../plan/plan-format.js";
import { createListKind } from "./create-once.js";
import { preflight } from "./preflight.js";
import { Restores } from "./restore.js";
import {
  type ApplyReport,
  type OperationOutcome,
  type OperationResult,
  countStatuses,
  isTrouble,
  nameOfOperation,
  outcomeOf,
  skipped,
} from "./result.js";
import { type ApplyDeps, type EventBody, type RunContext, createEmitter } from "./run-context.js";
import { runOperation } from "./run-operation.js";
import { Scheduler } from "./scheduler.js";

/** Exactly its operations. @throws EdgewiseError `plan-file` or `secret-unavailable` before anything is sent */
export async function applyPlan(plan: Plan, deps: ApplyDeps): Promise<ApplyReport> {
  const { baseUrl, commit, hash, operations, refusals, stack, toolVersion } = plan;
  const { by, clock, concurrency, hardSignal = new AbortController().signal, signal } = deps;
  const { emit, flushed } = createEmitter(deps, (error) => {
    const why = error instanceof EdgewiseError ? `: ${error.message}` : "";
    stop("events-failed", `events can no longer be recorded${why}`);
  });
  const context: RunContext = {
    ...deps,
    consistencyMs: deps.consistencyMs ?? 30_000,
    settleMs: deps.settleMs ?? configDefaults.api.settle,
    ...preflight(plan, deps),
    hardSignal,
    stack,
    emit,
    semaphore: new Semaphore(concurrency),
    listKind: createListKind(deps.client),
    does: operationActions(plan),
    created: new Map(),
    endTimes: [],
    warnings: [],
  };
  const { does, endTimes, graph, semaphore, warnings } = context;
  const sources = new Map(plan.changes.map(({ address, source }) => [address, source]));
  const resultOf = ({ address, id, kind }: Operation, outcome: OperationOutcome): OperationResult => {
    const { error, httpStatus, resourceId, status } = outcome;
    const source = isTrouble(status) ? sources.get(address) : null;
    const message = error && source ? `${error} (${source.file}:${source.line})` : error;
    return { id, address, kind, ...does.get(id), status, httpStatus, resourceId, error: message };
  };
  if (refusals.length > 0) {
    const results = operations.map((operation) => resultOf(operation, skipped("skipped: the plan is refused")));
    return { outcome: "refused", operations: results, warnings, interrupted: false };
  }

  const restoring: Promise<void>[] = [];
  const scheduler = new Scheduler(graph, semaphore, {
    run: async (operation, index) => runOperation(context, operation, index),
    needless: (index) => restores.needless(index),
    onEnd: (operation, index, outcome) => {
      endTimes[index] = clock.now();
      const { id: op, ...result } = resultOf(operation, outcome);
      void emit({ event: "operation-ended", op, ...result });
      restoring.push(...restores.begin(index));
      const why = outcome.error ?? "its response could not be read";
      if (outcome.bug === true) stop("internal-error", `${nameOfOperation(operation)}: ${why}`);
    },
  });
  const restores = new Restores(context, scheduler.outcomes);
  let isStopped = false;
  /** Only the first reason is reported. */
  function stop(reason: Extract<EventBody, { event: "stopping" }>["reason"], message: string): void {
    if (isStopped) return;
    isStopped = true;
    void emit({ event: "stopping", reason, message });
    if (reason !== "interrupted") warnings.push({ code: reason, message });
    scheduler.stop(`skipped: ${message}`);
  }

  const made = { plan: hash, commit, toolVersion, ...(by === undefined ? {} : { by }) };
  await emit({ event: "run-started", stack, baseUrl, ...made, operations: operations.length, concurrency });
  // A signal of the process has a name as its reason; a lost lock has an error.
  const interrupt = (): void => {
    const reason: unknown = signal.reason;
    if (reason instanceof EdgewiseError) stop("lock-lost", reason.message);
    else stop("interrupted", "interrupted");
  };
  const signals = [signal, hardSignal];
  setMaxListeners(0, ...signals);
  const isInterrupted = (): boolean => signals.some(({ aborted }) => aborted);
  for (const each of signals) each.addEventListener("abort", interrupt);
  try {
    if (isInterrupted()) interrupt();
    await scheduler.run();
    await Promise.all(restoring);
  } finally {
    for (const each of signals) each.removeEventListener("abort", interrupt);
  }
  const results = operations.map((operation, index) =>
    resultOf(operation, scheduler.outcomes[index] ?? skipped("skipped")),
  );
  const outcome = outcomeOf(results, warnings);
  await emit({ event: "run-ended", outcome, ...countStatuses(results) });
  await flushed();
  return { outcome, operations: results, warnings, interrupted: isInterrupted() && outcome !== "applied" };
}
