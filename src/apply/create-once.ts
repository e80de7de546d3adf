import type { Client, Clock } from "../api/client.js";
import { type JsonObject, isObject } from "../core/json.js";
import { configDefaults } from "../generated/config-defaults.js";
import { readMarker } from "../kinds/marker.js";
import { type Address, type KindName, kindOf, nameOf } from "../kinds/names.js";
import { kinds } from "../kinds/registry.js";
import type { Operation } from "../plan/plan-format.js";
import type { RunContext } from "./apply-deps.js";
import { createdFrom } from "./bind-operation.js";
import { type OperationOutcome, type RequestFailure, done, failureOf, outcomeOfFailure } from "./operation-outcome.js";
import type { BoundRequest, RequestExecutor } from "./request-executor.js";

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
  context: RunContext,
): Promise<OperationOutcome> {
  const { deps, hard } = context;
  /** How many POSTs had an unknown outcome. */
  let lost = 0;
  const decision: { made: OperationOutcome | null } = { made: null };
  const isFound = async (failure: RequestFailure): Promise<boolean> => {
    decision.made = await search(failure, request, executor, context);
    return decision.made !== null;
  };
  const result = await executor.sendUntilFinal(request, async (failure, attempt) => {
    // A lost POST may have been carried out late: then this one is refused because of what that one created.
    if (failure.outcome === "refused" && lost > 0) return (await isFound(failure)) ? "stop" : "retry";
    if (failure.outcome !== "unknown") return "retry";
    lost += 1;
    if (hard.aborted || (await isFound(failure))) return "stop";
    if (lost < maxLost && !deps.signal.aborted && !hard.aborted) return "send-again";
    const attempts = `${attempt} ${attempt === 1 ? "attempt" : "attempts"}`;
    const message = `${failure.message}; no resource was found after ${attempts}`;
    decision.made = outcomeOfFailure({ ...failure, message }, null);
    return "stop";
  });
  if (decision.made !== null) return decision.made;
  if (!result.ok) return outcomeOfFailure(result.failure, null);
  const { body, status } = result;
  const created = createdFrom(body);
  if (created !== null) return done(status, created.id, body);
  const message = `the service returned ${status} without the id of what it created`;
  const failure = { outcome: "unknown", status, message } as const;
  // The service reports success, so the POST is not repeated.
  return (await search(failure, request, executor, context)) ?? outcomeOfFailure(failure, null);
}

/**
 * The outcome that a lookup shows, at once or with growing pauses later; null = nothing was found in all the time.
 * After a signal there is one more look.
 */
async function search(
  failure: RequestFailure,
  request: BoundRequest,
  executor: RequestExecutor,
  context: RunContext,
): Promise<OperationOutcome | null> {
  const { clock, settleMs = configDefaults.api.settle, signal } = context.deps;
  const nextPause = growingPauses(clock, settleMs);
  const stop = AbortSignal.any([signal, context.hard]);
  // Without a permit: other operations go on, and searches for several creates run side by side.
  return executor.withoutPermit(request, async () => {
    for (;;) {
      const began = clock.now();
      const { outcome, isFinal } = await lookUp(failure, request.operation, context);
      const pause = isFinal || signal.aborted ? null : nextPause(began);
      if (pause === null) return outcome;
      await executor.pause(request, "lookup", pause, stop);
      if (context.hard.aborted) return null;
    }
  });
}

/** What one look shows. One that failed, or found nothing, is not the last. */
async function lookUp(
  failure: RequestFailure,
  operation: Operation,
  { emitter, findByMarker }: RunContext,
): Promise<{ readonly outcome: OperationOutcome | null; readonly isFinal: boolean }> {
  const { address, body, id: op } = operation;
  const about = { event: "lookup", op, address } as const;
  let resources: readonly Found[];
  try {
    resources = await findByMarker(address);
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
  // A resource and the one that replaces it carry the same name; this create made the one that replaces the right one.
  const wanted = isObject(body) ? readMarker(body["metadata"]).marker : null;
  const found = resources.filter(({ wire }) => readMarker(wire["metadata"]).marker?.replaces === wanted?.replaces);
  const ids = found.map(({ id }) => id);
  await emitter.emit({ ...about, found: ids, error: null });
  const [first] = found;
  if (first === undefined) return { outcome: null, isFinal: false };
  if (found.length === 1) return { outcome: done(null, first.id, first.wire), isFinal: true };
  const error = `${failure.message}; it was created more than once (duplicate-marker): ${ids.join(", ")}. Delete all but one of them, or plan again and allow ${address}`;
  return { outcome: { status: "unknown", httpStatus: failure.status, resourceId: null, error }, isFinal: true };
}

/** A live resource that carries the marker that was searched for. */
interface Found {
  readonly id: string;
  readonly wire: JsonObject;
}

/** Finds every live resource that carries this stack's marker for an address, whatever it replaces. Throws as the client does. */
export type FindByMarker = (address: Address) => Promise<readonly Found[]>;

/** Lists all resources of a kind. Throws as the client does. */
export type ListKind = (kind: KindName) => Promise<readonly JsonObject[]>;

/** Calls at the same time share one list, so that an outage doesn't cost thousands of them. */
export function createListKind(client: Pick<Client, "list">): ListKind {
  const lists = new Map<KindName, () => Promise<readonly JsonObject[]>>();
  return async (kind) => {
    const { collection } = kinds[kind];
    if (collection === null) throw new RangeError(`${kind} has no list`);
    const list = lists.get(kind) ?? shared(async () => client.list(collection));
    lists.set(kind, list);
    return list();
  };
}

/** Searches lists for markers. */
export function createFindByMarker(list: ListKind, stack: string): FindByMarker {
  return async (address) =>
    (await list(kindOf(address))).flatMap((wire) => {
      const { id, metadata } = wire;
      const { marker } = readMarker(metadata);
      return typeof id === "string" && marker?.stack === stack && marker.name === nameOf(address) ? [{ id, wire }] : [];
    });
}

/** Calls that come while one is under way share the next: none gets the result of work that began before it. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return async () =>
    (next ??= current.then(async () => {
      next = null;
      const begun = work();
      current = begun.catch(() => undefined);
      return begun;
    }));
}

const firstPauseMs = 500;
const longestPauseMs = 8_000;

/**
 * Pauses between looks at lists that may lag behind writes: up to half a second, then twice as long each time, up to
 * eight. Looks that go on side by side come at the same moments, multiples of these times, so that they share their lists.
 * @param settleMs how long to go on looking, in milliseconds from now
 * @returns gives the next pause in milliseconds, or null when the last look began after all of the time: a look may take
 * longer than the lists lag, and shows what they were when it began
 */
export function growingPauses(clock: Pick<Clock, "now">, settleMs: number): (lookBegan: number) => number | null {
  const until = clock.now() + settleMs;
  const last = roundedUp(until, Math.max(1, Math.min(firstPauseMs, settleMs)));
  let next = firstPauseMs;
  return (lookBegan) => {
    if (lookBegan >= until) return null;
    const now = clock.now();
    const look = Math.min(roundedUp(now + 1, next), last);
    next = Math.min(2 * next, longestPauseMs);
    return Math.max(0, Math.ceil(look - now));
  };
}

function roundedUp(time: number, step: number): number {
  return Math.ceil(time / step) * step;
}
