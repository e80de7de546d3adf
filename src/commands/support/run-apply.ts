import { randomUUID } from "node:crypto";
import type { Client, ClientOptions } from "../../api/client.js";
import { systemClock } from "../../api/system-clock.js";
import { applyPlan, preflight } from "../../apply/apply-plan.js";
import { openJournal } from "../../apply/journal.js";
import { type ApplyReport, type Result, type Verification, exitCodeOf, makeResult } from "../../apply/result.js";
import type { ApplyEvent } from "../../apply/run-context.js";
import { verify } from "../../apply/verify.js";
import { whoRuns } from "../../ci/ci-host.js";
import { EdgewiseError } from "../../core/errors.js";
import { count } from "../../core/text.js";
import { guardRunner, safeJsonLine, visibleLine } from "../../core/visible.js";
import { isAtLeast } from "../../kinds/impact.js";
import { type LockObject, describeLock } from "../../kinds/lock-object.js";
import { HeldLock, type LockOwner, lockTime } from "../../lock/account-lock.js";
import { operationWords } from "../../plan/operation-words.js";
import { type Plan, type Refusal, type Warning, commitWords, shownCommit } from "../../plan/plan-format.js";
import { secretResolver } from "../../plan/plan-secrets.js";
import { staleness } from "../../plan/staleness.js";
import { planView } from "../../report/plan-view.js";
import { renderText } from "../../report/report-text.js";
import { palette } from "../../report/styles.js";
import { type CommandContext, requireStack } from "./command-context.js";
import {
  type CommandIo,
  type Interrupts,
  confirm,
  interrupted,
  stopIfInterrupted,
  takeInterrupts,
} from "./command-io.js";
import { defaultConcurrency, withWriteClient } from "./connect.js";
import { type Findings, checkOutput, maskedPlan, savePlan, textStyle, workplaceOf } from "./output.js";
import { type Planned, planAgain } from "./planning.js";
import { UnexpectedAfterWrite } from "./show-error.js";

export async function runApply(
  context: CommandContext,
  makePlan: (context: CommandContext, client: Client) => Promise<Planned>,
): Promise<Findings> {
  const { flags, io } = context;
  await checkOutput(io);
  const interrupts = takeInterrupts(io);
  try {
    const work = async (client: Client, connect: ApplySession["connect"]): Promise<Findings> => {
      const owner = { stack: requireStack(context), run: randomUUID(), by: io.redactor.redact(whoRuns(io.env)) };
      const own = { ...context, lockRun: owner.run, stop: interrupts.soft };
      const planned = await makePlan(own, client);
      if (flags.out !== undefined) await savePlan(maskedPlan(planned.plan, io), flags.out, io);
      return confirmAndApply(planned, { context: own, client, connect, interrupts, owner, lock: null });
    };
    return await withWriteClient(context, interrupts.hard, work);
  } finally {
    interrupts.end();
  }
}

async function confirmAndApply(planned: Planned, session: ApplySession): Promise<Findings> {
  const { context, interrupts } = session;
  const { config, flags, io } = context;
  const { failOn } = flags;
  const { plan } = planned;
  const pending = plan.operations.length > 0 && plan.refusals.length === 0;
  const asks = pending && flags.autoApprove !== true;
  if (asks || (!io.log.quiet && io.log.format === "text")) showPlan(plan, context);
  if (pending && failOn !== undefined && plan.changes.some(({ impact }) => isAtLeast(impact, failOn))) {
    io.log.error(`not applied: the plan's impact reaches ${failOn}`, "Review the plan, then apply without --fail-on.");
    return { exit: 2 };
  }
  if (asks) {
    await confirm(questionOf(plan), io, "approve a plan", interrupts.soft);
  }
  const { accepted, result } =
    pending && wantsLock(session)
      ? await applyUnderLock(planned, session)
      : await applyAccepted(asks ? await planStillValid(planned, session) : plan, planned, session);
  return { exit: exitCodeOf(result), plan: accepted, result, root: config.root };
}

async function applyAccepted(accepted: Plan, planned: Planned, session: ApplySession) {
  stopIfInterrupted(session.interrupts.soft);
  return { accepted, result: await applyAndVerify({ ...planned, plan: accepted }, session) };
}

