import { type Json, type Value, isObject } from "../core/json.js";
import type { Operation } from "../plan/plan-format.js";
import type { RunContext } from "./apply-deps.js";
import { bindOperation, createdFrom } from "./bind-operation.js";
import { createOnce } from "./create-once.js";
import { type OperationOutcome, done, outcomeOfFailure } from "./operation-outcome.js";
import { type BoundRequest, RequestExecutor, defaultConsistencyMs } from "./request-executor.js";

/** How an operation ended, and the body that was sent. */
export interface OperationRun {
  readonly outcome: OperationOutcome;
  readonly sent: Value | undefined;
}

/** Runs single operations, and records what they create for those that use it. */
export class OperationRunner {
  readonly #context: RunContext;
  readonly #executor: RequestExecutor;

  constructor(context: RunContext) {
    this.#context = context;
    this.#executor = new RequestExecutor(context);
  }

  /**
   * @param order the operation's index in the plan
   * @param retryUntil until when refusals are retried; null = never
   * @param onAccepted see {@link BoundRequest}
   */
  async run(
    operation: Operation,
    order: number,
    retryUntil: number | null,
    onAccepted: () => void,
  ): Promise<OperationRun> {
    const { created, does, emitter, secrets } = this.#context;
    const { id: op, address, kind, method } = operation;
    // Not waited for: the event of the request comes after it, and that one is.
    void emitter.emit({ event: "operation-started", op, address, kind, ...does.get(op) });
    const bound = bindOperation(operation, created, secrets);
    if ("missing" in bound) {
      const failure = { outcome: "not-sent", status: null, message: `not sent: ${bound.missing}` } as const;
      return { outcome: outcomeOfFailure(failure, operation.resourceId), sent: undefined };
    }
    for (const event of bound.events) void emitter.emit(event);
    const { path, body } = bound;
    const request: BoundRequest = {
      operation,
      order,
      purpose: "operation",
      request: { method, path, ...(body === undefined ? {} : { body }) },
      retryUntil,
      onAccepted,
    };
    if (kind !== "create") return { outcome: await this.#change(request, bound.resourceId), sent: body };
    const outcome = await createOnce(request, this.#executor, this.#context);
    if (outcome.resourceId !== null)
      created.set(address, createdFrom(outcome.body) ?? { id: outcome.resourceId, addr: null });
    return { outcome, sent: body };
  }

  /** PATCH, PUT and DELETE are idempotent: the client repeats them by itself. A DELETE of what is gone has succeeded. */
  async #change(request: BoundRequest, resourceId: string | null): Promise<OperationOutcome> {
    const isGone = (status: number | null): boolean => request.request.method === "DELETE" && status === 404;
    const result = await this.#executor.sendUntilFinal(request, ({ status }) => (isGone(status) ? "stop" : "retry"));
    if (result.ok) return done(result.status, resourceId, result.body);
    return isGone(result.failure.status) ? done(404, resourceId) : outcomeOfFailure(result.failure, resourceId);
  }

  /**
   * Undoes a release. The caller holds a permit.
   * @param order the operation's index in the plan
   * @param body what to send
   * @returns null when that was done, else why not
   */
  async restore(operation: Operation, order: number, body: Json): Promise<string | null> {
    const { created, deps, secrets } = this.#context;
    // What it takes back comes after what the operation itself wrote: its bindings into that hold.
    const bind = Object.fromEntries(
      Object.entries(operation.bind).filter(([pointer]) => isObject(body) && Object.hasOwn(body, memberOf(pointer))),
    );
    const bound = bindOperation({ ...operation, body, bind }, created, secrets);
    if ("missing" in bound) return bound.missing;
    const result = await this.#executor.sendUntilFinal({
      operation,
      order,
      purpose: "restore",
      request: { method: operation.method, path: bound.path, body: bound.body ?? null },
      retryUntil: deps.clock.now() + (deps.consistencyMs ?? defaultConsistencyMs),
    });
    return result.ok ? null : result.failure.message;
  }
}

/** The top-level member that a JSON pointer leads into. */
function memberOf(pointer: string): string {
  return pointer.split("/")[1] ?? "";
}
