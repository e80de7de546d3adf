import type { Client, Clock } from "../api/client.js";
import { type JsonObject, isObject } from "../core/json.js";
import { configDefaults } from "../generated/config-defaults.js";
import { readMarker } from "../kinds/marker.js";
import { type KindName, kindOf, nameOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { RunContext } from "./apply-deps.js";
import { createdFrom } from "./bind-operation.js";
import { type OperationOutcome, type RequestFailure, done, failureOf, outcomeOfFailure } from "./operation-outcome.js";
import type { BoundRequest, RequestExecutor } from "./request-executor.js";

/** How many POSTs of unknown outcome are sent when no resource is found after each of them. */
const maxLost = 5;

/**
 * A POST whose outcome is unknown is not repeated before its collection was searched for its marker, for as long as
 * lists may lag.
 */
export class CreateOnce {
  readonly #request: BoundRequest;
  readonly #executor: RequestExecutor;
  readonly #context: RunContext;
  #lost = 0;
  #decided: OperationOutcome | null = null;

  constructor(request: BoundRequest, executor: RequestExecutor, context: RunContext) {
    this.#request = request;
    this.#executor = executor;
    this.#context = context;
  }

  async run(): Promise<OperationOutcome> {
    const result = await this.#executor.sendUntilFinal(this.#request, (failure, attempt) =>
      this.#afterFailure(failure, attempt),
    );
    if (this.#decided !== null) return this.#decided;
    if (!result.ok) return outcomeOfFailure(result.failure, null);
    const { body, status } = result;
    const created = createdFrom(body);
    if (created !== null) return done(status, created.id, body);
    const message = `the service returned ${status} without the id of what it created`;
    const failure = { outcome: "unknown", status, message } as const;
    // The service reports success, so the POST is not repeated.
    return (await this.#search(failure)) ?? outcomeOfFailure(failure, null);
  }

  async #afterFailure(failure: RequestFailure, attempt: number): Promise<"retry" | "send-again" | "stop"> {
    const { deps, hard } = this.#context;
    const isUnknown = failure.outcome === "unknown";
    // A lost POST may have been carried out late: then this one is refused because of what that one created.
    if (!isUnknown && (failure.outcome !== "answered" || this.#lost === 0)) return "retry";
    if (isUnknown) this.#lost += 1;
    if (isUnknown && hard.aborted) return "stop";
    this.#decided = await this.#search(failure);
    if (this.#decided !== null) return "stop";
    if (!isUnknown) return "retry";
    if (this.#lost < maxLost && !deps.signal.aborted && !hard.aborted) return "send-again";
    const attempts = `${attempt} ${attempt === 1 ? "attempt" : "attempts"}`;
    const message = `${failure.message}; no resource was found after ${attempts}`;
    this.#decided = outcomeOfFailure({ ...failure, message }, null);
    return "stop";
  }

  /** Null = nothing was found in all the time. After a signal there is one more look. */
  async #search(failure: RequestFailure): Promise<OperationOutcome | null> {
    const { deps, hard } = this.#context;
    const nextPause = growingPauses(deps.clock, deps.settleMs ?? configDefaults.api.settle);
    const stop = AbortSignal.any([deps.signal, hard]);
    // Without a permit: other operations go on, and searches for several creates run side by side.
    return this.#executor.withoutPermit(this.#request, async () => {
      for (;;) {
        const began = deps.clock.now();
        const { outcome, isFinal } = await this.#look(failure);
        const pause = isFinal || deps.signal.aborted ? null : nextPause(began);
        if (pause === null) return outcome;
        await this.#executor.pause(this.#request, "lookup", pause, stop);
        if (hard.aborted) return null;
      }
    });
  }

  async #look(
    failure: RequestFailure,
  ): Promise<{ readonly outcome: OperationOutcome | null; readonly isFinal: boolean }> {
    const { emitter, listKind, stack } = this.#context;
    const { address, body, id: op } = this.#request.operation;
    const about = { event: "lookup", op, address } as const;
    let resources: readonly JsonObject[];
    try {
      resources = await listKind(kindOf(address));
    } catch (error) {
      const { message: why, outcome } = failureOf(error);
      await emitter.emit({ ...about, found: [], error: why });
      const message = `${failure.message}; searching for a resource it may have created failed: ${why}`;
      const isFinal = outcome === "bug";
      const failed = { ...failure, outcome: isFinal ? "bug" : "unknown", message } as const;
      return { outcome: outcomeOfFailure(failed, null), isFinal };
    }
    // A resource and the one that replaces it carry the same name; this create made the one that replaces the right
    // one.
    const wanted = isObject(body) ? readMarker(body["metadata"]).marker : null;
    const found = resources.flatMap((wire) => {
      const { id, metadata } = wire;
      const { marker } = readMarker(metadata);
      const isNamed = marker?.stack === stack && marker.name === nameOf(address);
      return typeof id === "string" && isNamed && marker.replaces === wanted?.replaces ? [{ id, wire }] : [];
    });
    const ids = found.map(({ id }) => id);
    await emitter.emit({ ...about, found: ids, error: null });
    const [first] = found;
    if (first === undefined) return { outcome: null, isFinal: false };
    if (found.length === 1) return { outcome: done(null, first.id, first.wire), isFinal: true };
    const error = `${failure.message}; it was created more than once (duplicate-marker): ${ids.join(", ")}. Delete all but one of them, or plan again and allow ${address}`;
    return { outcome: { status: "unknown", httpStatus: failure.status, resourceId: null, error }, isFinal: true };
  }
}

/** Calls that come while a list is under way share the next: none gets a list that began before it. */
export function createListKind(client: Pick<Client, "list">): RunContext["listKind"] {
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
      current.set(
        kind,
        begun.catch(() => undefined),
      );
      return begun;
    });
    next.set(kind, listing);
    return listing;
  };
}

const firstPauseMs = 500;
const longestPauseMs = 8_000;

/** From half a second to eight; null when the last look began after all of the time. */
export function growingPauses(clock: Pick<Clock, "now">, settleMs: number): (lookBegan: number) => number | null {
  const until = clock.now() + settleMs;
  let next = firstPauseMs;
  return (lookBegan) => {
    if (lookBegan >= until) return null;
    const pause = Math.min(next, Math.max(0, until - clock.now()));
    next = Math.min(2 * next, longestPauseMs);
    return Math.ceil(pause);
  };
}
