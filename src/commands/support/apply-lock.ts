import { systemClock } from "../../api/system-clock.js";
import { lockTime } from "../../lock/service-time.js";
import { type HeldLock, acquireLock } from "../../lock/account-lock.js";
import { type LockObject, describeLock } from "../../kinds/lock-object.js";
import type { Refusal, Warning } from "../../plan/plan-format.js";
import { visibleLine } from "../../core/visible.js";
import { formatDuration } from "./apply-progress.js";
import type { ApplySession } from "./apply-session.js";

/** How long to wait for others without `--lock-timeout`, in milliseconds. */
const defaultTimeoutMs = 10 * 60_000;

/** How often a run that waits says so, in milliseconds. */
const reminderMs = 30_000;

/** Whether this run takes the account's lock: by `--lock`, or because the configuration says so. */
export function wantsLock({ context, flags }: Pick<ApplySession, "context" | "flags">): boolean {
  return flags.lock === true || context.config.lock.wanted;
}

/**
 * Does work while the account's lock is held, and removes the lock whatever happens.
 * @param work gets the lock, or the refusal when others had it for too long; neither after a signal
 */
export async function underAccountLock<T>(
  { connect, context, flags, interrupts, owner }: ApplySession,
  work: (lock: HeldLock | null, refusal: Refusal | null) => Promise<T>,
): Promise<{ readonly value: T; readonly warnings: readonly Warning[] }> {
  const { config, io, log } = context;
  const warnings: Warning[] = [];
  const time = lockTime(systemClock.now, Date.now);
  const client = connect({ concurrency: 2, onServiceTime: time.learn });
  const timeoutMs = flags.lockTimeout ?? defaultTimeoutMs;
  try {
    // Before and after the first look: see the protocol.
    const waitMs = 2 * config.lock.settleMs;
    const wait = waitMs === 0 ? "" : `, and waiting ${formatDuration(waitMs)} for lists to settle (twice lock.settle)`;
    log.info(`Taking the account's lock${wait}.`);
    const acquired = await acquireLock(owner, {
      client,
      clock: systemClock,
      time,
      random: Math.random,
      settleMs: config.lock.settleMs,
      timeoutMs,
      signal: interrupts.soft,
      onWait: reminder(
        (text, lock) => log.info(text, { lock }),
        () => io.now(),
      ),
      onLeftover: (until) => warnings.push(leftover(until)),
    });
    if (acquired.type !== "held") {
      const refusal = acquired.type === "locked" ? lockedRefusal(acquired.holder, timeoutMs) : null;
      return { value: await work(null, refusal), warnings };
    }
    try {
      return { value: await work(acquired.lock, null), warnings };
    } finally {
      await acquired.lock.release();
    }
  } finally {
    for (const { code, message } of warnings) log.warning(message, { code });
    await client.close();
  }
}

/** Says whom the run waits for: at once, when that changes, and every half a minute. */
function reminder(
  say: (text: string, lock: string) => void,
  now: () => number,
): (holder: LockObject, leftMs: number) => void {
  let last: { readonly run: string; readonly at: number } | null = null;
  return (holder, leftMs) => {
    if (last !== null && last.run === holder.run && now() - last.at < reminderMs) return;
    last = { run: holder.run, at: now() };
    const left = formatDuration(leftMs);
    say(visibleLine(`Waiting up to ${left} for the account's lock: ${describeLock(holder)}.`), holder.id);
  };
}

function lockedRefusal(holder: LockObject | null, timeoutMs: number): Refusal {
  const whose = holder === null ? "its own lock was never listed" : describeLock(holder);
  const waited = timeoutMs === 0 ? "" : ` after waiting ${formatDuration(timeoutMs)}`;
  return {
    code: "locked",
    message: `the account is locked${waited}: ${whose}`,
    remedy:
      "apply again when that run has ended, or give --lock-timeout more time; if it ended without removing its lock, `edgewise unlock` does",
  };
}

function leftover(until: string): Warning {
  return {
    code: "lock-left",
    message: `the account's lock could not be removed, and may keep other applies out until ${until}: \`edgewise unlock\` removes it`,
  };
}
