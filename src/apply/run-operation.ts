import { type Json, isObject } from "../core/json.js";
import { changeSince, referringKinds } from "../plan/expectation.js";
import type { Operation } from "../plan/plan-format.js";
import { bindOperation, createdFrom } from "./bind-operation.js";
import { differences } from "./compare-response.js";
import { createOnce } from "./create-once.js";
import { type OperationOutcome, done, nameOfOperation, skipped } from "./result.js";
import type { RunContext } from "./run-context.js";
import { type BoundRequest, failureOf, notSent, outcomeOfFailure, sendUntilFinal } from "./send-request.js";

/** Runs one operation with a permit, and records what it creates for those that use it. `order`: its index. */
export async function runOperation(
  context: RunContext,
  operation: Operation,
  order: number,
): Promise<OperationOutcome> {
  const { created, does, emitter, secrets, warnings } = context;
  const { address, id: op, kind, method, resourceId } = operation;
  let outcome: OperationOutcome | null = null;
  try {
    // Not waited for: the event of the request comes after it, and that one is.
    void emitter.emit({ event: "operation-started", op, address, kind, ...does.get(op) });
    const bound = bindOperation(operation, created, secrets);
    if ("missing" in bound) return outcomeOfFailure(notSent(`not sent: ${bound.missing}`), resourceId);
    for (const event of bound.events) void emitter.emit(event);
    const stop = await lookAgain(context, operation);
    if (stop !== null) return stop;
    const { body, path } = bound;
    const request: BoundRequest = {
      operation,
      order,
      purpose: "operation",
      request: { method, path, ...(body === undefined ? {} : { body }) },
      retryUntil: retryUntil(context, order),
    };
    outcome = kind === "create" ? await createOnce(request, context) : await change(context, request, bound.resourceId);
    if (kind === "create" && outcome.resourceId !== null)
      created.set(address, createdFrom(outcome.body) ?? { id: outcome.resourceId, addr: null });
    const members = outcome.body === undefined ? [] : differences(operation, body, outcome.body);
    if (members.length > 0) {
      const message = `the response to ${nameOfOperation(operation)} differs from the request in ${members.join(", ")}`;
      warnings.push({ code: "response-differs", message, address });
    }
    return outcome;
  } catch (error) {
    // What was done stays done: a bug that comes afterwards must not hide it.
    return outcome === null ? outcomeOfFailure(failureOf(error), resourceId) : { ...outcome, bug: true };
  }
}

/** Reads what is about to be removed. Null = it did not change, or is gone. */
async function lookAgain(
  { client, listKind, signal, warnings }: RunContext,
  operation: Operation,
): Promise<OperationOutcome | null> {
  const { address, expects, kind, path, resourceId } = operation;
  if (expects === undefined) return null;
  try {
    const found = await client.send({ method: "GET", path, stop: signal }).catch((error: unknown) => {
      if (failureOf(error).status === 404) return null;
      throw error;
    });
    const body = isObject(found?.body) ? found.body : {};
    // A module that is not there may be answered with nothing.
    if (found === null || (kind === "module-delete" && Object.keys(body).length === 0)) return null;
    const lists = await Promise.all(referringKinds(operation).map(async (one) => [one, await listKind(one)]));
    const changed = changeSince(operation, body, Object.fromEntries(lists));
    if (changed === null) return null;
    const message = `not sent: somebody changed ${resourceId ?? address} meanwhile: ${changed}. Plan again`;
    warnings.push({ code: "changed-meanwhile", message, address });
    return { ...skipped(`changed-meanwhile: ${message}`), resourceId };
  } catch (error) {
    const failure = failureOf(error);
    const { message, outcome } = failure;
    const unsent = { ...failure, outcome: outcome === "bug" ? outcome : "not-sent" } as const;
    return outcomeOfFailure({ ...unsent, message: `not sent: ${message}` }, resourceId);
  }
}

/** PATCH, PUT and DELETE: the client repeats them. A DELETE of what is gone has succeeded. */
async function change(
  context: RunContext,
  request: BoundRequest,
  resourceId: string | null,
): Promise<OperationOutcome> {
  const isGone = (status: number | null): boolean => request.request.method === "DELETE" && status === 404;
  const result = await sendUntilFinal(context, request, ({ status }) => (isGone(status) ? "stop" : "retry"));
  if (result.ok) return done(result.status, resourceId, result.body);
  return isGone(result.failure.status) ? done(404, resourceId) : outcomeOfFailure(result.failure, resourceId);
}

/**
 * Counted from when the last of what it uses or takes was made or freed, so that many operations with one real mistake
 * don't each wait in vain. Null = never.
 */
function retryUntil({ consistencyMs, endTimes, graph }: RunContext, index: number): number | null {
  const ends = [...graph.waits.before(index)].flatMap(([before, reason]) => {
    // An operation on a resource that this run created uses it as much as one on a resource that refers to it.
    const uses = reason === "same" ? graph.operations[before]?.kind === "create" : /^(use|free)$/.test(reason);
    return uses ? (endTimes[before] ?? []) : [];
  });
  return ends.length === 0 ? null : Math.max(...ends) + consistencyMs;
}

/** Undoes a release. Returns null when that was done, else why not. */
export async function restoreRelease(
  context: RunContext,
  operation: Operation,
  order: number,
  body: Json,
): Promise<string | null> {
  const { clock, consistencyMs, created, secrets, semaphore } = context;
  // What it takes back comes after what the operation itself wrote: its bindings into that hold.
  const isBound = (pointer: string): boolean => isObject(body) && Object.hasOwn(body, pointer.split("/")[1] ?? "");
  const bind = Object.fromEntries(Object.entries(operation.bind).filter(([pointer]) => isBound(pointer)));
  const bound = bindOperation({ ...operation, body, bind }, created, secrets);
  if ("missing" in bound) return bound.missing;
  const request: BoundRequest = {
    operation,
    order,
    purpose: "restore",
    request: { method: operation.method, path: bound.path, body: bound.body ?? null },
    retryUntil: clock.now() + consistencyMs,
  };
  await semaphore.acquire(order);
  const result = await sendUntilFinal(context, request).finally(() => semaphore.release());
  return result.ok ? null : result.failure.message;
}
