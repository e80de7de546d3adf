import type { Json } from "../json.js";
import type { Address } from "../kinds/names.js";
import type { Operation } from "../plan/plan-format.js";
import type { Secret } from "../secret.js";
import type { ApplyDeps } from "./apply-deps.js";
import { type CreatedResource, bindOperation, createdFrom } from "./bind-operation.js";
import type { OperationRequest, RequestExecutor } from "./courier.js";
import { createOnce } from "./create-once.js";
import { type OperationOutcome, outcomeOfFailure } from "./ended.js";
import type { EventEmitter } from "./teller.js";

/** Runs single operations; remembers what they made, for those that use it. */
export class OperationRunner {
  readonly #deps: Pick<ApplyDeps, "findByMarker" | "signal">;
  readonly #secrets: ReadonlyMap<string, Secret>;
  readonly #courier: RequestExecutor;
  readonly #teller: EventEmitter;
  readonly #made = new Map<Address, CreatedResource>();

  constructor(
    deps: Pick<ApplyDeps, "findByMarker" | "signal">,
    secrets: ReadonlyMap<string, Secret>,
    courier: RequestExecutor,
    teller: EventEmitter,
  ) {
    this.#deps = deps;
    this.#secrets = secrets;
    this.#courier = courier;
    this.#teller = teller;
  }

  /**
   * @param order the operation's place in the plan
   * @param settlesBy until when refusals are retried; null = never
   */
  async run(operation: Operation, order: number, settlesBy: number | null): Promise<OperationRun> {
    const { id: op, address, kind, method } = operation;
    await this.#teller.emit({ event: "operation-started", op, address, kind });
    const bound = bindOperation(operation, this.#made, this.#secrets);
    if ("missing" in bound) {
      const failure = { outcome: "not-sent", status: null, message: `not sent: ${bound.missing}` } as const;
      return { outcome: outcomeOfFailure(failure, operation.resourceId), sent: undefined };
    }
    for (const event of bound.events) await this.#teller.emit(event);
    const { path, body } = bound;
    const request = { method, path, ...(body === undefined ? {} : { body }) };
    const errand: OperationRequest = { operation, order, purpose: "operation", request, retryUntil: settlesBy };
    const ended =
      kind === "create"
        ? await createOnce(errand, { deps: this.#deps, courier: this.#courier, teller: this.#teller })
        : await this.#change(errand, bound.resourceId);
    if (kind === "create" && ended.resourceId !== null)
      this.#made.set(address, createdFrom(ended.body) ?? { id: ended.resourceId, addr: null });
    return { outcome: ended, sent: body };
  }

  /** PATCH, PUT and DELETE say what is to be, not what to do: the client repeats them by itself. */
  async #change(errand: OperationRequest, resourceId: string | null): Promise<OperationOutcome> {
    let doubtful = false;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#courier.send(errand, attempt);
      if (answer.ok) return { status: "done", httpStatus: answer.status, resourceId, error: null, body: answer.body };
      const { failure } = answer;
      if (errand.request.method === "DELETE" && failure.status === 404)
        return { status: "done", httpStatus: 404, resourceId, error: null };
      doubtful ||= failure.outcome === "unknown";
      if (await this.#courier.waitToRetry(errand, failure, attempt)) continue;
      // A try before the last may have been carried out, and a refusal of the last one doesn't undo that.
      return outcomeOfFailure(
        doubtful && failure.outcome !== "bug" ? { ...failure, outcome: "unknown" } : failure,
        resourceId,
      );
    }
  }

  /**
   * Gives back what a temporary release let go.
   * @param body what to send
   * @returns null when that was done, else why not
   */
  async restore(operation: Operation, order: number, body: Json, settlesBy: number): Promise<string | null> {
    const bound = bindOperation({ ...operation, body, bind: {} }, this.#made, this.#secrets);
    if ("missing" in bound) return bound.missing;
    const request = { method: operation.method, path: bound.path, body };
    const errand: OperationRequest = { operation, order, purpose: "restore", request, retryUntil: settlesBy };
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#courier.send(errand, attempt);
      if (answer.ok) return null;
      if (!(await this.#courier.waitToRetry(errand, answer.failure, attempt))) return answer.failure.message;
    }
  }
}

/** How an operation ended, and what was sent. */
export interface OperationRun {
  readonly outcome: OperationOutcome;
  readonly sent: OperationRequest["request"]["body"];
}
