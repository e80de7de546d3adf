import { setMaxListeners } from "node:events";
import type { Client } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import type { JsonObject } from "../core/json.js";
import { Semaphore } from "../core/semaphore.js";
import { configDefaults } from "../generated/config-defaults.js";
import type { KindName } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { operationActions } from "../plan/operation-words.js";
import type { Operation, Plan, WaitReason } from "../plan/plan-format.js";
import { startRestores } from "./restore.js";
import {
  type ApplyReport,
  type OperationOutcome,
  type OperationResult,
  countStatuses,
  isTrouble,
  nameOfOperation,
  outcomeOf,
  skipped,
  statusInWords,
} from "./result.js";
import type { ApplyDeps, EventBody, RunContext, WaitGraph } from "./run-context.js";
import { runOperation } from "./run-operation.js";

/** @throws EdgewiseError `plan-file` or `secret-unavailable` before anything is sent */
export async function applyPlan(plan: Plan, deps: ApplyDeps): Promise<ApplyReport> {
  const { baseUrl, commit, hash, operations, refusals, stack, toolVersion } = plan;
  const { by, clock, concurrency, hardSignal = new AbortController().signal, onEvent, signal } = deps;
  let recorded: Promise<unknown> = Promise.resolve();
  const emit = async (body: EventBody): Promise<boolean> => {
    try {
      const recording = onEvent({ time: new Date(clock.now()).toISOString(), ...body });
      if (recording !== undefined) recorded = Promise.allSettled([recorded, recording]);
      await recording;
      return true;
    } catch (error) {
      const why = error instanceof EdgewiseError ? `: ${error.message}` : "";
      stop("events-failed", `events can no longer be recorded${why}`);
      return false;
    }
  };
  const context: RunContext = {
    ...deps,
    consistencyMs: deps.consistencyMs ?? 30_000,
    settleMs: deps.settleMs ?? configDefaults.api.settle,
    ...preflight(plan, deps.resolveSecret),
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

  let stopped: string | null = null;
  function stop(reason: Extract<EventBody, { event: "stopping" }>["reason"], message: string): void {
    if (stopped !== null) return;
    stopped = `skipped: ${message}`;
    void emit({ event: "stopping", reason, message });
    if (reason !== "interrupted") warnings.push({ code: reason, message });
  }

  const outcomes: OperationOutcome[] = [];
  async function run(operation: Operation, index: number, ended: readonly Promise<void>[]): Promise<void> {
    const before = graph.waits[index] ?? [];
    await Promise.all(before.flatMap(([earlier]) => ended[earlier] ?? []));
    await semaphore.acquire(index);
    try {
      const why = stopped ?? obstacle(before, operations, outcomes);
      const outcome = why === null ? await runOperation(context, operation, index) : skipped(why);
      outcomes[index] = outcome;
      endTimes[index] = clock.now();
      const { id: op, ...result } = resultOf(operation, outcome);
      void emit({ event: "operation-ended", op, ...result });
      const error = outcome.error ?? "its response could not be read";
      if (outcome.bug === true) stop("internal-error", `${nameOfOperation(operation)}: ${error}`);
    } finally {
      semaphore.release();
    }
  }

  const made = { plan: hash, commit, toolVersion, ...(by !== undefined && { by }) };
  await emit({ event: "run-started", stack, baseUrl, ...made, operations: operations.length, concurrency });
  // A signal of the process has a name as its reason; a lost lock has an error.
  const interrupt = () => {
    const reason: unknown = signal.reason;
    if (reason instanceof EdgewiseError) stop("lock-lost", reason.message);
    else stop("interrupted", "interrupted");
  };
  const signals = [signal, hardSignal];
  setMaxListeners(0, ...signals);
  const isInterrupted = () => signals.some(({ aborted }) => aborted);
  for (const each of signals) each.addEventListener("abort", interrupt);
  try {
    if (isInterrupted()) interrupt();
    const ended: Promise<void>[] = [];
    for (const [index, operation] of operations.entries()) ended.push(run(operation, index, ended));
    await Promise.all([...ended, ...startRestores({ context, outcomes, ended })]);
  } finally {
    for (const each of signals) each.removeEventListener("abort", interrupt);
  }
  const results = operations.map((operation, index) => resultOf(operation, outcomes[index] ?? skipped("skipped")));
  const outcome = outcomeOf(results, warnings);
  await emit({ event: "run-ended", outcome, ...countStatuses(results) });
  await recorded;
  return { outcome, operations: results, warnings, interrupted: isInterrupted() && outcome !== "applied" };
}

const roleOf: { readonly [R in WaitReason]: string } = {
  same: "comes before it on the same resource",
  use: "creates what it uses",
  unuse: "should have stopped using what it deletes",
  free: "should have released what it takes",
  late: "is needed by the operation that would take what this one releases",
  last: "comes before it",
};

function obstacle(
  before: WaitGraph["waits"][number],
  operations: readonly Operation[],
  outcomes: readonly OperationOutcome[],
): string | null {
  for (const [earlier, reason] of before) {
    const [operation, outcome] = [operations[earlier], outcomes[earlier]];
    if (reason === "last" || outcome?.status === "done" || operation === undefined || outcome === undefined) continue;
    return `skipped: ${nameOfOperation(operation)}, which ${roleOf[reason]}, ${statusInWords[outcome.status]}`;
  }
  return null;
}

export function preflight({ operations, refusals }: Plan, resolve: ApplyDeps["resolveSecret"]) {
  const graph = waitGraph(operations);
  return { graph, secrets: resolveSecrets(refusals.length > 0 ? [] : operations, resolve) };
}

function waitGraph(operations: readonly Operation[]): WaitGraph {
  const indexOf = new Map(operations.map(({ id }, index) => [id, index]));
  const waits = operations.map(({ after, waits: reasons }) =>
    after.map((id) => [indexOf.get(id) ?? Infinity, reasons[id] ?? "same"] as const),
  );
  if (indexOf.size < operations.length || waits.some((before, index) => before.some(([earlier]) => earlier >= index))) {
    const message = "The plan was edited: an operation waits for one that does not come before it, or two have one id.";
    throw new EdgewiseError("plan-file", message, { remedy: "Make the plan again." });
  }
  return { operations, indexOf, waits };
}

function resolveSecrets(operations: readonly Operation[], resolve: ApplyDeps["resolveSecret"]) {
  const bindings = operations.flatMap(({ bind }) => Object.values(bind));
  const references = new Set(bindings.flatMap((binding) => ("secret" in binding ? [binding.secret] : [])));
  const secrets = new Map(Array.from(references, (reference) => [reference, resolve(reference)] as const));
  const missing = [...secrets].flatMap(([reference, { missing: reason, source }]) =>
    reason === null ? [] : [`${reference} (${source}): ${reason}`],
  );
  if (missing.length === 0) return secrets;
  const these = missing.length === 1 ? "a secret that must be sent is" : "secrets that must be sent are";
  throw new EdgewiseError("secret-unavailable", `Nothing was written: ${these} not available: ${missing.join("; ")}`, {
    remedy: "Set the environment variable or write the file that the manifest names, and apply again.",
  });
}

/** Calls during a list share the next: none gets a list that began before it. */
function createListKind(client: Pick<Client, "list">): RunContext["listKind"] {
  const current = new Map<KindName, Promise<unknown>>();
  const next = new Map<KindName, Promise<readonly JsonObject[]>>();
  return async (kind) => {
    const { collection } = kinds[kind];
    if (collection === null) throw new RangeError(`${kind} has no list`);
    const waiting = next.get(kind);
    if (waiting !== undefined) return waiting;
    const listing = (current.get(kind) ?? Promise.resolve()).then(async () => {
      next.delete(kind);
      const begun = client.list(collection);
      const settled = begun.catch(() => undefined);
      current.set(kind, settled);
      return begun;
    });
    next.set(kind, listing);
    return listing;
  };
}
