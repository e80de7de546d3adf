import type { Client, ClientOptions, Clock } from "../../api/client.js";
import { describeLock } from "../../kinds/lock-object.js";
import { acquireLock } from "../../lock/account-lock.js";
import type { HeldLock } from "../../lock/held-lock.js";
import { lockTime } from "../../lock/service-time.js";
import type { LockConfig } from "../../config/config.js";

/** How long a pass waits for others' lock, beyond the time in which lists may lag: the next pass comes anyway. */
const patienceMs = 3000;

/** What taking the account's API lock needs. */
export interface LockNeeds {
  readonly stack: string;
  /** Unique to this pass. */
  readonly run: string;
  readonly config: LockConfig;
  /** Shows the time on the wall. */
  readonly clock: Clock;
  /** Measures pauses, whatever the time on the wall is set to. */
  readonly steadyClock: Clock;
  readonly random: () => number;
  /** Aborted = take no lock. */
  readonly signal: AbortSignal;
  /** Another client of the account, which no signal cuts off: the lock is to be removed whatever happens. */
  readonly connect: (changes: Partial<ClientOptions>) => Promise<Client>;
}

/** Work that was done under the lock, or who keeps it from being done. */
export type UnderLock<T> = { readonly done: T } | { readonly locked: string };

/**
 * Does work while the account's API lock is held, so that people with the CLI are kept out, too. Removes it whatever happens.
 * @throws as the client does when locks can't be read or written, and as the work does
 */
export async function underApiLock<T>(needs: LockNeeds, work: (lock: HeldLock) => Promise<T>): Promise<UnderLock<T>> {
  const { clock, config, random, run, signal, stack, steadyClock } = needs;
  const time = lockTime(
    () => steadyClock.now(),
    () => clock.now(),
  );
  const client = await needs.connect({ concurrency: 2, onServiceTime: time.learn });
  try {
    const acquired = await acquireLock(
      { stack, run, by: "edgewise serve" },
      {
        client,
        clock: steadyClock,
        time,
        random,
        settleMs: config.settleMs,
        timeoutMs: 2 * config.settleMs + patienceMs,
        signal,
        onWait: () => undefined,
        onLeftover: () => undefined,
      },
    );
    if (acquired.type === "locked")
      return { locked: acquired.holder === null ? "its own lock was never listed" : describeLock(acquired.holder) };
    if (acquired.type === "interrupted") return { locked: "it was stopped before it had the lock" };
    try {
      return { done: await work(acquired.lock) };
    } finally {
      await acquired.lock.release();
    }
  } finally {
    await client.close();
  }
}
