import type { Client, Clock } from "../api/client.js";
import { type JsonObject, isObject } from "../core/json.js";
import { count } from "../core/text.js";
import { readMarker } from "../kinds/marker.js";
import { type KindName, kindOf, nameOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import { createdFrom } from "./bind-operation.js";
import { type OperationOutcome, done } from "./result.js";
import type { RunContext } from "./run-context.js";
import {
  type BoundRequest,
  type RequestFailure,
  failureOf,
  outcomeOfFailure,
  pause,
  sendOnce,
  waitToRetry,
} from "./send-request.js";

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

/** Calls during a list share the next: none gets a list that began before it. */
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
      const settled = begun.catch(() => undefined);
      current.set(kind, settled);
      return begun;
    });
    next.set(kind, listing);
    return listing;
  };
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
