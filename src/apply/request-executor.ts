import { setMaxListeners } from "node:events";
import type { ApiRequest } from "../api/client.js";
import type { Value } from "../core/json.js";
import type { Operation } from "../plan/plan-format.js";
import type { RunContext } from "./apply-deps.js";
import { createdFrom } from "./bind-operation.js";
import type { Purpose } from "./events.js";
import { type RequestFailure, failureOf } from "./operation-outcome.js";
import type { WaitGraph } from "./wait-graph.js";

/** The request of an operation with every id filled in, to be sent once or more often. */
export interface BoundRequest {
  readonly operation: Operation;
  /** The operation's index in the plan: the lowest goes first when permits are short. */
  readonly order: number;
  readonly purpose: Purpose;
  readonly request: ApiRequest;
  /** Until when refusals are retried, in milliseconds since 1970; null = never. */
  readonly retryUntil: number | null;
  /** Called when the service has accepted it for good, before anything else is done with the response. */
  readonly onAccepted?: () => void;
}

/** How a request ended. */
export type RequestResult =
  | { readonly ok: true; readonly status: number; readonly body: Value }
  | { readonly ok: false; readonly failure: RequestFailure };

/**
 * What to do after a failure. `retry`: wait and send again if the refusal may be temporary, else stop; `send-again`:
 * send again at once; `stop`: the failure is final.
 */
export type AfterFailure = "retry" | "send-again" | "stop";

/** However late the request is first sent, a refusal that may be temporary is retried until it was sent this often. */
const minConsistencyTries = 3;

/**
 * Sends requests, retries refusals and emits an event for each step. Callers must hold a semaphore permit; it is
 * released while waiting.
 */
export class RequestExecutor {
  readonly #context: Pick<RunContext, "deps" | "emitter" | "semaphore">;
  readonly #never = new AbortController().signal;
  /** Aborted by any signal. */
  readonly #anySignal: AbortSignal;

  constructor(context: Pick<RunContext, "deps" | "emitter" | "semaphore">) {
    this.#context = context;
    // Everything that waits listens to the same signals.
    const { signal, hardSignal } = context.deps;
    this.#anySignal = AbortSignal.any([signal, hardSignal ?? this.#never]);
    for (const each of [signal, hardSignal ?? this.#never, this.#never, this.#anySignal]) setMaxListeners(0, each);
  }

  /** Whether nothing may be sent any more. */
  get halted(): boolean {
    return this.#context.deps.hardSignal?.aborted === true;
  }

  /**
   * Sends a request until it succeeds or fails for good.
   * @param afterFailure decides about each failure; `attempt` is how often the request was sent
   */
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

  /** Sends a request once. If the event that announces it can't be recorded, it is not sent. */
  async #send(request: BoundRequest, attempt: number): Promise<RequestResult> {
    const { deps, emitter } = this.#context;
    const { operation, purpose } = request;
    const { method, path } = request.request;
    const about = { op: operation.id, address: operation.address, method, path, purpose, attempt };
    if (this.halted) return notSent("interrupted", true);
    // A release is undone even when that can't be recorded.
    if (!(await emitter.emit({ event: "request", ...about })) && purpose === "operation")
      return notSent("not sent: the event before it could not be recorded");
    const result = await this.#exchange(
      purpose === "operation" ? { ...request.request, stop: deps.signal } : request.request,
    );
    // A create without an id is searched for, and still needs its permit.
    if (result.ok && (operation.kind !== "create" || createdFrom(result.body) !== null)) request.onAccepted?.();
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

  async #exchange(request: ApiRequest): Promise<RequestResult> {
    try {
      const { status, body } = await this.#context.deps.client.send(request);
      return { ok: true, status, body };
    } catch (error) {
      return { ok: false, failure: failureOf(error) };
    }
  }

