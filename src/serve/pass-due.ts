import { EdgewiseError } from "../core/errors.js";
import { version } from "../core/version.js";
import { oldestFirst } from "./decide/schedule.js";
import { type DueAccount, dueIn } from "./due-accounts.js";
import type { StackTarget } from "./fleet/fleet.js";
import { emitChange, entering, keepOutcome, keepStacks, storeFailed } from "./keep-records.js";
import { hasDrift, healNotification, outboxOf } from "./notify/notification.js";
import type { DueStack, KeptBeforeWrite, PassApprovals, PassDeps, PendingStatus } from "./pass/pass.js";
import { type SourceRecord, type StackRecord, newAccountRecord, newStackRecord } from "./records.js";
import type { ServeDeps } from "./serve-deps.js";
import { type ServeState, canLook, clearDue, markDue, setStack } from "./serve-state.js";
import type { AccountClaim } from "./store/store.js";
import { takeChanges } from "./take-changes.js";

export interface StopSignals {
  /** Aborted = begin nothing new. */
  readonly stop: AbortSignal;
  /** Aborted = cut everything off. */
  readonly hardStop: AbortSignal;
}

export interface Passes extends StopSignals {
  readonly all: boolean;
  readonly onEnd: () => void;
}

export const deniedMs = 1000;

/** A stack that takes long keeps the others of its account waiting for so long that nobody would know how they are. */
const writingMs = 60_000;

/** Claims accounts, and passes those that it gets, side by side; the others are another process's now. */
export async function passAccounts(
  state: ServeState,
  wanted: readonly DueAccount[],
  passes: Passes,
  deps: ServeDeps,
): Promise<ReadonlyMap<string, number>> {
  for (const { account } of wanted) state.passing.set(account.name, new AbortController());
  const claims = await claimAll(state, wanted, deps);
  await Promise.all(
    wanted.map(async (due) => {
      const { name } = due.account;
      const claim = claims.get(name);
      try {
        if (claim === undefined) state.denied.set(name, deps.clock.now() + deniedMs);
        else await passClaimed(state, due, claim, passes, deps);
      } finally {
        state.passing.delete(name);
        passes.onEnd();
      }
    }),
  );
  return new Map([...claims].map(([name, { quietUntil }]) => [name, quietUntil]));
}

async function claimAll(
  state: ServeState,
  wanted: readonly DueAccount[],
  deps: ServeDeps,
): Promise<ReadonlyMap<string, AccountClaim>> {
  let claims: readonly AccountClaim[] = [];
  try {
    claims = await deps.store.claim(wanted.map(({ account }) => account));
  } catch (error) {
    storeFailed(state, error, deps);
  }
  if (!deps.store.shared || claims.length === 0 || (await takeChanges(state, deps)))
    return new Map(claims.map((claim) => [claim.account, claim]));
  await Promise.all(claims.map((claim) => claim.release(0)));
  return new Map();
}

/** Passes what is still due: another process may just have passed it. */
async function passClaimed(
  state: ServeState,
  due: DueAccount,
  claim: AccountClaim,
  { all, hardStop, stop }: Passes,
  deps: ServeDeps,
): Promise<void> {
  const { account } = due;
  // `AbortSignal.any` would stay, with all that listens to it, as long as the longest of its signals.
  const cut = new AbortController();
  const ends = [hardStop, claim.lost];
  const end = (): void => cut.abort(ends.find(({ aborted }) => aborted)?.reason);
  for (const signal of ends) signal.addEventListener("abort", end, { once: true });
  if (ends.some(({ aborted }) => aborted)) end();
  try {
    deps.traffic?.countOthers(account, claim.sentByOthers);
    const asked = all ? due.targets : dueIn(state, account.name, deps.clock.now());
    const targets = asked.filter((target) => canLook(state, target));
    const limits = all ? {} : { writingMs };
    if (targets.length > 0)
      await passOne(state, { account, targets, ...limits }, claim, { stop, hardStop: cut.signal }, deps);
  } finally {
    for (const signal of ends) signal.removeEventListener("abort", end);
    await claim.release(deps.traffic?.sentLately(account) ?? 0);
  }
}

/**
 * One pass of a claimed account. What goes wrong with the pass itself is its stacks' failure, and a bug is told as one.
 */
async function passOne(
  state: ServeState,
  { account, targets, ...limits }: DueAccount & { readonly writingMs?: number },
  claim: AccountClaim,
  { hardStop, stop }: StopSignals,
  deps: ServeDeps,
): Promise<void> {
  const ending = state.passing.get(account.name) ?? new AbortController();
  const end = (): void => ending.abort();
  if (stop.aborted) end();
  stop.addEventListener("abort", end, { once: true });
  const began = deps.clock.now();
  const due = oldestFirst(
    targets.map((target) => dueStack(state, target)),
    began,
  );
  // A commit that comes while they are passed marks them again.
  for (const { name } of targets) clearDue(state, name);
  try {
    const record = state.accounts.get(account.name) ?? newAccountRecord(account.name);
    const stacks = state.byAccount.get(account.name)?.length ?? 0;
    const outcome = await deps.pass(
      { account, record, due, stacks, quietUntil: claim.quietUntil, ...limits },
      passDeps(state, due, claim, { stop: ending.signal, hardStop }, deps),
    );
    await keepOutcome(state, outcome, claim, deps);
    const known = new Set(outcome.stacks.map(({ record: { name } }) => name));
    // What a changed fleet file cut short is passed again.
    if (ending.signal.aborted)
      for (const { name } of targets) if (!known.has(name)) markDue(state, name, deps.clock.now());
    deps.emit({ event: "account-looked", account: account.name, stacks: due.length, ms: deps.clock.now() - began });
  } catch (error) {
    await failAll(state, { account, targets }, claim, error, deps);
  } finally {
    postpone(state, targets, began, deps);
    stop.removeEventListener("abort", end);
  }
}

