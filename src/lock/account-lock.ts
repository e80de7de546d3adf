import { ApiError, isRefusal } from "../api/api-error.js";
import type { ApiRequest, Client, Clock } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import { isObject } from "../core/json.js";
import { lockBody, lockKind, type LockObject, type LockText, readLock, renewalBody } from "../kinds/lock-object.js";
import { collectionOf, isResourceId } from "../kinds/names.js";
import {
  type LockAction,
  type LockOutcome,
  type LockSettings,
  lockStart,
  type LockStep,
  lockStep,
  mayWrite,
} from "./lock-protocol.js";

export type LockDeps = Readonly<{
  /** Not cut off by signals: the lock is to be removed. */
  client: Pick<Client, "list" | "send">;
  clock: Clock;
  time: LockTime;
  random: () => number;
  settleMs: number;
  timeoutMs: number;
  signal: AbortSignal;
  onWait: (holder: LockObject, leftMs: number) => void;
  /** A lock of this run may keep others out until then. */
  onLeftover: (until: string) => void;
}>;

export type LockOwner = Omit<LockText, "until">;

type Acquired =
  | Readonly<{ type: "held"; lock: HeldLock }>
  | Readonly<{ type: "locked"; holder: LockObject | null }>
  | { readonly type: "interrupted" };

export async function listLocks(client: Pick<Client, "list">): Promise<readonly LockObject[]> {
  return (await client.list(locksCollection())).flatMap((wire) => readLock(wire) ?? []);
}

export async function removeLock(client: Pick<Client, "send">, id: string): Promise<void> {
  await changeLock(client, id, { method: "DELETE" });
}

