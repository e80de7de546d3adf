import type { Client, ClientOptions } from "../../api/client.js";
import { systemClock } from "../../api/system-clock.js";
import { applyPlan } from "../../apply/apply-plan.js";
import { openJournal } from "../../apply/journal.js";
import { secretResolver } from "../../apply/preflight.js";
import { type ApplyReport, type Result, type Verification, makeResult } from "../../apply/result.js";
import { verify } from "../../apply/verify.js";
import { EdgewiseError } from "../../core/errors.js";
import { visibleLine } from "../../core/visible.js";
import { type LockObject, describeLock } from "../../kinds/lock-object.js";
import { type HeldLock, type LockOwner, acquireLock } from "../../lock/account-lock.js";
import { lockTime } from "../../lock/service-time.js";
import type { Refusal, UnavailableSecret, Warning } from "../../plan/plan-format.js";
import { createProgress, formatDuration } from "./apply-progress.js";
import type { CommandContext } from "./command-context.js";
import type { CommandIo } from "./command-io.js";
import type { ApplyFlags } from "./command-options.js";
import { interrupted } from "./confirm.js";
import { defaultConcurrency } from "./connect.js";
import { workplaceOf } from "./output.js";
import { type Planned, planAgain } from "./planning.js";
import { UnexpectedAfterWrite } from "./show-error.js";

export interface ApplySession {
  readonly context: CommandContext<ApplyFlags>;
  readonly client: Client;
  readonly interrupts: Interrupts;
  /** Makes another client for the same service, with some options changed. */
  readonly connect: (changes: Partial<ClientOptions>) => Client;
  readonly owner: LockOwner;
  readonly lock: HeldLock | null;
}

/** How signals stop a command that writes, in two steps. */
interface Interrupts {
  /** Aborted by the first signal: start nothing more, finish what is in flight. */
  readonly soft: AbortSignal;
  /** Aborted by the second signal, or by the first before anything is written: cut off everything. */
  readonly hard: AbortSignal;
  /** From here on the first signal lets requests in flight finish. */
  writing(): void;
  end(): void;
}

export function takeInterrupts({ log, onSignal }: CommandIo): Interrupts {
  const soft = new AbortController();
  const hard = new AbortController();
  let writing = false;
  const end = onSignal((signal) => {
    if (!writing || soft.signal.aborted) hard.abort(signal);
    else
      log.warning(
        `${signal}: no more requests are started, and those in flight finish. Another signal cuts them off.`,
        { signal },
      );
    soft.abort(signal);
  });
  return { soft: soft.signal, hard: hard.signal, writing: () => void (writing = true), end };
}

export function wantsLock({ context: { config, flags } }: ApplySession): boolean {
  return flags.lock === true || config.lock.wanted;
}

