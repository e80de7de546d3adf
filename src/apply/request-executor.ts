import { setMaxListeners } from "node:events";
import type { ApiRequest } from "../api/client.js";
import type { Value } from "../json.js";
import type { Operation } from "../plan/plan-format.js";
import type { ApplyDeps } from "./apply-deps.js";
import { createdFrom } from "./bind-operation.js";
import type { EventEmitter, Purpose } from "./events.js";
import { type RequestFailure, failureOf } from "./operation-outcome.js";
import type { Semaphore } from "./scheduler.js";
import type { WaitGraph } from "./wait-graph.js";

/** How a request ended. */
export type RequestResult =
  | { readonly ok: true; readonly status: number; readonly body: Value }
  | { readonly ok: false; readonly failure: RequestFailure };

/** One request to be sent, maybe more than once. */
export interface OperationRequest {
  readonly operation: Operation;
  /** The operation's place in the plan: who comes first when places are short. */
  readonly order: number;
  readonly purpose: Purpose;
  readonly request: ApiRequest;
  /** Until when refusals are retried (milliseconds since 1970); null = never. */
  readonly retryUntil: number | null;
}

/** The least number of tries for what may need a moment, however long the run took to come to it. */
const minConsistencyTries = 3;

/** Sends requests and waits between them, telling of both. Whoever calls it holds a place, which it gives up to wait. */
export class RequestExecutor {
  readonly #deps: Pick<ApplyDeps, "client" | "clock" | "random" | "signal" | "hardSignal">;
  readonly #teller: EventEmitter;
  readonly #slots: Semaphore;
  readonly #never = new AbortController().signal;

  constructor(
    deps: Pick<ApplyDeps, "client" | "clock" | "random" | "signal" | "hardSignal">,
    teller: EventEmitter,
    slots: Semaphore,
  ) {
    this.#deps = deps;
    this.#teller = teller;
    this.#slots = slots;
    // Everybody who waits listens to the same signals.
    for (const signal of [deps.signal, deps.hardSignal ?? this.#never, this.#never]) setMaxListeners(0, signal);
  }

  /** Whether nothing may be sent any more. */
  get halted(): boolean {
    return this.#deps.hardSignal?.aborted === true;
  }

  /** Sends once. Told before and after; what can't be told is not sent. */
  async send(errand: OperationRequest, attempt: number): Promise<RequestResult> {
    const { operation, purpose, request } = errand;
    const { method, path } = request;
    const about = { op: operation.id, address: operation.address, method, path, purpose, attempt };
    if (this.halted) return unsent("interrupted", true);
    // What a release let go is given back even when that can't be recorded.
    if (!(await this.#teller.emit({ event: "request", ...about })) && purpose === "operation")
      return unsent("not sent: what was about to happen could not be recorded");
    const answer = await this.#send(purpose === "operation" ? { ...request, stop: this.#deps.signal } : request);
    await this.#teller.emit({
      event: "response",
      ...about,
      status: answer.ok ? answer.status : answer.failure.status,
      resourceId: answer.ok ? (createdFrom(answer.body)?.id ?? null) : null,
      error: answer.ok ? null : answer.failure.message,
    });
    return answer;
  }

  async #send(request: ApiRequest): Promise<RequestResult> {
    try {
      const { status, body } = await this.#deps.client.send(request);
      return { ok: true, status, body };
    } catch (error) {
      return { ok: false, failure: failureOf(error) };
    }
  }

  /**
   * Waits before a refusal is retried, when there is reason to: services may need a moment to know what was just made
   * or freed. 403 and the like are final.
   * @param attempt how many tries there were
   * @returns whether to try again
   */
  async waitToRetry(errand: OperationRequest, failure: RequestFailure, attempt: number): Promise<boolean> {
    const { retryUntil: settlesBy, operation } = errand;
    const { status } = failure;
    if (settlesBy === null || failure.outcome === "bug") return false;
    // What was lost before it was refused may be repeated, unless it makes something.
    if (failure.outcome !== "refused" && errand.request.method === "POST") return false;
    if (status !== 400 && status !== 404 && status !== 409) return false;
    const milliseconds = consistencyRetryDelay(attempt, this.#deps.random());
    if (attempt >= minConsistencyTries && this.#deps.clock.now() + milliseconds > settlesBy) return false;
    // What gives back a hostport goes on after the first signal; everything else takes the refusal as it is.
    const signal = errand.purpose === "restore" ? (this.#deps.hardSignal ?? this.#never) : this.#deps.signal;
    if (signal.aborted || this.halted) return false;
    await this.pause(operation, errand.order, "settling", milliseconds, signal);
    return !signal.aborted && !this.halted;
  }

  /** Waits without holding a place. Cut short by the signal (the hard one unless another is given). */
  async pause(
    operation: Operation,
    order: number,
    reason: "settling" | "lookup",
    milliseconds: number,
    signal: AbortSignal = this.#deps.hardSignal ?? this.#never,
  ): Promise<void> {
    await this.#teller.emit({ event: "waiting", op: operation.id, address: operation.address, reason, milliseconds });
    this.#slots.release();
    try {
      await this.#deps.clock.sleep(milliseconds, signal);
    } finally {
      await this.#slots.acquire(order);
    }
  }
}

function unsent(message: string, interrupted = false): RequestResult {
  const failure: RequestFailure = { outcome: "not-sent", status: null, message };
  return { ok: false, failure: interrupted ? { ...failure, interrupted } : failure };
}

const firstDelayMs = 500;
const longestDelayMs = 8_000;

/**
 * How long to wait before trying again what the service refused, in milliseconds: doubled each time, from half a
 * second to eight, less up to a half by chance so that many don't come back at once.
 * @param attempt how many tries there were, at least 1
 * @param random between 0 and 1
 */
function consistencyRetryDelay(attempt: number, random: number): number {
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempt - 1, 10));
  return Math.round(ceiling * (1 - random / 2));
}

/** How long services may take to settle, in milliseconds. */
export const defaultConsistencyMs = 30_000;

/**
 * Until when a refusal of an operation may be no more than the service not having settled: for a while after the last
 * of what it uses was made, or of what it takes was freed, in this run. Counted from there and not from the refusal, so
 * that thousands of operations with one real mistake don't each wait in vain.
 * @param endTimes when operations ended, in milliseconds since 1970
 * @returns milliseconds since 1970; null when it uses and takes nothing of this run
 */
export function consistencyDeadline(
  graph: WaitGraph,
  index: number,
  endTimes: readonly (number | undefined)[],
  settleMs: number = defaultConsistencyMs,
): number | null {
  const operation = graph.operations[index];
  let last: number | null = null;
  for (const before of graph.predecessors[index] ?? []) {
    const earlier = graph.operations[before];
    const reason = operation?.waits[earlier?.id ?? ""];
    const at = endTimes[before];
    // What changes a resource that this run made uses it as much as what refers to it does.
    const uses = reason === "use" || reason === "free" || (reason === "same" && earlier?.kind === "create");
    if (uses && at !== undefined) last = Math.max(last ?? at, at);
  }
  return last === null ? null : last + settleMs;
}