/** Plans again: who held the lock before may have changed everything. */
async function applyUnderLock(planned: Planned, session: ApplySession): ReturnType<typeof applyAccepted> {
  const { connect, context, interrupts, owner } = session;
  const { config, flags, io } = context;
  const { settleMs } = config.lock;
  stopIfInterrupted(interrupts.soft);
  // The lock is a write: what can be known before it must not stop the run after it.
  preflight(planned.plan, secretResolver(planned.manifests));
  const warnings: Warning[] = [];
  const time = lockTime(systemClock.now, Date.now);
  const client = connect({ concurrency: 2, onServiceTime: time.learn });
  const timeoutMs = flags.lockTimeout ?? 10 * 60_000;
  let told = { run: "", at: 0 };
  const underLock = async () => {
    const wait =
      settleMs === 0 ? "" : `, and waiting ${formatDuration(2 * settleMs)} for lists to settle (twice lock.settle)`;
    io.log.info(`Taking the account's lock${wait}.`);
    const acquired = await HeldLock.acquire(owner, {
      client,
      clock: systemClock,
      time,
      random: Math.random,
      settleMs,
      timeoutMs,
      signal: interrupts.soft,
      onWait: (holder, leftMs) => {
        if (told.run === holder.run && io.now() - told.at < 30_000) return;
        told = { run: holder.run, at: io.now() };
        const text = `Waiting up to ${formatDuration(leftMs)} for the account's lock: ${describeLock(holder)}.`;
        io.log.info(visibleLine(text), { lock: holder.id });
      },
      onLeftover: (until) =>
        warnings.push({
          code: "lock-left",
          message: `the account's lock could not be removed, and holds until ${until}: \`edgewise unlock\` removes it`,
        }),
    });
    if (acquired.type === "interrupted") throw interrupted();
    if (acquired.type === "locked") {
      const refusal = lockedRefusal(acquired.holder, timeoutMs);
      io.log.error(refusal.message, refusal.remedy, { code: refusal.code });
      const refused = { ...planned.plan, refusals: [...planned.plan.refusals, refusal] };
      return applyAccepted(refused, planned, session);
    }
    const { lock } = acquired;
    try {
      return await applyAccepted(await planStillValid(planned, session), planned, { ...session, lock });
    } finally {
      await lock.release();
    }
  };
  try {
    const { accepted, result } = await underLock();
    return { accepted, result: { ...result, warnings: [...result.warnings, ...warnings] } };
  } finally {
    for (const { code, message } of warnings) io.log.warning(message, { code });
    await client.close();
  }
}

export function showPlan(plan: Plan, { flags, io }: CommandContext): void {
  const compact = flags.compact === true;
  io.stderr(`${renderText(planView(plan), { ...textStyle(io), color: io.stderrColor, compact })}\n`);
}

function questionOf(plan: Plan): string {
  const { baseUrl, operations, relaxations, stack } = plan;
  const size = count(operations.length, "request");
  if (relaxations.destroy) return `Destroy stack ${stack} at ${baseUrl} (${size})?`;
  const shown = shownCommit(plan);
  const what = shown === null ? "this plan" : `${commitWords(shown)} with this plan`;
  return `Apply ${what} (${size} for stack ${stack} at ${baseUrl})?`;
}

/** Answer or lock may have taken hours. */
async function planStillValid(planned: Planned, session: ApplySession): Promise<Plan> {
  const { client, context } = session;
  const { log } = context.io;
  const fresh = await planAgain(context, client, planned);
  const isDone = fresh.changes.length === 0 && fresh.operations.length === 0;
  if (isDone && planned.withheld === null && wantsLock(session)) {
    log.info("Another run did all of it meanwhile: nothing is left to do.");
    return fresh;
  }
  const stale = { ...fresh, refusals: [...fresh.refusals, ...staleness(planned.plan, fresh)] };
  for (const { code, message } of stale.refusals) log.error(message, null, { code });
  return stale;
}

type ApplySession = Readonly<{
  context: CommandContext;
  client: Client;
  interrupts: Interrupts;
  connect: (changes: Partial<ClientOptions>) => Client;
  owner: LockOwner;
  lock: HeldLock | null;
}>;

function wantsLock({ context: { config, flags } }: ApplySession): boolean {
  return flags.lock || config.lock.wanted;
}

function lockedRefusal(holder: LockObject | null, timeoutMs: number): Refusal {
  const whose = holder === null ? "its own lock was never listed" : describeLock(holder);
  const waited = timeoutMs === 0 ? "" : ` after waiting ${formatDuration(timeoutMs)}`;
  return {
    code: "locked",
    message: `the account is locked${waited}: ${whose}`,
    remedy:
      "apply again when that run has ended, or give --lock-timeout more time; `edgewise unlock` removes a lock that was left behind",
  };
}

