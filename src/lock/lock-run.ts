import type { Client, Clock } from "../api/client.js";
import type { LockObject, LockText } from "../kinds/lock-object.js";
import { type LockAction, type LockEvent, type LockSettings, type LockStep, lockStep } from "./lock-protocol.js";
import { type LockAnswer, LockRequests } from "./lock-requests.js";
import type { LockTime } from "./service-time.js";

/** What taking the account's lock needs from the outside. */
export interface LockDeps {
  /** Not cut off by signals: whatever happens, the lock is to be removed. */
  readonly client: Pick<Client, "list" | "send">;
  readonly clock: Clock;
  readonly time: LockTime;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
  /** How long lists may lag behind writes, in milliseconds. */
  readonly settleMs: number;
  /** How long to wait for others, in milliseconds. */
  readonly timeoutMs: number;
  /** From a renewal to the end of the lock, in milliseconds. Default: ten minutes. */
  readonly leaseMs?: number;
  /** Aborted = take no lock, and remove what was made. */
  readonly signal: AbortSignal;
  /** Called before each pause while another's lock is in the way. */
  readonly onWait: (holder: LockObject, leftMs: number) => void;
  /** Called when a lock of this run could not be removed, with the time until which it keeps others out. */
  readonly onLeftover: (until: string) => void;
}

/** Whose the lock is. */
export type LockOwner = Omit<LockText, "until">;

const defaultLeaseMs = 10 * 60_000;

/** Carries out the actions of the protocol, one after the other. */
export class LockRun {
  readonly settings: LockSettings;
  /** Why it failed; null = it did not. */
  error: Error | null = null;
  readonly #owner: LockOwner;
  readonly #deps: LockDeps;
  readonly #requests: LockRequests;
  #until = "";
  #turns = 0;
  #released = false;
  #held = false;

  constructor(owner: LockOwner, deps: LockDeps) {
    this.#owner = owner;
    this.#deps = deps;
    this.#requests = new LockRequests(deps.client);
    const { leaseMs = defaultLeaseMs, timeoutMs, time } = deps;
    this.settings = { run: owner.run, leaseMs, giveUpAt: time.elapsed() + timeoutMs };
  }

  elapsed(): number {
    return this.#deps.time.elapsed();
  }

  /** From here on signals don't end it: the apply finishes what is in flight first, and releases it then. */
  hold(): void {
    this.#held = true;
  }

  /** From here on the lock is removed, whatever comes. */
  release(): void {
    this.#released = true;
  }

  /** Carries out actions until the lock is held or everything has ended. */
  async advance(from: LockStep): Promise<LockStep> {
    let step = from;
    while (step.action.do !== "hold" && step.action.do !== "end") step = await this.#carryOut(step, step.action);
    if (step.action.do === "end" && step.state.leftover) this.#deps.onLeftover(this.#until);
    return step;
  }

  /** The step after an event of the holder. */
  report(step: LockStep, saw: "due" | "paused"): LockStep {
    return lockStep(step.state, this.#event({ outcome: { saw }, error: null }, this.elapsed()), this.settings);
  }

  /** Deletes expired locks of others. That it fails matters to nobody: they no longer count. */
  async removeExpired(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map(async (id) => this.#requests.remove(id)));
  }

  async #carryOut({ state }: LockStep, action: LockAction): Promise<LockStep> {
    const sentAt = this.elapsed();
    const isSearching = state.at === "searching";
    if (action.do === "pause" && state.holder !== null && action.for === "turn")
      this.#deps.onWait(state.holder, Math.max(0, this.settings.giveUpAt - sentAt));
    const answer = await this.#answer(action, isSearching);
    // What can't be read or created ends the run. A lock that is held, or removed, is another matter.
    const { error } = answer;
    if (error !== null && (action.do === "list" || answer.outcome.saw === "refused")) this.error ??= error;
    return lockStep(state, this.#event(answer, sentAt), this.settings);
  }

  #event({ outcome }: LockAnswer, sentAt: number): LockEvent {
    const stop = this.#released || this.error !== null || (this.#deps.signal.aborted && !this.#held);
    // After the answer: the first one tells the service's time, and locks may be far from this machine's.
    const serviceNow = this.#deps.time.serviceAt(sentAt);
    return { ...outcome, sentAt, serviceNow, now: this.elapsed(), stop };
  }

  async #answer(action: LockAction, isSearching: boolean): Promise<LockAnswer> {
    switch (action.do) {
      case "list":
        return this.#requests.list();
      case "create":
        return this.#requests.create(this.#text(), this.#deps.signal);
      case "renew":
        return this.#requests.renew(action.id, this.#text());
      case "remove":
        return this.#requests.remove(action.id);
      case "pause": {
        const { clock, settleMs, signal } = this.#deps;
        const ms = action.for === "settle" ? settleMs : this.#nextTurn();
        // What a lost create made is searched for even after a signal.
        await clock.sleep(ms, isSearching ? undefined : signal);
        return { outcome: { saw: "paused" }, error: null };
      }
      case "hold":
      case "end":
        throw new TypeError(`${action.do} is not carried out`);
    }
  }

  /** Growing pauses, shortened by chance so that several runs don't look at the same time. */
  #nextTurn(): number {
    const ceiling = Math.min(15_000, 1000 * 1.5 ** this.#turns);
    this.#turns += 1;
    const left = this.settings.giveUpAt - this.elapsed();
    return Math.max(1, Math.min(ceiling * (1 - this.#deps.random() / 2), left));
  }

  #text(): LockText {
    this.#until = new Date(this.#deps.time.serviceNow() + this.settings.leaseMs).toISOString();
    return { ...this.#owner, until: this.#until };
  }
}
