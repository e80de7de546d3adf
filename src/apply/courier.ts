import { setMaxListeners } from "node:events";
import type { ApiRequest } from "../api/client.js";
import type { Value } from "../kinds/value.js";
import type { Operation } from "../plan/plan.js";
import type { ApplyDeps } from "./apply-deps.js";
import { madeFrom } from "./bind-operation.js";
import type { Purpose } from "./events.js";
import { failureOf } from "./failure.js";
import type { Failure } from "./failure.js";
import { settleDelay } from "./settle-delay.js";
import type { Slots } from "./slots.js";
import type { Teller } from "./teller.js";

/** How a request ended. */
export type Answer =
  | { readonly ok: true; readonly status: number; readonly body: Value }
  | { readonly ok: false; readonly failure: Failure };

/** One request to be sent, maybe more than once. */
export interface Errand {
  readonly operation: Operation;
  /** The operation's place in the plan: who comes first when places are short. */
  readonly order: number;
  readonly purpose: Purpose;
  readonly request: ApiRequest;
  /** Until when refusals are retried (milliseconds since 1970); null = never. */
  readonly settlesBy: number | null;
}

/** The least number of tries for what may need a moment, however long the run took to come to it. */
const settlingTries = 3;

/** Sends requests and waits between them, telling of both. Whoever calls it holds a place, which it gives up to wait. */
export class Courier {
  readonly #deps: Pick<ApplyDeps, "client" | "clock" | "random" | "signal" | "hardSignal">;
  readonly #teller: Teller;
  readonly #slots: Slots;
  readonly #never = new AbortController().signal;

  constructor(
    deps: Pick<ApplyDeps, "client" | "clock" | "random" | "signal" | "hardSignal">,
    teller: Teller,
    slots: Slots,
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
  async send(errand: Errand, attempt: number): Promise<Answer> {
    const { operation, purpose, request } = errand;
    const { method, path } = request;
    const about = { op: operation.id, address: operation.address, method, path, purpose, attempt };
    if (this.halted) return unsent("interrupted", true);
    // What a release let go is given back even when that can't be recorded.
    if (!(await this.#teller.tell({ event: "request", ...about })) && purpose === "operation")
      return unsent("not sent: what was about to happen could not be recorded");
    const answer = await this.#send(purpose === "operation" ? { ...request, stop: this.#deps.signal } : request);
    await this.#teller.tell({
      event: "response",
      ...about,
      status: answer.ok ? answer.status : answer.failure.status,
      resourceId: answer.ok ? (madeFrom(answer.body)?.id ?? null) : null,
      error: answer.ok ? null : answer.failure.message,
    });
    return answer;
  }

  async #send(request: ApiRequest): Promise<Answer> {
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
  async settles(errand: Errand, failure: Failure, attempt: number): Promise<boolean> {
    const { settlesBy, operation } = errand;
    const { status } = failure;
    if (settlesBy === null || failure.fate === "bug") return false;
    // What was lost before it was refused may be repeated, unless it makes something.
    if (failure.fate !== "refused" && errand.request.method === "POST") return false;
    if (status !== 400 && status !== 404 && status !== 409) return false;
    const milliseconds = settleDelay(attempt, this.#deps.random());
    if (attempt >= settlingTries && this.#deps.clock.now() + milliseconds > settlesBy) return false;
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
    await this.#teller.tell({ event: "waiting", op: operation.id, address: operation.address, reason, milliseconds });
    this.#slots.give();
    try {
      await this.#deps.clock.sleep(milliseconds, signal);
    } finally {
      await this.#slots.take(order);
    }
  }
}

function unsent(message: string, interrupted = false): Answer {
  const failure: Failure = { fate: "not-sent", status: null, message };
  return { ok: false, failure: interrupted ? { ...failure, interrupted } : failure };
}