  /**
   * Waits before a refusal is retried, when it may be temporary: services may need a moment to know what was just
   * created or released. 403 and the like are final.
   * @returns whether to send again
   */
  async #waitToRetry(request: BoundRequest, failure: RequestFailure, attempt: number): Promise<boolean> {
    const { clock, random } = this.#context.deps;
    const { retryUntil } = request;
    const { outcome, status } = failure;
    if (retryUntil === null || outcome === "bug") return false;
    // When an earlier attempt may have been carried out, the request may be repeated unless it creates something.
    if (outcome !== "refused" && request.request.method === "POST") return false;
    if (status !== 400 && status !== 404 && status !== 409) return false;
    const milliseconds = consistencyRetryDelay(attempt, random());
    if (attempt >= minConsistencyTries && clock.now() + milliseconds > retryUntil) return false;
    if (this.#mustStop(request)) return false;
    await this.withoutPermit(request, async () => this.pause(request, "settling", milliseconds));
    return !this.#mustStop(request);
  }

  #mustStop(request: BoundRequest): boolean {
    return this.#stopSignal(request).aborted || this.halted;
  }

  /** Taking hostports back goes on after the first signal; all other operations then take a refusal as final. */
  #stopSignal({ purpose }: BoundRequest): AbortSignal {
    return purpose === "restore" ? this.#hardSignal : this.#context.deps.signal;
  }

  get #hardSignal(): AbortSignal {
    return this.#context.deps.hardSignal ?? this.#never;
  }

  /**
   * Waits. Before a retry (`settling`) the wait ends early when the request must not be sent again; before a `lookup` at
   * any signal.
   */
  async pause(request: BoundRequest, reason: "settling" | "lookup", milliseconds: number): Promise<void> {
    const { deps, emitter } = this.#context;
    const { id: op, address } = request.operation;
    await emitter.emit({ event: "waiting", op, address, reason, milliseconds });
    await deps.clock.sleep(milliseconds, reason === "lookup" ? this.#anySignal : this.#stopSignal(request));
  }

  /** Does something without the request's permit, and waits for one again. */
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

function notSent(message: string, interrupted = false): RequestResult {
  const failure: RequestFailure = { outcome: "not-sent", status: null, message };
  return { ok: false, failure: interrupted ? { ...failure, interrupted } : failure };
}

const firstDelayMs = 500;
const longestDelayMs = 8_000;

/**
 * How long to wait before sending again what the service refused, in milliseconds: doubled each time, from half a
 * second to eight, less up to a half by chance so that many requests don't come back at once. Longer than the client's
 * own retries (`retry-policy.ts`), which are about requests that got lost: this is about state that must spread.
 * @param attempt how often it was sent, at least 1
 * @param random between 0 and 1
 */
function consistencyRetryDelay(attempt: number, random: number): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempt - 1, 10));
  return Math.round(ceiling * (1 - random / 2));
}

/** How long a service may take to become consistent, in milliseconds. */
export const defaultConsistencyMs = 30_000;

/**
 * Until when a refusal of an operation may be temporary: for a while after the last of what it uses was created, or of
 * what it takes was released, in this run. Counted from there and not from the refusal, so that thousands of
 * operations with one real mistake don't each wait in vain.
 * @param endTimes when operations ended, in milliseconds since 1970
 * @returns milliseconds since 1970; null when it uses and takes nothing that this run created or released
 */
export function consistencyDeadline(
  graph: WaitGraph,
  index: number,
  endTimes: readonly (number | undefined)[],
  consistencyMs: number = defaultConsistencyMs,
): number | null {
  const operation = graph.operations[index];
  let last: number | null = null;
  for (const before of graph.predecessors[index] ?? []) {
    const earlier = graph.operations[before];
    const reason = operation?.waits[earlier?.id ?? ""];
    const at = endTimes[before];
    // An operation on a resource that this run created uses it as much as one on a resource that refers to it.
    const uses = reason === "use" || reason === "free" || (reason === "same" && earlier?.kind === "create");
    if (uses && at !== undefined) last = Math.max(last ?? at, at);
  }
  return last === null ? null : last + consistencyMs;
}