/** Does work while the account's lock is held; `work` gets the refusal when others had it for too long. */
export async function underAccountLock<T>(
  { connect, context, interrupts, owner }: ApplySession,
  work: (lock: HeldLock | Refusal) => Promise<T>,
): Promise<{ readonly value: T; readonly warnings: readonly Warning[] }> {
  const { config, flags, io } = context;
  const { settleMs } = config.lock;
  const warnings: Warning[] = [];
  const time = lockTime(systemClock.now, Date.now);
  const client = connect({ concurrency: 2, onServiceTime: time.learn });
  const timeoutMs = flags.lockTimeout ?? 10 * 60_000;
  // Says whom the run waits for: at once, when that changes, and every half a minute.
  let told = { run: "", at: 0 };
  const onWait = (holder: LockObject, leftMs: number): void => {
    if (told.run === holder.run && io.now() - told.at < 30_000) return;
    told = { run: holder.run, at: io.now() };
    const left = formatDuration(leftMs);
    const text = `Waiting up to ${left} for the account's lock: ${describeLock(holder)}.`;
    io.log.info(visibleLine(text), { lock: holder.id });
  };
  try {
    // Before and after the first look: see the protocol.
    const wait =
      settleMs === 0 ? "" : `, and waiting ${formatDuration(2 * settleMs)} for lists to settle (twice lock.settle)`;
    io.log.info(`Taking the account's lock${wait}.`);
    const acquired = await acquireLock(owner, {
      client,
      clock: systemClock,
      time,
      random: Math.random,
      settleMs,
      timeoutMs,
      signal: interrupts.soft,
      onWait,
      onLeftover: (until) =>
        warnings.push({
          code: "lock-left",
          message: `the account's lock could not be removed, and may keep other applies out until ${until}: \`edgewise unlock\` removes it`,
        }),
    });
    if (acquired.type === "interrupted") throw interrupted();
    if (acquired.type === "locked") return { value: await work(lockedRefusal(acquired.holder, timeoutMs)), warnings };
    try {
      return { value: await work(acquired.lock), warnings };
    } finally {
      await acquired.lock.release();
    }
  } finally {
    for (const { code, message } of warnings) io.log.warning(message, { code });
    await client.close();
  }
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

export async function applyAndVerify(
  { plan, manifests, options, withheld }: Planned,
  { context, client: unguarded, interrupts, lock, owner }: ApplySession,
): Promise<Result> {
  const { config, flags, io } = context;
  const client = lock === null ? unguarded : lock.guard(unguarded);
  const { settleMs } = config.api;
  const journal = flags.journal === undefined ? null : await openJournal(flags.journal, workplaceOf(io));
  const progress = createProgress(plan, settleMs, io);
  let written = false;
  interrupts.writing();
  try {
    const report = await applyPlan(plan, {
      client,
      concurrency: flags.concurrency ?? defaultConcurrency,
      resolveSecret: secretResolver(manifests),
      signal: lock === null ? interrupts.soft : AbortSignal.any([interrupts.soft, lock.signal]),
      hardSignal: interrupts.hard,
      settleMs,
      onEvent: (event) => {
        written ||= event.event === "request";
        progress.show(event);
        return journal?.write(event);
      },
      clock: systemClock,
      by: owner.by,
      random: Math.random,
    });
    const skips = flags.verify === false;
    if (report.outcome === "nothing" && (withheld ?? []).length === 0)
      return makeResult(plan, report, skips ? null : { verified: true, warnings: [] });
    // When nothing was changed there is nothing to verify, and after a signal nobody wants to wait for it.
    if (skips || ["refused", "failed"].includes(report.outcome) || report.interrupted)
      return makeResult(plan, report, null);
    io.log.info("Verifying: listing and planning again.");
    let told = false;
    const onPause = (unseen: readonly string[]): void => {
      const what = unseen.length > 3 ? `${unseen.length} resources` : unseen.join(", ");
      const limit = formatDuration(settleMs);
      if (!told)
        io.log.info(`The lists do not show yet what was written of ${what}: looking again for up to ${limit}.`);
      told = true;
    };
    // With every secret that can be read here: one that the plan leaves alone may differ from what is live.
    const replan = async () =>
      planAgain(context, client, { desired: manifests, options: { ...options, rehearse: false, again: true } });
    const found = await verify(
      { plan, report },
      { replan, settleMs, clock: systemClock, signal: interrupts.soft, onPause },
    );
    return makeResult(plan, report, explained(found, report, withheld ?? []));
  } catch (error) {
    throw written && !(error instanceof EdgewiseError) ? new UnexpectedAfterWrite(error) : error;
  } finally {
    progress.end();
    await journal?.close();
  }
}

/**
 * Without what failed or was skipped, which is reported as such; and with the secrets that may be the remaining difference,
 * because the plan was made without them and left them as they were.
 */
function explained(
  { verified, warnings: found }: Verification,
  { operations }: ApplyReport,
  withheld: readonly UnavailableSecret[],
): Verification {
  const open = new Set<string>(operations.flatMap(({ status, address }) => (status === "done" ? [] : [address])));
  const warnings = found.filter(
    ({ code, address }) => code !== "not-converged" || address === undefined || !open.has(address),
  );
  const left = new Set(warnings.map(({ address }) => address));
  const notSent = withheld.flatMap(({ address, source }): readonly Warning[] => {
    const message = `the secret from ${source} was not available when the plan was made, so it was not sent, and the live value differs: run \`edgewise apply\` without a plan file to send it`;
    return left.has(address) ? [{ code: "secret-not-sent", message, address }] : [];
  });
  return { verified, warnings: [...warnings, ...notSent] };
}
