import type { Json } from "../json.js";
import type { Address } from "../kinds/names.js";
import type { Operation } from "../plan/plan.js";
import type { Secret } from "../secret.js";
import type { ApplyDeps } from "./apply-deps.js";
import { bindOperation, madeFrom } from "./bind-operation.js";
import type { Made } from "./bind-operation.js";
import type { Courier, Errand } from "./courier.js";
import { createOnce } from "./create-once.js";
import { endedBy } from "./ended.js";
import type { Ended } from "./ended.js";
import type { Teller } from "./teller.js";

/** Runs single operations; remembers what they made, for those that use it. */
export class OperationRunner {
  readonly #deps: Pick<ApplyDeps, "findByMarker" | "signal">;
  readonly #secrets: ReadonlyMap<string, Secret>;
  readonly #courier: Courier;
  readonly #teller: Teller;
  readonly #made = new Map<Address, Made>();

  constructor(
    deps: Pick<ApplyDeps, "findByMarker" | "signal">,
    secrets: ReadonlyMap<string, Secret>,
    courier: Courier,
    teller: Teller,
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
  async run(operation: Operation, order: number, settlesBy: number | null): Promise<RunEnd> {
    const { id: op, address, kind, method } = operation;
    await this.#teller.tell({ event: "operation-started", op, address, kind });
    const bound = bindOperation(operation, this.#made, this.#secrets);
    if ("missing" in bound) {
      const failure = { fate: "not-sent", status: null, message: `not sent: ${bound.missing}` } as const;
      return { ended: endedBy(failure, operation.resourceId), sent: undefined };
    }
    for (const event of bound.events) await this.#teller.tell(event);
    const { path, body } = bound;
    const request = { method, path, ...(body === undefined ? {} : { body }) };
    const errand: Errand = { operation, order, purpose: "operation", request, settlesBy };
    const ended =
      kind === "create"
        ? await createOnce(errand, { deps: this.#deps, courier: this.#courier, teller: this.#teller })
        : await this.#change(errand, bound.resourceId);
    if (kind === "create" && ended.resourceId !== null)
      this.#made.set(address, madeFrom(ended.body) ?? { id: ended.resourceId, addr: null });
    return { ended, sent: body };
  }

  /** PATCH, PUT and DELETE say what is to be, not what to do: the client repeats them by itself. */
  async #change(errand: Errand, resourceId: string | null): Promise<Ended> {
    let doubtful = false;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#courier.send(errand, attempt);
      if (answer.ok) return { status: "done", httpStatus: answer.status, resourceId, error: null, body: answer.body };
      const { failure } = answer;
      if (errand.request.method === "DELETE" && failure.status === 404)
        return { status: "done", httpStatus: 404, resourceId, error: null };
      doubtful ||= failure.fate === "unknown";
      if (await this.#courier.settles(errand, failure, attempt)) continue;
      // A try before the last may have been carried out, and a refusal of the last one doesn't undo that.
      return endedBy(doubtful && failure.fate !== "bug" ? { ...failure, fate: "unknown" } : failure, resourceId);
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
    const errand: Errand = { operation, order, purpose: "restore", request, settlesBy };
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#courier.send(errand, attempt);
      if (answer.ok) return null;
      if (!(await this.#courier.settles(errand, answer.failure, attempt))) return answer.failure.message;
    }
  }
}

/** How an operation ended, and what was sent. */
export interface RunEnd {
  readonly ended: Ended;
  readonly sent: Errand["request"]["body"];
}
