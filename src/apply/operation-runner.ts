import { type Json, isObject } from "../json.js";
import { readMarker } from "../kinds/marker.js";
import type { Address } from "../kinds/names.js";
import type { Operation } from "../plan/plan-format.js";
import type { Secret } from "../secret.js";
import type { ApplyDeps, Found } from "./apply-deps.js";
import { type CreatedResource, bindOperation, createdFrom } from "./bind-operation.js";
import type { EventEmitter } from "./events.js";
import { type OperationOutcome, type RequestFailure, failureOf, outcomeOfFailure } from "./operation-outcome.js";
import type { OperationRequest, RequestExecutor } from "./request-executor.js";

/** Runs single operations; remembers what they made, for those that use it. */
export class OperationRunner {
  readonly #deps: Pick<ApplyDeps, "findByMarker" | "signal">;
  readonly #secrets: ReadonlyMap<string, Secret>;
  readonly #courier: RequestExecutor;
  readonly #teller: EventEmitter;
  readonly #made = new Map<Address, CreatedResource>();

  constructor(
    deps: Pick<ApplyDeps, "findByMarker" | "signal">,
    secrets: ReadonlyMap<string, Secret>,
    courier: RequestExecutor,
    teller: EventEmitter,
  ) {
    this.#deps = deps;
    this.#secrets = secrets;
    this.#courier = courier;
    this.#teller = teller;
  }

  /**
   * @param order the operation's place in the plan
   * @param settlesBy until when refusals are retried; null = never
   */
  async run(operation: Operation, order: number, settlesBy: number | null): Promise<OperationRun> {
    const { id: op, address, kind, method } = operation;
    await this.#teller.emit({ event: "operation-started", op, address, kind });
    const bound = bindOperation(operation, this.#made, this.#secrets);
    if ("missing" in bound) {
      const failure = { outcome: "not-sent", status: null, message: `not sent: ${bound.missing}` } as const;
      return { outcome: outcomeOfFailure(failure, operation.resourceId), sent: undefined };
    }
    for (const event of bound.events) await this.#teller.emit(event);
    const { path, body } = bound;
    const request = { method, path, ...(body === undefined ? {} : { body }) };
    const errand: OperationRequest = { operation, order, purpose: "operation", request, retryUntil: settlesBy };
    const ended =
      kind === "create"
        ? await createOnce(errand, { deps: this.#deps, courier: this.#courier, teller: this.#teller })
        : await this.#change(errand, bound.resourceId);
    if (kind === "create" && ended.resourceId !== null)
      this.#made.set(address, createdFrom(ended.body) ?? { id: ended.resourceId, addr: null });
    return { outcome: ended, sent: body };
  }

  /** PATCH, PUT and DELETE say what is to be, not what to do: the client repeats them by itself. */
  async #change(errand: OperationRequest, resourceId: string | null): Promise<OperationOutcome> {
    let doubtful = false;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#courier.send(errand, attempt);
      if (answer.ok) return { status: "done", httpStatus: answer.status, resourceId, error: null, body: answer.body };
      const { failure } = answer;
      if (errand.request.method === "DELETE" && failure.status === 404)
        return { status: "done", httpStatus: 404, resourceId, error: null };
      doubtful ||= failure.outcome === "unknown";
      if (await this.#courier.waitToRetry(errand, failure, attempt)) continue;
      // A try before the last may have been carried out, and a refusal of the last one doesn't undo that.
      return outcomeOfFailure(
        doubtful && failure.outcome !== "bug" ? { ...failure, outcome: "unknown" } : failure,
        resourceId,
      );
    }
  }

  /**
   * Gives back what a temporary release let go.
   * @param body what to send
   * @returns null when that was done, else why not
   */
  async restore(operation: Operation, order: number, body: Json, settlesBy: number): Promise<string | null> {
    const bound = bindOperation({ ...operation, body, bind: {} }, this.#made, this.#secrets);
    if ("missing" in bound) return bound.missing;
    const request = { method: operation.method, path: bound.path, body };
    const errand: OperationRequest = { operation, order, purpose: "restore", request, retryUntil: settlesBy };
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#courier.send(errand, attempt);
      if (answer.ok) return null;
      if (!(await this.#courier.waitToRetry(errand, answer.failure, attempt))) return answer.failure.message;
    }
  }
}

/** How an operation ended, and what was sent. */
export interface OperationRun {
  readonly outcome: OperationOutcome;
  readonly sent: OperationRequest["request"]["body"];
}

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
async function createOnce(errand: OperationRequest, tools: CreateTools): Promise<OperationOutcome> {
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