function passDeps(
  state: ServeState,
  due: readonly DueStack[],
  claim: AccountClaim,
  signals: StopSignals,
  deps: ServeDeps,
): PassDeps {
  const { approvals, clock, connect, dryRun, emit, random, steadyClock, store } = deps;
  const before = new Map(due.map(({ record, target }) => [target.name, record ?? newStackRecord(target, clock.now())]));
  const current = (stack: string): StackRecord | undefined => state.stacks.get(stack) ?? before.get(stack);
  const onPending = (stack: string, seen: PendingStatus): void => {
    const record = current(stack);
    if (record === undefined) return;
    // What of it still waits is named once that is written.
    const shown = { ...record.status, ...seen, digest: null };
    setStack(state, { ...record, status: { ...shown, state: "pending", reason: null, since: clock.now() } });
  };
  const saveBeforeWrite = async (stack: string, { account, heal, memory }: KeptBeforeWrite): Promise<void> => {
    const known = current(stack);
    if (known === undefined) return;
    const record = { ...known, memory };
    const isNews = heal !== null && !hasDrift(before.get(stack) ?? known);
    const notifications = isNews ? [healNotification(record, { ...heal, at: clock.now() })] : [];
    const outbox = outboxOf(state.fleet, notifications, clock.now());
    await store.save({ stacks: [record], accounts: account === null ? [] : [account], history: [], outbox }, claim);
    setStack(state, record);
    if (outbox.length > 0) deps.onOutbox?.();
  };
  return {
    clock,
    random,
    claim,
    emit,
    connect,
    dryRun,
    paused: state.fleet.pause,
    saveBeforeWrite,
    savePlan: (stack, plan) => store.savePlan(stack, plan),
    onPending,
    ...(steadyClock === undefined ? {} : { steadyClock }),
    ...(approvals === undefined ? {} : { approvals: passApprovals(state, approvals) }),
    ...signals,
  };
}

function passApprovals({ fleet }: ServeState, reader: NonNullable<ServeDeps["approvals"]>): PassApprovals {
  return {
    draw: reader.draw,
    find: async (name, question, signal) => {
      const source = fleet.sources.get(name);
      return source === undefined ? { approvals: [], problems: [] } : reader.readApprovals(source, question, signal);
    },
  };
}

function dueStack(state: ServeState, target: StackTarget): DueStack {
  const { entry, name } = target;
  const source = state.sources.get(entry.source);
  const problem = source?.record?.problem ?? null;
  const commit = source?.commit ?? null;
  const isBehind = (source?.behindSince ?? null) !== null;
  const said = problem === null ? null : `the source ${entry.source}: ${problem.message}`;
  const unread = commit === null ? `the source ${entry.source} has no commit that can be followed` : null;
  const message = isBehind ? behindWords(target, state.keptSources.get(entry.source), said) : (said ?? unread);
  const unreachable = isBehind || problem?.code === "unreachable" || problem?.code === "missing";
  return {
    target,
    record: state.stacks.get(name) ?? null,
    commit,
    unfollowed: message === null ? null : { rewound: problem?.code === "rewound", message, unreachable },
  };
}

/** Another process follows a commit that is not open here: what it wrote must not be taken back. */
function behindWords({ entry }: StackTarget, kept: SourceRecord | undefined, said: string | null): string {
  const commit = kept?.followed?.slice(0, 12) ?? "another commit";
  const why = said === null ? "" : ` (${said})`;
  return `the source ${entry.source} is followed to ${commit} by another process, which is not here yet${why}`;
}

/** What a pass left without a later look is looked at after a second: nothing turns the loop in circles. */
function postpone(state: ServeState, targets: readonly StackTarget[], began: number, { clock }: ServeDeps): void {
  const now = clock.now();
  for (const { name } of targets) {
    const record = state.stacks.get(name);
    if (record === undefined) continue;
    const { lookedAt, nextLook } = record.status;
    const isFuture = lookedAt !== null && lookedAt > now;
    if (nextLook > began && !isFuture) continue;
    const status = { ...record.status, lookedAt: isFuture ? null : lookedAt, nextLook: Math.max(nextLook, now + 1000) };
    setStack(state, { ...record, status });
  }
}

async function failAll(
  state: ServeState,
  { account, targets }: DueAccount,
  claim: AccountClaim,
  error: unknown,
  deps: ServeDeps,
): Promise<void> {
  const expected = error instanceof EdgewiseError;
  const said = error instanceof Error ? `${expected ? "" : `${error.name}: `}${error.message}` : String(error);
  const remedy = expected && error.remedy !== null ? `. ${error.remedy}` : "";
  const message = deps.mask(expected ? `${said}${remedy}` : `this is a bug in edgewise ${version}: ${said}`);
  if (!expected) deps.emit({ event: "bug", subject: `the pass of account ${account.name}`, message });
  const now = deps.clock.now();
  const outcomes = targets.map((target) => {
    const before = state.stacks.get(target.name) ?? newStackRecord(target, now);
    const failures = before.memory.failures + 1;
    const pause = Math.min(target.entry.policy.intervalMs, 1000 * 2 ** Math.min(failures, 20));
    const status = { ...before.status, nextLook: now + 1000 + pause * deps.random() };
    const failed = { ...before, status, memory: { ...before.memory, failures } };
    const outcome = entering(failed, { state: "failed", reason: null, message }, now);
    if (outcome.history.length > 0) emitChange(before.status, outcome.record, deps);
    return outcome;
  });
  await keepStacks(state, outcomes, claim, deps);
}