/** Whether it is still there. */
async function changeLock(
  client: Pick<Client, "send">,
  id: string,
  request: Omit<ApiRequest, "path">,
): Promise<boolean> {
  try {
    await client.send({ ...request, path: `${locksCollection().path}/${encodeURIComponent(id)}` });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

const locksCollection = () => collectionOf(lockKind().kind);

const leaseMs = 10 * 60_000;

export class HeldLock {
  readonly #settings: LockSettings;
  readonly #lost = new AbortController();
  readonly #releasing = new AbortController();
  #step: LockStep = lockStart;
  /** What can't be read or created, once it is not held. */
  #error: unknown = null;
  /** Null until it is held: then signals don't end it. */
  #renewing: Promise<unknown> | null = null;
  #until = "";
  #turns = 0;

  private constructor(
    private readonly owner: LockOwner,
    private readonly deps: LockDeps,
  ) {
    this.#settings = { run: owner.run, leaseMs, giveUpAt: deps.time.elapsed() + deps.timeoutMs };
  }

  /** @throws when locks can't be read or written; what was made is removed before */
  static async acquire(owner: LockOwner, deps: LockDeps): Promise<Acquired> {
    const lock = new HeldLock(owner, deps);
    await lock.#advance();
    const { action, state } = lock.#step;
    if (action.do === "hold") {
      const removing = action.expired.map(async (id) => removeLock(deps.client, id).catch(() => {}));
      lock.#renewing = Promise.all([lock.#watch(), lock.#renew(), ...removing]);
      return { type: "held", lock };
    }
    if (state.ending === "timed-out") return { type: "locked", holder: state.holder };
    if (deps.signal.aborted) return { type: "interrupted" };
    if (lock.#error instanceof Error) throw lock.#error;
    const message = "the account's lock could not be created or removed: nothing confirmed it";
    throw new EdgewiseError("api", message, { remedy: "Try again later. Nothing was changed." });
  }

  /** Aborted once nothing more may be written; its reason is an EdgewiseError. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  guard(client: Client): Client {
    return {
      ...client,
      send: async (request) => {
        // A process that was stopped learns of it here, before its timers run.
        if (!this.#mayWrite()) this.#lose();
        if (!this.#lost.signal.aborted) return client.send(request);
        const { method, path } = request;
        const unsent = { status: null, outcome: "not-sent", remedy: null, attempts: 0, interrupted: true } as const;
        const what = "the account's lock was lost; it was not sent";
        throw new ApiError({ method, path, ...unsent, what });
      },
    };
  }

  /** Never throws. */
  async release(): Promise<void> {
    this.#releasing.abort();
    await this.#renewing;
    if (this.#step.action.do !== "end") await this.#advance("paused");
  }

  #mayWrite(): boolean {
    return mayWrite(this.#step.state, this.#elapsed(), this.#settings);
  }

  #lose(): void {
    if (this.#lost.signal.aborted) return;
    const message =
      this.#step.state.ending === "removed"
        ? "somebody removed the account's lock, so nothing more is written"
        : "the account's lock could not be renewed in time, so nothing more is written";
    this.#lost.abort(new EdgewiseError("locked", message));
  }

  #left(part: number): number {
    return this.#step.state.renewedAt + leaseMs / part - this.#elapsed();
  }

  async #watch(): Promise<void> {
    const over = AbortSignal.any([this.#releasing.signal, this.#lost.signal]);
    while (!over.aborted) {
      if (!this.#mayWrite()) this.#lose();
      await this.deps.clock.sleep(Math.max(1, this.#left(2)), over);
    }
  }

  async #renew(): Promise<void> {
    const soonest = leaseMs / 30;
    while (this.#step.action.do === "hold" && this.#mayWrite()) {
      await this.deps.clock.sleep(Math.max(this.#left(3), soonest), this.#releasing.signal);
      if (this.#releasing.signal.aborted) return;
      await this.#advance("due");
    }
    if (!this.#releasing.signal.aborted) this.#lose();
  }

  /** Until the lock is held or everything has ended. */
  async #advance(saw?: "due" | "paused"): Promise<void> {
    let step = this.#step;
    if (saw !== undefined) step = this.#after(step, { saw }, this.#elapsed());
    while (step.action.do !== "hold" && step.action.do !== "end") {
      const sentAt = this.#elapsed();
      step = this.#after(step, await this.#carryOut(step.action, step), sentAt);
    }
    // A renewal counts once it is answered.
    this.#step = step;
    if (step.action.do === "end" && step.state.leftover) this.deps.onLeftover(this.#until);
  }

  #after({ state }: LockStep, outcome: LockOutcome, sentAt: number): LockStep {
    const { signal, time } = this.deps;
    const isOver = this.#releasing.signal.aborted || (signal.aborted && this.#renewing === null);
    // The first answer tells the service's time.
    const serviceNow = time.serviceAt(sentAt);
    const stop = isOver || this.#error !== null;
    return lockStep(state, { ...outcome, sentAt, serviceNow, now: this.#elapsed(), stop }, this.#settings);
  }

  #elapsed(): number {
    return this.deps.time.elapsed();
  }

  async #carryOut(action: Exclude<LockAction, { do: "hold" | "end" }>, { state }: LockStep): Promise<LockOutcome> {
    const { client, clock, onWait, settleMs, signal } = this.deps;
    try {
      switch (action.do) {
        case "list":
          return { saw: "list", locks: await listLocks(client) };
        case "create":
          return await this.#create();
        case "renew": {
          const body = renewalBody(this.#text());
          return { saw: (await changeLock(client, action.id, { method: "PATCH", body })) ? "renewed" : "gone" };
        }
        case "remove":
          await removeLock(client, action.id);
          return { saw: "removed" };
        case "pause": {
          const left = this.#settings.giveUpAt - this.#elapsed();
          if (state.holder !== null && action.for === "turn") onWait(state.holder, Math.max(0, left));
          // Searched for even after a signal.
          const stop = state.at === "searching" ? undefined : signal;
          await clock.sleep(action.for === "settle" ? settleMs : this.#nextTurn(left), stop);
          return { saw: "paused" };
        }
      }
    } catch (error) {
      const isRefused = error instanceof ApiError && isRefusal(error);
      if (action.do === "list") this.#error ??= isRefused ? noLock(error, "looked for") : error;
      return { saw: "lost" };
    }
  }

  async #create(): Promise<LockOutcome> {
    const { client, signal } = this.deps;
    const body = lockBody(this.#text());
    try {
      const { body: made } = await client.send({ method: "POST", path: locksCollection().path, body, stop: signal });
      const { created_at: since, id } = isObject(made) ? made : {};
      if (!isResourceId(id)) return { saw: "lost" };
      return { saw: "created", id, since: typeof since === "string" ? since : "" };
    } catch (error) {
      if (!(error instanceof ApiError) || error.outcome === "unknown") return { saw: "lost" };
      this.#error ??= noLock(error, "created");
      return { saw: "refused" };
    }
  }

  /** Shortened by chance, so that runs don't look at the same time. */
  #nextTurn(left: number): number {
    const ceiling = Math.min(15_000, 1000 * 1.5 ** this.#turns);
    this.#turns += 1;
    return Math.max(1, Math.min(ceiling * (1 - this.deps.random() / 2), left));
  }

  #text(): LockText {
    this.#until = new Date(this.deps.time.serviceNow() + leaseMs).toISOString();
    return { ...this.owner, until: this.#until };
  }
}

function noLock(cause: ApiError, done: "created" | "looked for"): Error {
  const message = `the account's lock, which is an HTTP response backend, could not be ${done}: ${cause.message}`;
  const remedy = `${cause.remedy === null ? "" : `${cause.remedy} `}Nothing was changed. Without \`lock\` in the configuration and --lock, apply takes no lock.`;
  return new EdgewiseError(cause.code, message, { remedy, exit: cause.exit, cause });
}

export type LockTime = ReturnType<typeof lockTime>;

/** `Date` headers have whole seconds. */
const halfSecond = 500;

/** `uptime` may stop while the machine sleeps; `wall` may be set. */
export function lockTime(uptime: () => number, wall: () => number) {
  const [up, began] = [uptime(), wall()];
  let most = 0;
  // A lock that seems too old is only given up too early.
  const elapsed = () => (most = Math.max(most, uptime() - up, wall() - began));
  let offset = began;
  return {
    elapsed,
    serviceNow: () => elapsed() + offset,
    serviceAt: (then: number) => then + offset,
    learn: (serviceTime: number) => {
      offset = serviceTime + halfSecond - elapsed();
    },
  };
}
