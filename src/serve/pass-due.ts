import { EdgewiseError } from "../errors.js";
import { version } from "../version.js";
import type { DueStack, PassApprovals, PassDeps, PendingStatus } from "./account/account-pass.js";
import { oldestFirst } from "./decisions/schedule.js";
import type { FleetAccount, StackTarget } from "./fleet/fleet.js";
import { enterState, keepOutcome } from "./keep-records.js";
import { type StackMemory, newAccountRecord, newStackRecord } from "./records.js";
import type { ServeDeps } from "./serve-deps.js";
import { type ServeState, canLook, quietUntil, stackDueAt } from "./serve-state.js";

/** How the loop is told to end: softly, then at once. */
export interface StopSignals {
  /** Aborted = begin nothing new. */
  readonly stop: AbortSignal;
  /** Aborted = cut everything off. */
  readonly hardStop: AbortSignal;
}

/** The due stacks of an account. */
export interface DueAccount {
  readonly account: FleetAccount;
  readonly targets: readonly StackTarget[];
  /** How long a pass may begin to write stacks, in milliseconds; absent = it writes all. */
  readonly writingMs?: number;
}

/** A stack that takes long keeps the others of its account waiting for so long that nobody would know how they are. */
const writingMs = 60_000;

/**
 * The accounts that have due stacks and no pass. A pass takes along what is due within a tenth of its interval, because
 * one listing serves all; the account that waits longest comes first.
 */
export function dueAccounts(state: ServeState, now: number): readonly DueAccount[] {
  const found = new Map<string, { readonly targets: StackTarget[]; due: boolean; oldest: number }>();
  for (const target of state.targets.values()) {
    const { account, policy } = target.entry;
    if (state.passing.has(account) || !canLook(state, target)) continue;
    const at = stackDueAt(state, target, now);
    if (at > now + policy.intervalMs / 10) continue;
    const known = found.get(account) ?? { targets: [], due: false, oldest: Infinity };
    known.targets.push(target);
    known.due ||= at <= now;
    known.oldest = Math.min(known.oldest, at);
    found.set(account, known);
  }
  return [...found]
    .filter(([, { due }]) => due)
    .toSorted(([, one], [, other]) => one.oldest - other.oldest)
    .flatMap(([name, { targets }]) => {
      const account = state.fleet.accounts.get(name);
      return account === undefined ? [] : [{ account, targets, writingMs }];
    });
}

/**
 * One pass of an account, and what became of it in the store. Never throws: what goes wrong with the pass itself is its
 * stacks' failure, and a bug is told as one.
 */
export async function passOne(
  state: ServeState,
  { account, targets, ...limits }: DueAccount,
  { stop, hardStop }: StopSignals,
  deps: ServeDeps,
): Promise<void> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  if (stop.aborted) end();
  stop.addEventListener("abort", end, { once: true });
  state.passing.set(account.name, ending);
  const began = deps.clock.now();
  const due = oldestFirst(
    targets.map((target) => dueStack(state, target)),
    began,
  );
  // A commit that comes while they are passed hastens them again.
  for (const { name } of targets) state.hastened.delete(name);
  try {
    const record = state.accounts.get(account.name) ?? newAccountRecord(account.name);
    const stacks = [...state.targets.values()].filter(({ entry }) => entry.account === account.name).length;
    const outcome = await deps.pass(
      { account, record, due, stacks, quietUntil: quietUntil(state, account.name, began), ...limits },
      passDeps(state, { stop: ending.signal, hardStop }, deps),
    );
    await keepOutcome(state, outcome, deps);
    // What a changed fleet file cut short is passed again.
    const told = new Set(outcome.stacks.map(({ record: { name } }) => name));
    if (ending.signal.aborted) for (const { name } of targets) if (!told.has(name)) state.hastened.add(name);
    deps.emit({ event: "account-looked", account: account.name, stacks: due.length, ms: deps.clock.now() - began });
  } catch (error) {
    await failAll(state, { account, targets }, error, deps);
  } finally {
    postpone(state, targets, began, deps);
    stop.removeEventListener("abort", end);
    state.passing.delete(account.name);
  }
}

