import { ApiError } from "../api/api-error.js";
import type { ApiRequest, RequestOutcome } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import type { Value } from "../core/json.js";
import type { Operation } from "../plan/plan-format.js";
import { createdFrom } from "./bind-operation.js";
import type { Purpose } from "./events.js";
import { type OperationOutcome, skipped } from "./result.js";
import type { RunContext } from "./run-context.js";

/** The request of an operation with every id filled in. */
export interface BoundRequest {
  readonly operation: Operation;
  /** The index in the plan: the lowest goes first when permits are short. */
  readonly order: number;
  readonly purpose: Purpose;
  readonly request: ApiRequest;
  /** Until when refusals are retried; null = never. */
  readonly retryUntil: number | null;
}

export interface RequestFailure {
  /** `answered`: the service refused it. `bug`: an error of this program; it may have been done. */
  readonly outcome: RequestOutcome | "bug";
  readonly status: number | null;
  readonly message: string;
  /** It was not sent because a signal came first. */
  readonly interrupted?: boolean;
}

type RequestResult =
  | { readonly ok: true; readonly status: number; readonly body: Value }
  | { readonly ok: false; readonly failure: RequestFailure };

/** `retry`: wait and send again if the refusal may be temporary, else stop; `send-again`: at once. */
export type AfterFailure = "retry" | "send-again" | "stop";

/** Callers hold a permit of the semaphore; it is released while waiting. `afterFailure` decides about each failure. */
export async function sendUntilFinal(
  context: RunContext,
  request: BoundRequest,
  afterFailure: (failure: RequestFailure, attempt: number) => AfterFailure | Promise<AfterFailure> = () => "retry",
): Promise<RequestResult> {
  let uncertain = false;
  for (let attempt = 1; ; attempt += 1) {
    const result = await sendOnce(context, request, attempt);
    if (result.ok) return result;
    const { failure } = result;
    const next = await afterFailure(failure, attempt);
    uncertain ||= failure.outcome === "unknown";
    if (next === "send-again" || (next === "retry" && (await waitToRetry(context, request, failure, attempt))))
      continue;
    // An earlier attempt may have been carried out, and the refusal of the last one doesn't undo that.
    const isUnknown = uncertain && failure.outcome !== "bug";
    return isUnknown ? { ok: false, failure: { ...failure, outcome: "unknown" } } : result;
  }
}

/** If the event that announces it can't be recorded, it is not sent. */
async function sendOnce(
  { client, emitter, hardSignal, signal }: RunContext,
  { operation, purpose, request }: BoundRequest,
  attempt: number,
): Promise<RequestResult> {
  const { method, path } = request;
  const about = { op: operation.id, address: operation.address, method, path, purpose, attempt };
  const unsent = (message: string): RequestResult => ({ ok: false, failure: notSent(message) });
  if (hardSignal.aborted) return { ok: false, failure: { ...notSent("interrupted"), interrupted: true } };
  // A release is undone even when that can't be recorded.
  if (!(await emitter.emit({ event: "request", ...about })) && purpose === "operation")
    return unsent("not sent: the event before it could not be recorded");
  const result = await client.send(purpose === "operation" ? { ...request, stop: signal } : request).then(
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

/** However late the request is first sent, it is sent this often. */
const minConsistencyTries = 3;

const firstDelayMs = 500;
const longestDelayMs = 8_000;

/** Services may need a moment to know what was just created or released. Returns whether to send again. */
async function waitToRetry(
  context: RunContext,
  request: BoundRequest,
  { outcome, status }: RequestFailure,
  attempt: number,
): Promise<boolean> {
  const { clock, hardSignal, random, signal } = context;
  const { retryUntil } = request;
  if (retryUntil === null || outcome === "bug") return false;
  // When an earlier attempt may have been carried out, the request may be repeated unless it creates something.
  if (outcome !== "answered" && request.request.method === "POST") return false;
  if (status !== 400 && status !== 404 && status !== 409) return false;
  const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (1 - random() / 2);
  const milliseconds = Math.round(delay);
  if (attempt >= minConsistencyTries && clock.now() + milliseconds > retryUntil) return false;
  // Taking hostports back goes on after the first signal; all other operations then take a refusal as final.
  const stop = request.purpose === "restore" ? hardSignal : AbortSignal.any([signal, hardSignal]);
  if (stop.aborted) return false;
  await withoutPermit(context, request, async () => pause(context, request, "settling", milliseconds, stop));
  return !stop.aborted;
}

export async function pause(
  { clock, emitter }: RunContext,
  { operation: { address, id: op } }: BoundRequest,
  reason: "settling" | "lookup",
  milliseconds: number,
  stop: AbortSignal,
): Promise<void> {
  await emitter.emit({ event: "waiting", op, address, reason, milliseconds });
  await clock.sleep(milliseconds, stop);
}

export async function withoutPermit<T>(
  { semaphore }: RunContext,
  { order }: BoundRequest,
  work: () => Promise<T>,
): Promise<T> {
  semaphore.release();
  try {
    return await work();
  } finally {
    await semaphore.acquire(order);
  }
}

export function notSent(message: string): RequestFailure {
  return { outcome: "not-sent", status: null, message };
}

export function failureOf(error: unknown): RequestFailure {
  if (error instanceof ApiError) {
    const { code, message, outcome, status } = error;
    return { outcome, status, message, interrupted: outcome === "not-sent" && code === "interrupted" };
  }
  if (error instanceof EdgewiseError) return { outcome: "unknown", status: null, message: error.message };
  // The message of an unexpected error may hold anything, so only its name is shown.
  const name = error instanceof Error ? error.name : typeof error;
  return { outcome: "bug", status: null, message: `this is an error of edgewise itself (${name})` };
}

/** The client's own messages may say so already. */
const uncertainty = "it may or may not have been applied";

export function outcomeOfFailure(failure: RequestFailure, resourceId: string | null): OperationOutcome {
  const { outcome, status, message } = failure;
  if (failure.interrupted === true) return { ...skipped("skipped: interrupted"), resourceId };
  const uncertain = outcome === "unknown" || outcome === "bug";
  return {
    status: uncertain ? "unknown" : "failed",
    httpStatus: status,
    resourceId,
    error: uncertain && !message.includes(uncertainty) ? `${message}; ${uncertainty}` : message,
    ...(outcome === "bug" ? { bug: true } : {}),
  };
}
