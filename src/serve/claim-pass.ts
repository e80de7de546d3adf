import type { FleetAccount } from "./fleet/fleet.js";
import { storeFailed, storeWorks } from "./keep-records.js";
import { type DueAccount, dueIn } from "./due-accounts.js";
import { type StopSignals, passOne } from "./pass-due.js";
import type { ServeDeps } from "./serve-deps.js";
import { type ServeState, canLook, noteKept, setStack } from "./serve-state.js";
import type { AccountClaim, WantedAccount } from "./store/store.js";
import { forgetHaste } from "./take-changes.js";

/** An account that another process holds is asked for again after so long, in milliseconds. */
export const deniedMs = 1000;

/** How passes of claimed accounts are run. */
export interface ClaimedPasses extends StopSignals {
  /** Whether all stacks given are passed, due or not. */
  readonly all: boolean;
  /** Called when an account is free again. */
  readonly onEnd: () => void;
}

/**
 * Claims accounts, and passes those that it gets, side by side; the others are another process's now.
 * @returns when all have ended: the names of those that it got. Never throws
 */
export async function claimAndPass(
  state: ServeState,
  wanted: readonly DueAccount[],
  passes: ClaimedPasses,
  deps: ServeDeps,
): Promise<ReadonlySet<string>> {
  for (const { account } of wanted) state.passing.set(account.name, new AbortController());
  const claims = await claimAll(state, wanted, deps);
  const passed = wanted.map(async (due) => {
    const { name } = due.account;
    const claim = claims.get(name);
    try {
      if (claim === undefined) state.denied.set(name, deps.clock.now() + deniedMs);
      const isOwn = claim !== undefined && (await passClaimed(state, due, claim, passes, deps));
      if (isOwn) state.others.delete(name);
      else state.others.add(name);
    } finally {
      state.passing.delete(name);
      passes.onEnd();
    }
  });
  await Promise.all(passed);
  return new Set(claims.keys());
}

async function claimAll(
  state: ServeState,
  wanted: readonly DueAccount[],
  deps: ServeDeps,
): Promise<ReadonlyMap<string, AccountClaim>> {
  try {
    const asked = wanted.map(({ account }) => wantedAccount(state, account));
    const claims = await deps.store.claim(asked, wanted.length);
    storeWorks(state, deps);
    return new Map(claims.map((claim) => [claim.account, claim]));
  } catch (error) {
    storeFailed(state, error, deps);
    return new Map();
  }
}

function wantedAccount({ byAccount }: ServeState, account: FleetAccount): WantedAccount {
  return { account, stacks: (byAccount.get(account.name) ?? []).map(({ name }) => name) };
}

/** Passes what is still due once the account is claimed: another process may just have passed it. Whether it passed. */
async function passClaimed(
  state: ServeState,
  due: DueAccount,
  claim: AccountClaim,
  { all, hardStop, stop }: ClaimedPasses,
  deps: ServeDeps,
): Promise<boolean> {
  const { account } = due;
  // `AbortSignal.any` would stay, with all that listens to it, as long as the longest of its signals.
  const cut = new AbortController();
  const ends = [hardStop, claim.lost];
  const end = (): void => cut.abort(ends.find(({ aborted }) => aborted)?.reason);
  for (const signal of ends) signal.addEventListener("abort", end, { once: true });
  if (ends.some(({ aborted }) => aborted)) end();
  try {
    takeCurrent(state, claim, deps);
    const asked = all || claim.current === null ? due.targets : dueIn(state, account.name, deps.clock.now());
    const targets = asked.filter((target) => canLook(state, target));
    if (targets.length === 0) return false;
    await passOne(state, { ...due, targets }, { claim, stop, hardStop: cut.signal }, deps);
    return true;
  } finally {
    for (const signal of ends) signal.removeEventListener("abort", end);
    await claim.release(deps.traffic?.sentLately(account) ?? 0);
  }
}

/** Takes over what is kept of a claimed account: from now on nobody else changes it. */
function takeCurrent(state: ServeState, claim: AccountClaim, deps: ServeDeps): void {
  const account = state.fleet.accounts.get(claim.account);
  if (claim.current === null || account === undefined) return;
  const now = deps.clock.now();
  const { sources, stacks } = claim.current;
  if (claim.current.account !== null) state.accounts.set(account.name, claim.current.account);
  for (const record of stacks.values()) {
    setStack(state, record);
    forgetHaste(state, record);
  }
  for (const [name, record] of sources) {
    const followed = state.sources.get(name);
    if (followed !== undefined) noteKept(state, followed, record, now);
  }
  if (claim.quietUntil > now) state.quiet.set(account.name, claim.quietUntil);
  else state.quiet.delete(account.name);
  deps.traffic?.countOthers(account, claim.sentByOthers);
}
