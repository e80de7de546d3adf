import type { WriteHold } from "../api/client.js";
import { EdgewiseError } from "../core/errors.js";
import { version } from "../core/version.js";
import type { Plan } from "../plan/plan-format.js";
import type { DueStack, KeptBeforeWrite, PassApprovals, PassDeps, PendingStatus } from "./pass/pass.js";
import { oldestFirst } from "./decide/schedule.js";
import type { DueAccount } from "./due-accounts.js";
import type { StackTarget } from "./fleet/fleet.js";
import { enterState, keepOutcome } from "./keep-records.js";
import { type SourceRecord, newAccountRecord, newStackRecord } from "./records.js";
import type { ServeDeps } from "./serve-deps.js";
import { type ServeState, hasten, quietUntil, setStack, unhasten } from "./serve-state.js";

/** How the loop is told to end: softly, then at once. */
export interface StopSignals {
  /** Aborted = begin nothing new. */
  readonly stop: AbortSignal;
  /** Aborted = cut everything off. */
  readonly hardStop: AbortSignal;
}

/** What a pass runs under: the claim of its account, and how it is told to end. */
export interface PassSignals extends StopSignals {
  readonly claim: WriteHold;
}

/**
 * One pass of an account that is claimed, and what became of it in the store. Never throws: what goes wrong with the pass
 * itself is its stacks' failure, and a bug is told as one.
 */
export async function passOne(
  state: ServeState,
  { account, targets, ...limits }: DueAccount,
  { claim, hardStop, stop }: PassSignals,
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
  // A commit that comes while they are passed hastens them again.
  for (const { name } of targets) unhasten(state, name);
  try {
    const record = state.accounts.get(account.name) ?? newAccountRecord(account.name);
    const stacks = state.byAccount.get(account.name)?.length ?? 0;
    const outcome = await deps.pass(
      { account, record, due, stacks, quietUntil: quietUntil(state, account.name, began), ...limits },
      passDeps(state, { claim, stop: ending.signal, hardStop }, deps),
    );
    await keepOutcome(state, outcome, deps);
    // What a changed fleet file cut short is passed again.
    const told = new Set(outcome.stacks.map(({ record: { name } }) => name));
    if (ending.signal.aborted)
      for (const { name } of targets) if (!told.has(name)) hasten(state, name, deps.clock.now());
    deps.emit({ event: "account-looked", account: account.name, stacks: due.length, ms: deps.clock.now() - began });
  } catch (error) {
    await failAll(state, { account, targets }, error, deps);
  } finally {
    postpone(state, targets, began, deps);
    stop.removeEventListener("abort", end);
  }
}

function passDeps(state: ServeState, { claim, ...signals }: PassSignals, deps: ServeDeps): PassDeps {
  const { clock, random, store, emit, connect, dryRun } = deps;
  // Only shown: the outcome replaces it, and a pass that is cut off has none to keep.
  const onPending = (stack: string, seen: PendingStatus): void => {
    const target = state.targets.get(stack);
    const record = state.stacks.get(stack) ?? (target === undefined ? null : newStackRecord(target, clock.now()));
    if (record === null) return;
    // What of it still waits is named once that is written.
    const shown = { ...record.status, ...seen, digest: null };
    const status = { ...shown, state: "pending" as const, reason: null, since: clock.now() };
    setStack(state, { ...record, status });
  };
  const saveBeforeWrite = async (stack: string, { account, memory }: KeptBeforeWrite): Promise<void> => {
    if (account !== null) await store.saveAccount(account);
    const target = state.targets.get(stack);
    const known = state.stacks.get(stack) ?? (target === undefined ? null : newStackRecord(target, clock.now()));
    if (known === null) return;
    // A stack that is orphaned while it is passed is saved, too: what is being written must not be lost by that.
    const record = { ...known, memory };
    if (state.stacks.has(stack)) state.stacks.set(stack, record);
    await store.saveStack(record);
  };
  const steady = deps.steadyClock === undefined ? {} : { steadyClock: deps.steadyClock };
  const approvals = deps.approvals === undefined ? {} : { approvals: passApprovals(state, deps.approvals) };
  const { pause: paused } = state.fleet;
  const savePlan = (stack: string, plan: Plan | null): Promise<void> => store.savePlan(stack, plan);
  const outside = { clock, random, saveBeforeWrite, savePlan, claim, emit, connect, ...steady, ...approvals };
  return { ...outside, dryRun, paused, onPending, ...signals };
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
  const isBehind = (source?.behindSince ?? null) !== null;
  const told = problem === null ? null : `the source ${target.entry.source}: ${problem.message}`;
  const message = isBehind ? behindWords(target, source?.kept ?? null, told) : (told ?? unread);
  const unreachable = isBehind || problem?.code === "unreachable" || problem?.code === "missing";
  return {
    target,
    record: state.stacks.get(target.name) ?? null,
    commit,
    unfollowed: message === null ? null : { rewound: problem?.code === "rewound", message, unreachable },
  };
}

/** Another process follows a commit that is not open here: what it wrote must not be taken back. */
function behindWords({ entry }: StackTarget, kept: SourceRecord | null, told: string | null): string {
  const commit = kept?.followed?.slice(0, 12) ?? "another commit";
  const why = told === null ? "" : ` (${told})`;
  return `the source ${entry.source} is followed to ${commit} by another process, which is not here yet${why}`;
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
    setStack(state, { ...record, status });
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
    setStack(state, record);
    await enterState(state, record, { state: "failed", reason: null, message }, deps);
  }
}
