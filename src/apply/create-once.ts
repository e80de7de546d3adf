import { isObject } from "../core/json.js";
import { readMarker } from "../kinds/marker.js";
import type { Operation } from "../plan/plan-format.js";
import type { RunContext } from "./apply-deps.js";
import { createdFrom } from "./bind-operation.js";
import type { Found } from "./find-by-marker.js";
import { configDefaults } from "../generated/config-defaults.js";
import { growingPauses } from "./growing-pauses.js";
import { type OperationOutcome, type RequestFailure, done, failureOf, outcomeOfFailure } from "./operation-outcome.js";
import type { AfterFailure, BoundRequest, RequestExecutor } from "./request-executor.js";

/** How many POSTs of unknown outcome are sent when no resource is found after each of them. */
const maxLost = 5;

/**
 * Creates a resource exactly once, as far as that is possible without an idempotency key: a POST whose outcome is
 * unknown is not repeated before its collection was searched for the marker that it carries, for as long as lists may
 * lag behind writes.
 */
export async function createOnce(
  request: BoundRequest,
  executor: RequestExecutor,
  context: Pick<RunContext, "deps" | "emitter">,
): Promise<OperationOutcome> {
  return new Create(request, executor, context).toEnd();
}

class Create {
  readonly #request: BoundRequest;
  readonly #executor: RequestExecutor;
  readonly #context: Pick<RunContext, "deps" | "emitter">;
  /** How many POSTs had an unknown outcome. */
  #lost = 0;
  /** What the lookups found out. */
  #decided: OperationOutcome | null = null;

  constructor(request: BoundRequest, executor: RequestExecutor, context: Pick<RunContext, "deps" | "emitter">) {
    this.#request = request;
    this.#executor = executor;
    this.#context = context;
  }

  async toEnd(): Promise<OperationOutcome> {
    const result = await this.#executor.sendUntilFinal(this.#request, (failure, attempt) =>
      this.#afterFailure(failure, attempt),
    );
    if (this.#decided !== null) return this.#decided;
    if (!result.ok) return outcomeOfFailure(result.failure, null);
    const { status, body } = result;
    const created = createdFrom(body);
    if (created !== null) return done(status, created.id, body);
    const message = `the service returned ${status} without the id of what it created`;
    const failure = { outcome: "unknown", status, message } as const;
    // The service reports success, so the POST is not repeated.
    return (await this.#search(failure)) ?? outcomeOfFailure(failure, null);
  }

  async #afterFailure(failure: RequestFailure, attempt: number): Promise<AfterFailure> {
    if (failure.outcome === "refused" && this.#lost > 0) {
      // A lost POST may have been carried out late: then this one is refused because of what that one created.
      return this.#decide(await this.#search(failure)) ? "stop" : "retry";
    }
    if (failure.outcome !== "unknown") return "retry";
    this.#lost += 1;
    if (this.#executor.halted || this.#decide(await this.#search(failure))) return "stop";
    if (this.#lost < maxLost && !this.#context.deps.signal.aborted && !this.#executor.halted) return "send-again";
    const attempts = `${attempt} ${attempt === 1 ? "attempt" : "attempts"}`;
    const message = `${failure.message}; no resource was found after ${attempts}`;
    this.#decide(outcomeOfFailure({ ...failure, message }, null));
    return "stop";
  }

  /** Whether the outcome is now known. */
  #decide(outcome: OperationOutcome | null): boolean {
    this.#decided = outcome;
    return outcome !== null;
  }

  /**
   * The outcome that a lookup shows, at once or with growing pauses later; null = nothing was found in all the time.
   * After a signal there is one more look.
   */
  async #search(failure: RequestFailure): Promise<OperationOutcome | null> {
    const { clock, settleMs = configDefaults.api.settle, signal } = this.#context.deps;
    const nextPause = growingPauses(clock, settleMs);
    // Without a permit: other operations go on, and searches for several creates run side by side.
    return this.#executor.withoutPermit(this.#request, async () => {
      for (;;) {
        const began = clock.now();
        const { outcome, isFinal } = await this.#lookUp(failure);
        const pause = isFinal || signal.aborted ? null : nextPause(began);
        if (pause === null) return outcome;
        await this.#executor.pause(this.#request, "lookup", pause);
        if (this.#executor.halted) return null;
      }
    });
  }

  /** What one look shows. One that failed, or found nothing, is not the last. */
  async #lookUp(
    failure: RequestFailure,
  ): Promise<{ readonly outcome: OperationOutcome | null; readonly isFinal: boolean }> {
    const { deps, emitter } = this.#context;
    const { operation } = this.#request;
    const { address } = operation;
    const about = { event: "lookup", op: operation.id, address } as const;
    let found: readonly Found[];
    try {
      found = ofThisCreate(operation, await deps.findByMarker(address));
    } catch (error) {
      const { message: why, outcome } = failureOf(error);
      await emitter.emit({ ...about, found: [], error: why });
      const message = `${failure.message}; searching for a resource it may have created failed: ${why}`;
      const isFinal = outcome === "bug";
      return {
        outcome: outcomeOfFailure({ ...failure, outcome: isFinal ? "bug" : "unknown", message }, null),
        isFinal,
      };
    }
    const ids = found.map(({ id }) => id);
    await emitter.emit({ ...about, found: ids, error: null });
    const [first] = found;
    if (first === undefined) return { outcome: null, isFinal: false };
    if (found.length === 1) return { outcome: done(null, first.id, first.wire), isFinal: true };
    const error = `${failure.message}; it was created more than once (duplicate-marker): ${ids.join(", ")}. Delete all but one of them, or plan again and allow ${address}`;
    return { outcome: { status: "unknown", httpStatus: failure.status, resourceId: null, error }, isFinal: true };
  }
}

/** A resource and the one that replaces it carry the same name; this create made the one that replaces the right one. */
function ofThisCreate(operation: Operation, found: readonly Found[]): readonly Found[] {
  const wanted = isObject(operation.body) ? readMarker(operation.body["metadata"]).marker : null;
  return found.filter(({ wire }) => readMarker(wire["metadata"]).marker?.replaces === wanted?.replaces);
}
