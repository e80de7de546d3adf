import { storeFailed, storeWorks } from "./keep-records.js";
import type { StackRecord } from "./records.js";
import type { ServeDeps } from "./serve-deps.js";
import { type ServeState, hasten, noteKept, setStack, unhasten } from "./serve-state.js";

/** How often it is asked for what other processes changed, in milliseconds. */
export const changesEveryMs = 1000;

/**
 * Takes over what other processes changed, so that every process knows how every stack is, and what is due. Accounts whose
 * holder died are due at once. Never throws.
 */
export async function takeChanges(state: ServeState, deps: ServeDeps): Promise<void> {
  try {
    const changes = await deps.store.changes();
    storeWorks(state, deps);
    if (changes === null) return;
    const now = deps.clock.now();
    for (const record of changes.stacks) takeStack(state, record);
    for (const record of changes.accounts) if (!isPassed(state, record.name)) state.accounts.set(record.name, record);
    for (const record of changes.sources) {
      const followed = state.sources.get(record.name);
      if (followed !== undefined && !followed.fetching) noteKept(state, followed, record, now);
    }
    for (const account of changes.abandoned)
      for (const { name } of state.byAccount.get(account) ?? []) hasten(state, name, now);
    deps.onChanges?.();
  } catch (error) {
    storeFailed(state, error, deps);
  }
}

/** What is being passed here is known better here; what is only asked for may be another process's. */
function isPassed({ claiming, passing }: ServeState, account: string): boolean {
  return passing.has(account) && !claiming.has(account);
}

function takeStack(state: ServeState, record: StackRecord): void {
  const account = state.targets.get(record.name)?.entry.account ?? record.account;
  if (isPassed(state, account)) return;
  setStack(state, record);
  forgetHaste(state, record);
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
