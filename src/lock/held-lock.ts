import { ApiError } from "../api/api-error.js";
import type { Client, Clock } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import { type LockStep, mayWrite } from "./lock-protocol.js";
import type { LockRun } from "./lock-run.js";

/** How soon a renewal that failed is tried again, as a part of the lock's time. */
const retryShare = 30;

/** A lock that is held: renewed until it is released or lost. */
export class HeldLock {
  readonly #run: LockRun;
  readonly #clock: Clock;
  readonly #lost = new AbortController();
  readonly #releasing = new AbortController();
  readonly #renewing: Promise<void>;
  #step: LockStep;

  constructor(run: LockRun, step: LockStep, clock: Clock) {
    this.#run = run;
    this.#step = step;
    this.#clock = clock;
    run.hold();
    const expired = step.action.do === "hold" ? step.action.expired : [];
    this.#renewing = Promise.all([this.#watch(), this.#renew(), run.removeExpired(expired)]).then(() => undefined);
  }

  /** Aborted, with an EdgewiseError as its reason, once nothing more may be written. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** A client that sends nothing once the lock is lost. */
  guard(client: Client): Client {
    return {
      ...client,
      send: async (request) => {
        // A process that was stopped for long learns of it here, before its timers run.
        if (!this.#mayWrite()) this.#lose();
        if (this.#lost.signal.aborted) throw notSent(request);
        return client.send(request);
      },
    };
  }

  /** Removes the lock. To be called when nothing of the holder is in flight any more; never throws. */
  async release(): Promise<void> {
    this.#run.release();
    this.#releasing.abort();
    await this.#renewing;
    if (this.#step.action.do !== "end") this.#step = await this.#run.advance(this.#run.report(this.#step, "paused"));
  }

  #mayWrite(): boolean {
    return mayWrite(this.#step.state, this.#run.elapsed(), this.#run.settings);
  }

  #lose(): void {
    if (this.#lost.signal.aborted) return;
    const wasRemoved = this.#step.state.ending === "removed";
    const message = wasRemoved
      ? "somebody removed the account's lock, so nothing more is written"
      : "the account's lock could not be renewed in time, so nothing more is written";
    this.#lost.abort(new EdgewiseError("locked", message));
  }

  /** Notices in time that the lock was not renewed, also while a renewal is on its way. */
  async #watch(): Promise<void> {
    while (!this.#releasing.signal.aborted && !this.#lost.signal.aborted) {
      if (!this.#mayWrite()) this.#lose();
      const left = this.#step.state.renewedAt + this.#run.settings.leaseMs / 2 - this.#run.elapsed();
      await this.#clock.sleep(Math.max(1, left), AbortSignal.any([this.#releasing.signal, this.#lost.signal]));
    }
  }

  async #renew(): Promise<void> {
    const { leaseMs } = this.#run.settings;
    while (this.#step.action.do === "hold" && this.#mayWrite()) {
      const left = this.#step.state.renewedAt + leaseMs / 3 - this.#run.elapsed();
      await this.#clock.sleep(Math.max(left, leaseMs / retryShare), this.#releasing.signal);
      if (this.#releasing.signal.aborted) return;
      // The state stays as it is meanwhile: a renewal counts once it is answered.
      this.#step = await this.#run.advance(this.#run.report(this.#step, "due"));
    }
    if (!this.#releasing.signal.aborted) this.#lose();
  }
}

function notSent({ method, path }: Parameters<Client["send"]>[0]): ApiError {
  return new ApiError({
    method,
    path,
    status: null,
    outcome: "not-sent",
    what: "the account's lock was lost; it was not sent",
    remedy: null,
    attempts: 0,
    networkCode: "LOCK",
    interrupted: true,
  });
}
