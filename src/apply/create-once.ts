import { isObject } from "../json.js";
import { readMarker } from "../kinds/marker.js";
import type { Operation } from "../plan/plan-format.js";
import type { ApplyDeps, Found } from "./apply-deps.js";
import { createdFrom } from "./bind-operation.js";
import type { OperationRequest, RequestExecutor } from "./courier.js";
import { type OperationOutcome, outcomeOfFailure } from "./ended.js";
import { type RequestFailure, failureOf } from "./failure.js";
import type { EventEmitter } from "./teller.js";

/** How often a create is sent when nothing of it was found after each time. */
const maxTries = 3;
/** How long the service gets to show what it made before the second look, in milliseconds. */
const secondLookDelayMs = 2_000;

interface CreateTools {
  readonly deps: Pick<ApplyDeps, "findByMarker" | "signal">;
  readonly courier: RequestExecutor;
  readonly teller: EventEmitter;
}

/**
 * Creates a resource exactly once as far as that can be had without an idempotency key: a POST whose outcome is unknown
 * is never repeated before its collection was looked through twice, a settling time apart, for the marker that it
 * carries.
 */
export async function createOnce(errand: OperationRequest, tools: CreateTools): Promise<OperationOutcome> {
  const { courier, deps } = tools;
  let lost = 0;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await courier.send(errand, attempt);
    if (answer.ok) {
      const made = createdFrom(answer.body);
      if (made !== null) return created(answer.status, made.id, answer.body);
      const message = `the service answered ${answer.status} without the id of what it made`;
      const found = await lookTwice(errand, tools, { outcome: "unknown", status: answer.status, message });
      // It says that it was made, so it is not made again.
      return found ?? outcomeOfFailure({ outcome: "unknown", status: answer.status, message }, null);
    }
    const { failure } = answer;
    if (failure.outcome === "unknown") {
      lost += 1;
      if (courier.halted) return outcomeOfFailure(failure, null);
      const found = await lookTwice(errand, tools, failure);
      if (found !== null) return found;
      if (lost >= maxTries || deps.signal.aborted || courier.halted)
        return outcomeOfFailure(
          { ...failure, message: `${failure.message}; nothing of it was found, tried ${attempt} times` },
          null,
        );
      continue;
    }
    if (lost > 0 && failure.outcome === "refused") {
      // The first one may have been made late after all: then the second is refused for what the first one holds.
      const found = await look(errand, tools, failure);
      if (found !== null) return found;
    }
    if (await courier.waitToRetry(errand, failure, attempt)) continue;
    // What was lost before may still turn up.
    return outcomeOfFailure(lost > 0 && failure.outcome !== "bug" ? { ...failure, outcome: "unknown" } : failure, null);
  }
}

/** What was found at the first look or, a settling time later, at the second; null = nothing. */
async function lookTwice(
  errand: OperationRequest,
  tools: CreateTools,
  failure: RequestFailure,
): Promise<OperationOutcome | null> {
  const found = await look(errand, tools, failure);
  if (found !== null) return found;
  await tools.courier.pause(errand.operation, errand.order, "lookup", secondLookDelayMs);
  return tools.courier.halted ? null : look(errand, tools, failure);
}

async function look(
  { operation }: OperationRequest,
  { deps, teller }: CreateTools,
  failure: RequestFailure,
): Promise<OperationOutcome | null> {
  const about = { event: "lookup", op: operation.id, address: operation.address } as const;
  let found: readonly Found[];
  try {
    found = ofThisCreate(operation, await deps.findByMarker(operation.address));
  } catch (error) {
    const { message, outcome } = failureOf(error);
    await teller.emit({ ...about, found: [], error: message });
    const words = `${failure.message}; looking for what it may have made failed: ${message}`;
    return outcomeOfFailure({ ...failure, outcome: outcome === "bug" ? "bug" : "unknown", message: words }, null);
  }
  const ids = found.map(({ id }) => id);
  await teller.emit({ ...about, found: ids, error: null });
  const [first] = found;
  if (first === undefined) return null;
  if (found.length === 1) return created(null, first.id, first.wire);
  const message = `${failure.message}; it was made more than once (duplicate-marker): ${ids.join(", ")}. Delete all but one of them, or plan again and allow ${operation.address}`;
  return { status: "unknown", httpStatus: failure.status, resourceId: null, error: message };
}

/** A resource and the one that it replaces carry the same name: what this create made replaces what it was to replace. */
function ofThisCreate(operation: Operation, found: readonly Found[]): readonly Found[] {
  const wanted = isObject(operation.body) ? readMarker(operation.body["metadata"]).marker : null;
  return found.filter(({ wire }) => readMarker(wire["metadata"]).marker?.replaces === wanted?.replaces);
}

function created(httpStatus: number | null, resourceId: string, body: OperationOutcome["body"]): OperationOutcome {
  return { status: "done", httpStatus, resourceId, error: null, ...(body === undefined ? {} : { body }) };
}
