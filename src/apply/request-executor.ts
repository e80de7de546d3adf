import type { ApiRequest } from "../api/client.js";
import type { Value } from "../core/json.js";
import type { Operation } from "../plan/plan-format.js";
import type { RunContext } from "./apply-deps.js";
import { createdFrom } from "./bind-operation.js";
import type { Purpose } from "./events.js";
import { type RequestFailure, failureOf } from "./operation-outcome.js";

export interface BoundRequest {
  readonly operation: Operation;
  /** The index in the plan: the lowest goes first when permits are short. */
  readonly order: number;
  readonly purpose: Purpose;
  readonly request: ApiRequest;
  /** Until when refusals are retried; null = never. */
  readonly retryUntil: number | null;
}

type RequestResult =
  | { readonly ok: true; readonly status: number; readonly body: Value }
  | { readonly ok: false; readonly failure: RequestFailure };

/** `retry`: wait and send again if the refusal may be temporary, else stop; `send-again`: at once. */
type AfterFailure = "retry" | "send-again" | "stop";

/** However late the request is first sent, it is sent this often. */
const minConsistencyTries = 3;

/** Callers hold a semaphore permit; it is released while waiting. */
export class RequestExecutor {
  readonly #context: RunContext;

  constructor(context: RunContext) {
    this.#context = context;
  }

  async sendUntilFinal(
    request: BoundRequest,
    afterFailure: (failure: RequestFailure, attempt: number) => AfterFailure | Promise<AfterFailure> = () => "retry",
  ): Promise<RequestResult> {
    let uncertain = false;
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#send(request, attempt);
      if (result.ok) return result;
      const { failure } = result;
      const next = await afterFailure(failure, attempt);
      uncertain ||= failure.outcome === "unknown";
      if (next === "send-again" || (next === "retry" && (await this.#waitToRetry(request, failure, attempt)))) continue;
      // An earlier attempt may have been carried out, and the refusal of the last one doesn't undo that.
      return uncertain && failure.outcome !== "bug"
        ? { ok: false, failure: { ...failure, outcome: "unknown" } }
        : result;
    }
  }

  /** If the event that announces it can't be recorded, it is not sent. */
  async #send({ operation, purpose, request }: BoundRequest, attempt: number): Promise<RequestResult> {
    const { deps, emitter, hard } = this.#context;
    const { method, path } = request;
    const about = { op: operation.id, address: operation.address, method, path, purpose, attempt };
    const unsent = { outcome: "not-sent", status: null } as const;
    if (hard.aborted) return { ok: false, failure: { ...unsent, message: "interrupted", interrupted: true } };
    // A release is undone even when that can't be recorded.
    if (!(await emitter.emit({ event: "request", ...about })) && purpose === "operation")
      return { ok: false, failure: { ...unsent, message: "not sent: the event before it could not be recorded" } };
    const result = await deps.client.send(purpose === "operation" ? { ...request, stop: deps.signal } : request).then(
      ({ body, status }): RequestResult => ({ ok: true, status, body }),
      (error: unknown): RequestResult => ({ ok: false, failure: failureOf(error) }),
    );
    // Not waited for: events are recorded in order, so this one is before the next request is announced.
    void emitter.emit({
      event: "response",
      ...about,
      status: result.ok ? result.status : result.failure.status,
      resourceId: result.ok ? (createdFrom(result.body)?.id ?? null) : null,
      error: result.ok ? null : result.failure.message,
    });
    return result;
  }

  /** Services may need a moment to know what was just created or released. Returns whether to send again. */
  async #waitToRetry(request: BoundRequest, failure: RequestFailure, attempt: number): Promise<boolean> {
    const { deps, hard } = this.#context;
    const { retryUntil } = request;
    const { outcome, status } = failure;
    if (retryUntil === null || outcome === "bug") return false;
    // When an earlier attempt may have been carried out, the request may be repeated unless it creates something.
    if (outcome !== "answered" && request.request.method === "POST") return false;
    if (status !== 400 && status !== 404 && status !== 409) return false;
    const milliseconds = consistencyRetryDelay(attempt, deps.random());
    if (attempt >= minConsistencyTries && deps.clock.now() + milliseconds > retryUntil) return false;
    // Taking hostports back goes on after the first signal; all other operations then take a refusal as final.
    const stop = request.purpose === "restore" ? hard : AbortSignal.any([deps.signal, hard]);
    if (stop.aborted) return false;
    await this.withoutPermit(request, async () => this.pause(request, "settling", milliseconds, stop));
    return !stop.aborted;
  }

  async pause(
    { operation: { address, id: op } }: BoundRequest,
    reason: "settling" | "lookup",
    milliseconds: number,
    stop: AbortSignal,
  ): Promise<void> {
    const { deps, emitter } = this.#context;
    await emitter.emit({ event: "waiting", op, address, reason, milliseconds });
    await deps.clock.sleep(milliseconds, stop);
  }

  async withoutPermit<T>({ order }: BoundRequest, work: () => Promise<T>): Promise<T> {
    const { semaphore } = this.#context;
    semaphore.release();
    try {
      return await work();
    } finally {
      await semaphore.acquire(order);
    }
  }
}

const firstDelayMs = 500;
const longestDelayMs = 8_000;

function consistencyRetryDelay(attempt: number, random: number): number {
  return Math.round(Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (1 - random / 2));
}