function passDeps(state: ServeState, signals: StopSignals, deps: ServeDeps): PassDeps {
  const { clock, random, store, emit, connect, dryRun } = deps;
  // Only shown: the outcome replaces it, and a pass that is cut off has none to keep.
  const onPending = (stack: string, seen: PendingStatus): void => {
    const target = state.targets.get(stack);
    const record = state.stacks.get(stack) ?? (target === undefined ? null : newStackRecord(target, clock.now()));
    if (record === null) return;
    // What of it still waits is named once that is written.
    const shown = { ...record.status, ...seen, digest: null };
    const status = { ...shown, state: "pending" as const, reason: null, since: clock.now() };
    state.stacks.set(stack, { ...record, status });
  };
  // A stack that is orphaned while it is passed is saved, too: what is being written must not be lost by that.
  const onRemembered = (stack: string, memory: StackMemory): void => {
    const record = state.stacks.get(stack);
    if (record !== undefined) state.stacks.set(stack, { ...record, memory });
  };
  const steady = deps.steadyClock === undefined ? {} : { steadyClock: deps.steadyClock };
  const approvals = deps.approvals === undefined ? {} : { approvals: passApprovals(state, deps.approvals) };
  const { pause: paused } = state.fleet;
  return {
    clock,
    random,
    store,
    emit,
    connect,
    dryRun,
    paused,
    onPending,
    onRemembered,
    ...steady,
    ...approvals,
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
  const source = state.sources.get(target.entry.source);
  const problem = source?.record?.problem ?? null;
  const commit = source?.commit ?? null;
  const unread = commit === null ? `the source ${target.entry.source} has no commit that can be followed` : null;
  const message = problem === null ? unread : `the source ${target.entry.source}: ${problem.message}`;
  const unreachable = problem?.code === "unreachable" || problem?.code === "missing";
  return {
    target,
    record: state.stacks.get(target.name) ?? null,
    commit,
    unfollowed: message === null ? null : { rewound: problem?.code === "rewound", message, unreachable },
  };
}

/**
 * What a pass left without a later look is looked at after a second: nothing turns the loop in circles. A look of before
 * the clock was set back was at no time that is known.
 */
function postpone(state: ServeState, targets: readonly StackTarget[], began: number, deps: ServeDeps): void {
  const now = deps.clock.now();
  for (const { name } of targets) {
    const record = state.stacks.get(name);
    if (record === undefined) continue;
    const { lookedAt, nextLook } = record.status;
    const isFuture = lookedAt !== null && lookedAt > now;
    if (nextLook > began && !isFuture) continue;
    const status = { ...record.status, lookedAt: isFuture ? null : lookedAt, nextLook: Math.max(nextLook, now + 1000) };
    state.stacks.set(name, { ...record, status });
  }
}

/** The pass itself failed: an error that is expected, such as a key that can't be read, or a bug. */
async function failAll(
  state: ServeState,
  { account, targets }: DueAccount,
  error: unknown,
  deps: ServeDeps,
): Promise<void> {
  const expected = error instanceof EdgewiseError;
  const said = error instanceof Error ? `${expected ? "" : `${error.name}: `}${error.message}` : String(error);
  const remedy = expected && error.remedy !== null ? `. ${error.remedy}` : "";
  const message = deps.mask(expected ? `${said}${remedy}` : `this is a bug in edgewise ${version}: ${said}`);
  if (!expected) deps.emit({ event: "bug", subject: `the pass of account ${account.name}`, message });
  for (const target of targets) {
    const now = deps.clock.now();
    const before = state.stacks.get(target.name) ?? newStackRecord(target, now);
    const failures = before.memory.failures + 1;
    const pause = Math.min(target.entry.policy.intervalMs, 1000 * 2 ** Math.min(failures, 20));
    const status = { ...before.status, nextLook: now + 1000 + pause * deps.random() };
    const record = { ...before, status, memory: { ...before.memory, failures } };
    state.stacks.set(target.name, record);
    await enterState(state, record, { state: "failed", reason: null, message }, deps);
  }
}
