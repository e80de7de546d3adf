import { isDeepStrictEqual } from "node:util";
import { storeUnread, storeWorks } from "./keep-records.js";
import type { AccountRecord, StackRecord } from "./records.js";
import type { ServeDeps } from "./serve-deps.js";
import { type ServeState, hasten, noteKept, setStack, unhasten } from "./serve-state.js";
import { settleTargets } from "./settle-targets.js";

/** How often it is asked for what other processes changed, in milliseconds. */
export const changesEveryMs = 1000;

/**
 * Takes over what others changed, so that every process knows how every stack is, and what is due. Accounts whose
 * holder died are due at once. Never throws.
 */
export async function takeChanges(state: ServeState, deps: ServeDeps): Promise<void> {
  try {
    const changes = await deps.store.changes();
    state.unread = null;
    storeWorks(state, deps);
    const now = deps.clock.now();
    takeDeferred(state);
    for (const record of changes.stacks) takeStack(state, record);
    for (const record of changes.accounts) takeAccount(state, record);
    for (const record of changes.sources) {
      const followed = state.sources.get(record.name);
      if (followed !== undefined && !followed.fetching) noteKept(state, followed, record, now);
    }
    takeAbandoned(state, changes.abandoned, now);
    if (!isDeepStrictEqual(state.damaged, state.settledDamage)) await settleTargets(state, deps);
    deps.onChanges?.();
  } catch (error) {
    storeUnread(state, error, deps);
  }
}

/** What is being passed here is known better here, until that is over. What is refused is not passed. */
function takeStack(state: ServeState, record: StackRecord): void {
  const { name } = record;
  const account = state.targets.get(name)?.entry.account ?? record.account;
  const refused = state.refusals.has(name) ? state.stacks.get(name)?.status : undefined;
  if (state.passing.has(account) && refused === undefined) {
    state.deferred.stacks.set(name, { record, over: state.stacks.get(name) });
    return;
  }
  state.deferred.stacks.delete(name);
  // What was put right still failed until it is looked at.
  const { message, reason, since, state: shown } = refused ?? record.status;
  setStack(state, { ...record, status: { ...record.status, message, reason, since, state: shown } });
  forgetHaste(state, record);
}

function takeAccount({ accounts, deferred, passing }: ServeState, record: AccountRecord): void {
  const { name } = record;
  if (passing.has(name)) deferred.accounts.set(name, { record, over: accounts.get(name) });
  else accounts.set(name, record);
}

/** Takes over what came while an account was passed, or asked for, unless this process has learned more since. */
function takeDeferred(state: ServeState): void {
  const { accounts, stacks } = state.deferred;
  const [ownAccounts, ownStacks] = [new Map(accounts), new Map(stacks)];
  accounts.clear();
  stacks.clear();
  for (const [name, { over, record }] of ownStacks) if (state.stacks.get(name) === over) takeStack(state, record);
  for (const [name, { over, record }] of ownAccounts) if (state.accounts.get(name) === over) takeAccount(state, record);
}

/** An account that stays so is hastened once: one whose key is another by now is never claimed again as what it was. */
function takeAbandoned(state: ServeState, accounts: readonly string[], now: number): void {
  for (const account of accounts) {
    if (state.abandoned.has(account)) continue;
    for (const { name } of state.byAccount.get(account) ?? []) hasten(state, name, now);
  }
  state.abandoned.clear();
  for (const account of accounts) if (state.byAccount.has(account)) state.abandoned.add(account);
}

/** A look of another process at the commit that is followed, begun after a stack was hastened, is what that was for. */
export function forgetHaste(state: ServeState, { name, status }: StackRecord): void {
  const { hastened, sources, targets } = state;
  const at = hastened.get(name);
  const source = targets.get(name)?.entry.source;
  if (at === undefined || source === undefined || status.lookedAt === null) return;
  const commit = sources.get(source)?.expansion?.commit ?? null;
  if (status.lookedAt >= at && status.commit === commit) unhasten(state, name);
}
