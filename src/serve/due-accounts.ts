import type { FleetAccount, StackTarget } from "./fleet/fleet.js";
import { type ServeState, canLook, stackDueAt } from "./serve-state.js";

export interface DueAccount {
  readonly account: FleetAccount;
  readonly targets: readonly StackTarget[];
}

export function dueAccounts(state: ServeState, now: number, most: number): readonly DueAccount[] {
  const due = [...state.byAccount.keys()]
    .map((name) => ({ name, at: accountDueAt(state, name, now) }))
    .filter(({ at, name }) => at <= now && !state.passing.has(name));
  const oldest = due.toSorted((one, other) => one.at - other.at).slice(0, Math.max(0, most));
  return oldest.flatMap(({ name }) => {
    const account = state.fleet.accounts.get(name);
    const targets = dueIn(state, name, now);
    if (targets.length === 0) state.dueTimes.delete(name);
    return account === undefined || targets.length === 0 ? [] : [{ account, targets }];
  });
}

export function nextDueAt(state: ServeState, now: number): number {
  const free = [...state.byAccount.keys()].filter((name) => !state.passing.has(name));
  return free.reduce((next, name) => Math.min(next, accountDueAt(state, name, now)), Infinity);
}

/** The stacks of an account that are passed now: none, unless one is due. */
export function dueIn(state: ServeState, account: string, now: number): readonly StackTarget[] {
  const soon = (state.byAccount.get(account) ?? []).filter(
    (target) => canLook(state, target) && stackDueAt(state, target, now) <= now + target.entry.policy.intervalMs / 10,
  );
  return soon.some((target) => stackDueAt(state, target, now) <= now) ? soon : [];
}

function accountDueAt(state: ServeState, account: string, now: number): number {
  let first = state.dueTimes.get(account);
  if (first === undefined) {
    first = Infinity;
    for (const target of state.byAccount.get(account) ?? [])
      if (canLook(state, target)) first = Math.min(first, stackDueAt(state, target, now));
    state.dueTimes.set(account, first);
  }
  return Math.max(first, state.denied.get(account) ?? 0);
}
