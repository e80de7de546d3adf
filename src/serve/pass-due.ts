import { EdgewiseError } from "../core/errors.js";
import { version } from "../core/version.js";
import { nextLookAfter, oldestFirst } from "./decide/schedule.js";
import type { ServeState } from "./serve-state.js";
import { stateChanged, wordsOf } from "./serve-events.js";
import type { FleetAccount, StackTarget } from "./fleet/fleet.js";
import { entering, keepOutcome, keepStacks } from "./keep-records.js";
import { hasDrift, healNotification, outboxOf } from "./notify/notification.js";
import { type StackRecord, newAccountRecord, newStackRecord } from "./records.js";
import type { DueStack, PassDeps, StopSignals } from "./serve-deps.js";
import type { AccountClaim } from "./store/store.js";
import { takeChanges } from "./update-targets.js";

export type Passes = StopSignals &
  Readonly<{
    all: boolean;
    onEnd: () => void;
  }>;

export const deniedMs = 1000;

export async function passAccounts(
  state: ServeState,
  accounts: readonly FleetAccount[],
  passes: Passes,
): Promise<ReadonlyMap<string, number>> {
  for (const { name } of accounts) state.passing.set(name, new AbortController());
  const claims = await claimAll(state, accounts);
  await Promise.all(
    accounts.map(async (account) => {
      const { name } = account;
      const claim = claims.get(name);
      try {
        if (claim === undefined) state.denied.set(name, state.now() + deniedMs);
        else await passClaimed(state, account, claim, passes);
        // Another name of it may have its turn.
        if (claim !== undefined && !state.deps.store.shared) state.denied.clear();
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
  accounts: readonly FleetAccount[],
): Promise<ReadonlyMap<string, AccountClaim>> {
  let claims: readonly AccountClaim[] = [];
  try {
    claims = await state.deps.store.claim(accounts);
  } catch (error) {
    state.storeFailed(error);
  }
  if (!state.deps.store.shared || claims.length === 0 || (await takeChanges(state)))
    return new Map(claims.map((claim) => [claim.account, claim]));
  await Promise.all(claims.map((claim) => claim.release(0)));
  return new Map();
}

async function passClaimed(
  state: ServeState,
  account: FleetAccount,
  claim: AccountClaim,
  passes: Passes,
): Promise<void> {
  const { name } = account;
  const hardStop = AbortSignal.any([passes.hardStop, claim.lost]);
  const stop = AbortSignal.any([passes.stop, (state.passing.get(name) ?? new AbortController()).signal]);
  const began = state.now();
  const targets = passes.all ? state.targetsOf(name) : state.dueIn(name, began);
  const stacks = oldestFirst(
    targets.map((target) => dueStack(state, target)),
    began,
  );
  // A commit that comes while they are passed marks them again.
  for (const target of targets) state.marked.delete(target.name);
  try {
    state.deps.traffic?.countOthers(account, claim.sentByOthers);
    if (targets.length === 0) return;
    const input = {
      account,
      record: state.accounts.get(name) ?? newAccountRecord(name),
      due: stacks,
      stacks: state.byAccount.get(name)?.length ?? 0,
    };
    const outcome = await state.deps.pass(input, passDeps(state, stacks, claim, { stop, hardStop }));
    await keepOutcome(state, outcome, claim);
    const known = new Set(outcome.stacks.map(({ record }) => record.name));
    // What a changed fleet file cut short is passed again.
    if (stop.aborted) for (const target of targets) if (!known.has(target.name)) state.markDue(target.name);
    state.deps.emit({ event: "account-looked", account: name, stacks: stacks.length, ms: state.now() - began });
  } catch (error) {
    await failAll(state, account, targets, claim, error);
  } finally {
    postpone(state, targets, began);
    await claim.release(state.deps.traffic?.sentLately(account) ?? 0);
  }
}

function passDeps(state: ServeState, due: readonly DueStack[], claim: AccountClaim, signals: StopSignals): PassDeps {
  const { deps } = state;
  const { clock, store } = deps;
  const before = new Map(due.map(({ record, target }) => [target.name, record ?? newStackRecord(target, clock.now())]));
  const current = (stack: string): StackRecord | undefined => state.stacks.get(stack) ?? before.get(stack);
  return {
    ...deps,
    ...signals,
    claim,
    paused: state.fleet.pause,
    onPending: (stack, seen) => {
      const record = current(stack);
      if (record === undefined) return;
      const shown = { ...record.status, ...seen, digest: null };
      state.setStack({ ...record, status: { ...shown, state: "pending", reason: null, since: clock.now() } });
    },
    saveBeforeWrite: async (stack, { account, heal, memory }) => {
      const known = current(stack);
      if (known === undefined) return;
      const record = { ...known, memory };
      const isNews = heal !== null && !hasDrift(before.get(stack) ?? known);
      const notifications = isNews ? [healNotification(record, heal.changes, heal.impact, clock.now())] : [];
      const outbox = outboxOf(state.fleet, notifications, clock.now());
      await store.save({ stacks: [record], accounts: account === null ? [] : [account], history: [], outbox }, claim);
      state.setStack(record);
      if (outbox.length > 0) state.deps.onOutbox();
    },
  };
}

function dueStack(state: ServeState, target: StackTarget): DueStack {
  const { entry, name } = target;
  const followed = state.sources.get(entry.source);
  const problem = followed?.record?.problem ?? null;
  const commit = followed?.commit ?? null;
  const isBehind = (followed?.behindSince ?? null) !== null;
  const about = `the source ${entry.source}`;
  let message = problem === null ? null : `${about}: ${problem.message}`;
  if (isBehind) {
    const other = state.keptSources.get(entry.source)?.followed?.slice(0, 12) ?? "another commit";
    message = `${about} is followed to ${other} by another process${message === null ? "" : ` (${message})`}`;
  } else if (commit === null) message ??= `${about} has no commit that can be followed`;
  const unreachable = isBehind || problem?.code === "unreachable" || problem?.code === "missing";
  return {
    target,
    source: state.fleet.sources.get(entry.source) ?? null,
    record: state.stacks.get(name) ?? null,
    commit,
    unfollowed: message === null ? null : { rewound: problem?.code === "rewound", message, unreachable },
  };
}

/** Nothing turns the loop in circles. */
function postpone(state: ServeState, targets: readonly StackTarget[], began: number): void {
  const now = state.now();
  for (const { name } of targets) {
    const record = state.stacks.get(name);
    if (record === undefined) continue;
    const { lookedAt, nextLook } = record.status;
    const isFuture = lookedAt !== null && lookedAt > now;
    if (nextLook > began && !isFuture) continue;
    const status = { ...record.status, lookedAt: isFuture ? null : lookedAt, nextLook: Math.max(nextLook, now + 1000) };
    state.setStack({ ...record, status });
  }
}

async function failAll(
  state: ServeState,
  account: FleetAccount,
  targets: readonly StackTarget[],
  claim: AccountClaim,
  error: unknown,
): Promise<void> {
  const isBug = !(error instanceof EdgewiseError);
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const message = state.deps.mask(isBug ? `this is a bug in edgewise ${version}: ${said}` : wordsOf(error));
  if (isBug) state.deps.emit({ event: "bug", subject: `the pass of account ${account.name}`, message });
  const now = state.now();
  const outcomes = targets.map((target) => {
    const before = state.stacks.get(target.name) ?? newStackRecord(target, now);
    const failures = before.memory.failures + 1;
    const failed = { state: "failed", reason: null } as const;
    const { policy } = target.entry;
    const nextLook = nextLookAfter({ status: failed, failures, policy, now, random: state.deps.random() });
    const record = { ...before, status: { ...before.status, nextLook }, memory: { ...before.memory, failures } };
    const outcome = entering(record, { ...failed, message }, now);
    if (outcome.history.length > 0) state.deps.emit(stateChanged(before.status, outcome.record));
    return outcome;
  });
  await keepStacks(state, outcomes, claim);
}
