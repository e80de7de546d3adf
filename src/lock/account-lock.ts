import { EdgewiseError } from "../core/errors.js";
import type { LockObject } from "../kinds/lock-object.js";
import { HeldLock } from "./held-lock.js";
import { lockStart } from "./lock-protocol.js";
import { type LockDeps, type LockOwner, LockRun } from "./lock-run.js";

/** Whether the lock was taken; `locked`: others had it for as long as the run could wait. */
export type Acquired =
  | { readonly type: "held"; readonly lock: HeldLock }
  | { readonly type: "locked"; readonly holder: LockObject | null }
  | { readonly type: "interrupted" };

/**
 * Takes the account's lock, and waits for others that have it.
 * @throws as the client does when the account's locks can't be read or written; what was made is removed before
 */
export async function acquireLock(owner: LockOwner, deps: LockDeps): Promise<Acquired> {
  const run = new LockRun(owner, deps);
  const step = await run.advance(lockStart);
  if (step.action.do === "hold") return { type: "held", lock: new HeldLock(run, step, deps.clock) };
  const { ending, holder } = step.state;
  if (ending === "timed-out") return { type: "locked", holder };
  // After a signal it no longer matters what failed.
  if (deps.signal.aborted) return { type: "interrupted" };
  throw run.error ?? neverShown();
}

function neverShown(): EdgewiseError {
  return new EdgewiseError(
    "api",
    "the account's lock could not be created: no response said so, and no list showed it",
    {
      remedy: "Try again later. Nothing was changed.",
    },
  );
}