async function applyAndVerify(
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
    if (skips || ["refused", "failed"].includes(report.outcome) || report.interrupted)
      return makeResult(plan, report, null);
    io.log.info("Verifying: listing and planning again.");
    let told = false;
    const onPause = (unseen: readonly string[]) => {
      const what = unseen.length > 3 ? `${unseen.length} resources` : unseen.join(", ");
      const limit = formatDuration(settleMs);
      if (!told)
        io.log.info(`The lists do not show yet what was written of ${what}: looking again for up to ${limit}.`);
      told = true;
    };
    // A secret that the plan leaves alone may differ from live.
    const replan = async () =>
      planAgain(context, client, { desired: manifests, options: { ...options, rehearse: false, again: true } });
    const found = await verify(
      { plan, report },
      { replan, settleMs, clock: systemClock, signal: interrupts.soft, onPause },
    );
    return makeResult(plan, report, withoutFailed(found, report));
  } catch (error) {
    throw written && !(error instanceof EdgewiseError) ? new UnexpectedAfterWrite(error) : error;
  } finally {
    progress.end();
    await journal?.close();
  }
}

function withoutFailed({ verified, warnings }: Verification, { operations }: ApplyReport): Verification {
  const failed = new Set<string>(operations.flatMap(({ status, address }) => (status === "done" ? [] : [address])));
  const isNew = ({ code, address }: Warning) =>
    code !== "not-converged" || address === undefined || !failed.has(address);
  return { verified, warnings: warnings.filter(isNew) };
}

interface Progress {
  show(event: ApplyEvent): void;
  end(): void;
}

function createProgress(plan: Plan, settleMs: number, io: CommandIo): Progress {
  const { log, status } = io;
  const end = () => {};
  if (log.quiet) return { show: () => {}, end };
  if (log.format === "json")
    return { show: ({ time, ...rest }) => io.stderr(safeJsonLine({ time, level: "progress", ...rest })), end };
  const lineOf = lines(plan, settleMs, io);
  const bar = status.isLive ? countsBar(io) : null;
  return {
    show: (event) => {
      const text = lineOf(event);
      if (text !== null) io.stderr(`${guardRunner(text)}\n`);
      bar?.show(event);
    },
    end: () => bar?.end(),
  };
}

function lines(plan: Plan, settleMs: number, io: CommandIo): (event: ApplyEvent) => string | null {
  const words = operationWords(plan);
  const paint = palette(io.stderrColor);
  const waited = new Set<string>();
  let stopping = false;
  return (event) => {
    if (event.event === "stopping") {
      stopping = true;
      return paint.change(`stopping: ${visibleLine(event.message)}`);
    }
    const address = "address" in event ? visibleLine(event.address) : "";
    if (event.event === "operation-ended") {
      const { error, op, resourceId, status } = event;
      if (stopping && status === "skipped") return null;
      const { doing, done } = words.get(op) ?? { doing: "changing", done: "changed" };
      if (status === "done")
        return `${op}  ${done} ${address}${resourceId === null ? "" : ` (${visibleLine(resourceId)})`}`;
      return `${op}  ${paint.alarm(status)}: ${doing} ${address}${error === null ? "" : `: ${visibleLine(error)}`}`;
    }
    if (event.event === "waiting") {
      if (waited.has(event.op)) return null;
      waited.add(event.op);
      const why =
        event.reason === "settling"
          ? "waiting for the service to become consistent"
          : `its answer was lost: looking for it in lists for up to ${formatDuration(settleMs)} before it is sent again`;
      return paint.dim(`${event.op}  ${address}: ${why}`);
    }
    if (event.event !== "restored") return null;
    return event.restored
      ? `${event.op}  restored what ${address} had released`
      : `${event.op}  ${paint.alarm("could not restore")} what ${address} had released: ${visibleLine(event.error ?? "")}`;
  };
}

/** `Applying [####----] 12/40, 1 failed, 8 running`. */
function countsBar({ status, stderrColumns }: CommandIo): Progress {
  let [done, failed, running, total] = [0, 0, 0, 0];
  const end = () => status.clear();
  return {
    show: (event) => {
      if (event.event === "run-started") total = event.operations;
      else if (event.event === "operation-started") running += 1;
      else if (event.event === "operation-ended") {
        done += 1;
        if (event.status !== "skipped") running -= 1;
        if (event.status === "failed" || event.status === "unknown") failed += 1;
      }
      if (event.event === "run-ended" || done >= total) return end();
      const full = Math.floor((done / total) * 20);
      const bar = `[${"#".repeat(full)}${"-".repeat(20 - full)}]`;
      const text = `Applying ${bar} ${done}/${total}${failed > 0 ? `, ${failed} failed` : ""}, ${running} running`;
      // Three columns for the cursor, and what a terminal shows of Ctrl-C.
      if (total > 1) status.show(text.slice(0, Math.max(0, (stderrColumns?.() ?? 80) - 3)));
    },
    end,
  };
}

/** `14s`, `10 min`. */
function formatDuration(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 100) / 10}s` : `${Math.round(ms / 60_000)} min`;
}
