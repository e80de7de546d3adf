import { type Json, isObject } from "../core/json.js";
import { changeSince, referringKinds } from "../plan/expectation.js";
import type { Operation } from "../plan/plan-format.js";
import type { RunContext } from "./apply-deps.js";
import { bindOperation, createdFrom } from "./bind-operation.js";
import { differences } from "./compare-response.js";
import { CreateOnce } from "./create-once.js";
import {
  type OperationOutcome,
  done,
  failureOf,
  nameOfOperation,
  outcomeOfFailure,
  skipped,
} from "./operation-outcome.js";
import { type BoundRequest, RequestExecutor } from "./request-executor.js";

const defaultConsistencyMs = 30_000;

export class OperationRunner {
  readonly #context: RunContext;
  readonly #executor: RequestExecutor;

  constructor(context: RunContext) {
    this.#context = context;
    this.#executor = new RequestExecutor(context);
  }

  async run(operation: Operation, order: number): Promise<OperationOutcome> {
    const { created, does, emitter, secrets, warnings } = this.#context;
    const { address, id: op, kind, method, resourceId } = operation;
    let outcome: OperationOutcome | null = null;
    try {
      // Not waited for: the event of the request comes after it, and that one is.
      void emitter.emit({ event: "operation-started", op, address, kind, ...does.get(op) });
      const bound = bindOperation(operation, created, secrets);
      if ("missing" in bound) {
        const message = `not sent: ${bound.missing}`;
        return outcomeOfFailure({ outcome: "not-sent", status: null, message }, resourceId);
      }
      for (const event of bound.events) void emitter.emit(event);
      const stop = await this.#lookAgain(operation);
      if (stop !== null) return stop;
      const { body, path } = bound;
      const request: BoundRequest = {
        operation,
        order,
        purpose: "operation",
        request: { method, path, ...(body === undefined ? {} : { body }) },
        retryUntil: this.#retryUntil(order),
      };
      outcome =
        kind === "create"
          ? await new CreateOnce(request, this.#executor, this.#context).run()
          : await this.#change(request, bound.resourceId);
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
  async #lookAgain(operation: Operation): Promise<OperationOutcome | null> {
    const { deps, listKind, warnings } = this.#context;
    const { address, expects, kind, path, resourceId } = operation;
    if (expects === undefined) return null;
    try {
      const found = await deps.client.send({ method: "GET", path, stop: deps.signal }).catch((error: unknown) => {
        if (failureOf(error).status === 404) return null;
        throw error;
      });
      const body = isObject(found?.body) ? found.body : {};
      // A module that is not there may be answered with nothing.
      if (found === null || (kind === "module-delete" && Object.keys(body).length === 0)) return null;
      const lists = await Promise.all(referringKinds(operation).map(async (kind) => [kind, await listKind(kind)]));
      const change = changeSince(operation, body, Object.fromEntries(lists));
      if (change === null) return null;
      const message = `not sent: somebody changed ${resourceId ?? address} meanwhile: ${change}. Plan again`;
      warnings.push({ code: "changed-meanwhile", message, address });
      return { ...skipped(`changed-meanwhile: ${message}`), resourceId };
    } catch (error) {
      const failure = failureOf(error);
      const { message, outcome } = failure;
      const unsent = { ...failure, outcome: outcome === "bug" ? outcome : "not-sent" } as const;
      return outcomeOfFailure({ ...unsent, message: `not sent: ${message}` }, resourceId);
    }
  }

  /** They are idempotent: the client repeats them. A DELETE of what is gone has succeeded. */
  async #change(request: BoundRequest, resourceId: string | null): Promise<OperationOutcome> {
    const isGone = (status: number | null): boolean => request.request.method === "DELETE" && status === 404;
    const result = await this.#executor.sendUntilFinal(request, ({ status }) => (isGone(status) ? "stop" : "retry"));
    if (result.ok) return done(result.status, resourceId, result.body);
    return isGone(result.failure.status) ? done(404, resourceId) : outcomeOfFailure(result.failure, resourceId);
  }

  /**
   * Counted from when the last of what it uses or takes was made or freed, so that many operations with one real
   * mistake don't each wait in vain. Null = never.
   */
  #retryUntil(index: number): number | null {
    const { deps, endTimes, graph } = this.#context;
    const ends = [...graph.waits.before(index)].flatMap(([before, reason]) => {
      // An operation on a resource that this run created uses it as much as one on a resource that refers to it.
      const uses = reason === "same" ? graph.operations[before]?.kind === "create" : /^(use|free)$/.test(reason);
      return uses ? (endTimes[before] ?? []) : [];
    });
    return ends.length === 0 ? null : Math.max(...ends) + (deps.consistencyMs ?? defaultConsistencyMs);
  }

  /** Returns null when that was done, else why not. */
  async restore(operation: Operation, order: number, body: Json): Promise<string | null> {
    const { created, deps, secrets, semaphore } = this.#context;
    // What it takes back comes after what the operation itself wrote: its bindings into that hold.
    const bind = Object.fromEntries(
      Object.entries(operation.bind).filter(
        ([pointer]) => isObject(body) && Object.hasOwn(body, pointer.split("/")[1] ?? ""),
      ),
    );
    const bound = bindOperation({ ...operation, body, bind }, created, secrets);
    if ("missing" in bound) return bound.missing;
    const request: BoundRequest = {
      operation,
      order,
      purpose: "restore",
      request: { method: operation.method, path: bound.path, body: bound.body ?? null },
      retryUntil: deps.clock.now() + (deps.consistencyMs ?? defaultConsistencyMs),
    };
    await semaphore.acquire(order);
    const result = await this.#executor.sendUntilFinal(request).finally(() => semaphore.release());
    return result.ok ? null : result.failure.message;
  }
}
