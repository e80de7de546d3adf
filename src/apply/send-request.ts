import { ApiError } from "../api/api-error.js";
import type { ApiRequest, Clock, RequestOutcome } from "../api/client.js";
import { setAt } from "../core/document-path.js";
import { EdgewiseError } from "../core/errors.js";
import { type Value, isObject } from "../core/json.js";
import type { Secret } from "../core/secret.js";
import { count } from "../core/text.js";
import { readMarker } from "../kinds/marker.js";
import { type Address, isResourceId, kindOf, nameOf } from "../kinds/names.js";
import type { Operation } from "../plan/plan-format.js";
import type { CreatedResource, Purpose, RunContext } from "./run-context.js";
import { type OperationOutcome, done, skipped } from "./result.js";

export function createdFrom(body: unknown): CreatedResource | null {
  if (!isObject(body)) return null;
  const { id, addr } = body;
  if (!isResourceId(id)) return null;
  return { id, addr: typeof addr === "string" && addr !== "" ? addr : null };
}

export function bindOperation(
  { bind, body, path, pathBind, resourceId }: Pick<Operation, "bind" | "body" | "path" | "pathBind" | "resourceId">,
  created: ReadonlyMap<Address, CreatedResource>,
  secrets: ReadonlyMap<string, Secret>,
) {
  let bound: Value = body;
  for (const [pointer, binding] of Object.entries(bind)) {
    const value = "secret" in binding ? secrets.get(binding.secret) : created.get(binding.address)?.[binding.part];
    if (value === undefined || value === null) return { missing: missingPart(binding) };
    bound = setAt(bound, pointer, value);
  }
  const own = body === null ? {} : { body: bound };
  if (pathBind === undefined) return { path, resourceId, ...own };
  const id = created.get(pathBind.address)?.id;
  if (id === undefined) return { missing: missingPart(pathBind) };
  return { path: path.replace("{id}", () => encodeURIComponent(id)), resourceId: id, ...own };
}

function missingPart(binding: Operation["bind"][string]) {
  if ("secret" in binding) return `the secret ${binding.secret} is not available`;
  return `the service returned no ${binding.part} for ${binding.address}`;
}

export type BoundRequest = Readonly<{
  operation: Operation;
  /** The lowest goes first when permits are short. */
  order: number;
  purpose: Purpose;
  request: ApiRequest;
  retryUntil: number | null;
}>;

type RequestFailure = Readonly<{
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

async function sendOnce(
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
async function waitToRetry(
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
  await withoutPermit(context, request, async () => pause(context, request, "settling", milliseconds, stop));
  return !stop.aborted;
}

async function pause(
  { clock, emit }: RunContext,
  { operation: { address, id: op } }: BoundRequest,
  reason: "settling" | "lookup",
  milliseconds: number,
  stop: AbortSignal,
): Promise<void> {
  await emit({ event: "waiting", op, address, reason, milliseconds });
  await clock.sleep(milliseconds, stop);
}

async function withoutPermit<T>(
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

const maxLost = 5;

/** A POST of unknown outcome is repeated only after a search for its marker. */
export async function createOnce(request: BoundRequest, context: RunContext): Promise<OperationOutcome> {
  const { hardSignal, signal } = context;
  let lost = 0;
  for (let attempt = 1; ; attempt += 1) {
    const result = await sendOnce(context, request, attempt);
    const created = result.ok ? createdFrom(result.body) : null;
    if (result.ok && created !== null) return done(result.status, created.id, result.body);
    const failure: RequestFailure = result.ok
      ? { outcome: "unknown", status: result.status, message: `the service returned ${result.status} without an id` }
      : result.failure;
    const isUnknown = failure.outcome === "unknown";
    if (isUnknown) lost += 1;
    // A lost POST that was carried out late is why a later one is refused.
    if (isUnknown ? !hardSignal.aborted : failure.outcome === "answered" && lost > 0) {
      const found = await search(request, context, failure);
      if (found !== null) return found;
    }
    const mayRepeat = isUnknown && !result.ok && lost < maxLost && !signal.aborted && !hardSignal.aborted;
    if (mayRepeat || (!isUnknown && (await waitToRetry(context, request, failure, attempt)))) continue;
    const fate = isUnknown && !hardSignal.aborted ? `; no resource was found after ${count(attempt, "attempt")}` : "";
    const outcome = lost > 0 && failure.outcome !== "bug" ? "unknown" : failure.outcome;
    return outcomeOfFailure({ ...failure, outcome, message: failure.message + fate }, null);
  }
}

/** Null = nothing found. After a signal there is one more look. */
async function search(
  request: BoundRequest,
  context: RunContext,
  failure: RequestFailure,
): Promise<OperationOutcome | null> {
  const { clock, hardSignal, settleMs, signal } = context;
  const nextPause = growingPauses(clock, settleMs);
  const stop = AbortSignal.any([signal, hardSignal]);
  // Without a permit, so that other operations go on.
  return withoutPermit(context, request, async () => {
    for (;;) {
      const began = clock.now();
      let failed: OperationOutcome | null = null;
      try {
        const found = await look(request, context, failure);
        if (found !== null) return found;
      } catch (error) {
        const { message: why, outcome } = failureOf(error);
        if (outcome === "bug") throw error;
        const message = `${failure.message}; what it may have created could not be looked for: ${why}`;
        failed = outcomeOfFailure({ ...failure, outcome: "unknown", message }, null);
      }
      const milliseconds = signal.aborted ? null : nextPause(began);
      if (milliseconds === null) return failed;
      await pause(context, request, "lookup", milliseconds, stop);
      if (hardSignal.aborted) return null;
    }
  });
}

async function look(
  { operation: { address, body } }: BoundRequest,
  { listKind, stack }: RunContext,
  failure: RequestFailure,
): Promise<OperationOutcome | null> {
  const resources = await listKind(kindOf(address));
  // What it replaces carries the same name.
  const wanted = isObject(body) ? readMarker(body["metadata"]).marker : null;
  const found = resources.flatMap((wire) => {
    const { id, metadata } = wire;
    const { marker } = readMarker(metadata);
    const isNamed = marker?.stack === stack && marker.name === nameOf(address);
    return typeof id === "string" && isNamed && marker.replaces === wanted?.replaces ? [{ id, wire }] : [];
  });
  const ids = found.map(({ id }) => id);
  const [first] = found;
  if (first === undefined) return null;
  if (found.length === 1) return done(null, first.id, first.wire);
  const error = `${failure.message}; it was created more than once (duplicate-marker): ${ids.join(", ")}. Delete all but one, or plan again and allow ${address}`;
  return { status: "unknown", httpStatus: failure.status, resourceId: null, error };
}

const firstPauseMs = 500;
const longestPauseMs = 8_000;

export function growingPauses(clock: Pick<Clock, "now">, settleMs: number): (lookBegan: number) => number | null {
  const until = clock.now() + settleMs;
  let next = firstPauseMs;
  return (lookBegan) => {
    if (lookBegan >= until) return null;
    const milliseconds = Math.min(next, Math.max(0, until - clock.now()));
    next = Math.min(2 * next, longestPauseMs);
    return Math.ceil(milliseconds);
  };
}
