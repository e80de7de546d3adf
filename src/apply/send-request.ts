import { ApiError } from "../api/api-error.js";
import type { ApiRequest, RequestOutcome } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import type { Value } from "../core/json.js";
import type { Operation } from "../plan/plan-format.js";
import { createdFrom } from "./bind-operation.js";
import type { Purpose, RunContext } from "./run-context.js";
import { type OperationOutcome, skipped } from "./result.js";

export type BoundRequest = Readonly<{
  operation: Operation;
  purpose: Purpose;
  request: ApiRequest;
  retryUntil: number | null;
}>;

export type RequestFailure = Readonly<{
  /** `answered`: refused. `bug`: it may have been done. */
  outcome: RequestOutcome | "bug";
  status: number | null;
  message: string;
  interrupted?: boolean;
}>;

type RequestResult =
  | Readonly<{ ok: true; status: number; body: Value }>
  | Readonly<{ ok: false; failure: RequestFailure }>;

export async function sendUntilFinal(context: RunContext, request: BoundRequest): Promise<RequestResult> {
  let uncertain = false;
  for (let attempt = 1; ; attempt += 1) {
    const result = await sendOnce(context, request, attempt);
    if (result.ok) return result;
    const { failure } = result;
    uncertain ||= failure.outcome === "unknown";
    if (await waitToRetry(context, request, failure, attempt)) continue;
    const isUnknown = uncertain && failure.outcome !== "bug";
    return isUnknown ? { ok: false, failure: { ...failure, outcome: "unknown" } } : result;
  }
}

export async function sendOnce(
  { client, emit, hardSignal, signal }: RunContext,
  { operation, purpose, request }: BoundRequest,
  attempt: number,
): Promise<RequestResult> {
  const { method, path } = request;
  const about = { op: operation.id, address: operation.address, method, path, purpose, attempt };
  const unsent = (message: string): RequestResult => ({ ok: false, failure: notSent(message) });
  if (hardSignal.aborted) return { ok: false, failure: { ...notSent("interrupted"), interrupted: true } };
  // But for a release, which is undone all the same.
  if (!(await emit({ event: "request", ...about })) && purpose === "operation")
    return unsent("not sent: the event before it could not be recorded");
  const result = await client.send(purpose === "operation" ? { ...request, stop: signal } : request).then(
    ({ body, status }): RequestResult => ({ ok: true, status, body }),
    (error: unknown): RequestResult => ({ ok: false, failure: failureOf(error) }),
  );
  void emit({
    event: "response",
    ...about,
    status: result.ok ? result.status : result.failure.status,
    resourceId: result.ok ? (createdFrom(result.body)?.id ?? null) : null,
    error: result.ok ? null : result.failure.message,
  });
  return result;
}

const minConsistencyTries = 3;

const firstDelayMs = 500;
const longestDelayMs = 8_000;

/** Services may need a moment to know what was just written. */
export async function waitToRetry(
  context: RunContext,
  request: BoundRequest,
  { outcome, status }: RequestFailure,
  attempt: number,
): Promise<boolean> {
  const { clock, hardSignal, random, signal } = context;
  const { retryUntil } = request;
  if (retryUntil === null || outcome === "bug") return false;
  // What may have been carried out is repeated unless it creates something.
  if (outcome !== "answered" && request.request.method === "POST") return false;
  if (status !== 400 && status !== 404 && status !== 409) return false;
  if (status === 404 && request.request.method === "DELETE") return false;
  const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1)) * (1 - random() / 2);
  const milliseconds = Math.round(delay);
  if (attempt >= minConsistencyTries && clock.now() + milliseconds > retryUntil) return false;
  // Taking hostports back goes on after the first signal.
  const stop = request.purpose === "restore" ? hardSignal : AbortSignal.any([signal, hardSignal]);
  if (stop.aborted) return false;
  await pause(context, request, "settling", milliseconds, stop);
  return !stop.aborted;
}

export async function pause(
  { clock, emit }: RunContext,
  { operation: { address, id: op } }: BoundRequest,
  reason: "settling" | "lookup",
  milliseconds: number,
  stop: AbortSignal,
): Promise<void> {
  await emit({ event: "waiting", op, address, reason, milliseconds });
  await clock.sleep(milliseconds, stop);
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
  const name = error instanceof Error ? error.name : typeof error;
  return { outcome: "bug", status: null, message: `this is an error of edgewise itself (${name})` };
}

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
