import type { FleetAccount, StackTarget } from "./fleet/fleet.js";
import { type ServeState, canLook, stackDueAt } from "./serve-state.js";

/** The due stacks of an account. */
export interface DueAccount {
  readonly account: FleetAccount;
  readonly targets: readonly StackTarget[];
  /** How long a pass may begin to write stacks, in milliseconds; absent = it writes all. */
  readonly writingMs?: number;
}

/** A stack that takes long keeps the others of its account waiting for so long that nobody would know how they are. */
const writingMs = 60_000;

/** The accounts that have due stacks and no pass, at most so many; the one that waits longest comes first. */
export function dueAccounts(state: ServeState, now: number, most: number): readonly DueAccount[] {
  const due = [...state.byAccount.keys()].flatMap((name) => {
    const at = isFree(state, name) ? accountDueAt(state, name, now) : Infinity;
    return at <= now ? [{ name, at: dueTimeOf(state, name, now) }] : [];
  });
  const oldest = due.toSorted((one, other) => one.at - other.at).slice(0, Math.max(0, most));
  return oldest.flatMap(({ name }) => {
    const account = state.fleet.accounts.get(name);
    const targets = dueIn(state, name, now);
    if (targets.length === 0) state.dueTimes.delete(name);
    return account === undefined || targets.length === 0 ? [] : [{ account, targets, writingMs }];
  });
}

/** When the next account is due that has no pass; Infinity = none will be. */
export function nextDueAt(state: ServeState, now: number): number {
  let next = Infinity;
  for (const name of state.byAccount.keys())
    if (isFree(state, name)) next = Math.min(next, accountDueAt(state, name, now));
  return next;
}

/**
 * The stacks of an account that are passed now: none, unless one is due. What is due within a tenth of its interval is
 * taken along, because one listing serves all.
 */
export function dueIn(state: ServeState, account: string, now: number): readonly StackTarget[] {
  const soon = (state.byAccount.get(account) ?? []).filter((target) => {
    const { intervalMs } = target.entry.policy;
    return canLook(state, target) && stackDueAt(state, target, now) <= now + intervalMs / 10;
  });
  return soon.some((target) => stackDueAt(state, target, now) <= now) ? soon : [];
}

function isFree({ passing }: ServeState, account: string): boolean {
  return !passing.has(account);
}

/**
 * So long what is due is left to the process that passed it last, in milliseconds: that one knows which stacks rest, and the
 * others need not ask in vain.
 */
const leftToOthersMs = 1500;

/** When an account is asked for: when a stack of it is due, but not while another process was just found to have it. */
function accountDueAt(state: ServeState, account: string, now: number): number {
  const due = dueTimeOf(state, account, now) + (state.others.has(account) ? leftToOthersMs : 0);
  return Math.max(due, state.denied.get(account) ?? 0);
}

/** When the first stack of an account is due: found once, and again when anything changed that it depends on. */
function dueTimeOf(state: ServeState, account: string, now: number): number {
  const known = state.dueTimes.get(account);
  if (known !== undefined) return known;
  let first = Infinity;
  for (const target of state.byAccount.get(account) ?? [])
    if (canLook(state, target)) first = Math.min(first, stackDueAt(state, target, now));
  state.dueTimes.set(account, first);
  return first;
}
