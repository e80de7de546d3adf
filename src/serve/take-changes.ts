import { isDeepStrictEqual } from "node:util";
import { storeFailed } from "./keep-records.js";
import type { StackRecord } from "./records.js";
import type { ServeDeps } from "./serve-deps.js";
import { type ServeState, clearDue, markDue, noteKept, setStack } from "./serve-state.js";
import { updateTargets } from "./update-targets.js";

export const changesEveryMs = 1000;

/** Takes over what others changed, so that every process knows how every stack is, and what is due. */
export async function takeChanges(state: ServeState, deps: ServeDeps): Promise<boolean> {
  try {
    const changes = await deps.store.changes();
    const now = deps.clock.now();
    for (const record of changes.stacks) takeStack(state, record);
    for (const record of changes.accounts) state.accounts.set(record.name, record);
    for (const record of changes.sources) noteKept(state, record, now);
    for (const account of changes.abandoned)
      for (const { name } of state.byAccount.get(account) ?? []) markDue(state, name, now);
    if (!isDeepStrictEqual(state.damaged, state.knownDamage)) await updateTargets(state, deps);
    return true;
  } catch (error) {
    storeFailed(state, error, deps);
    return false;
  }
}

function takeStack(state: ServeState, record: StackRecord): void {
  const { name } = record;
  // What was put right still failed until it is looked at.
  const refused = state.refusals.has(name) ? state.stacks.get(name)?.status : undefined;
  const { message, reason, since, state: shown } = refused ?? record.status;
  setStack(state, { ...record, status: { ...record.status, message, reason, since, state: shown } });
  // A look at the commit that is followed, begun after the stack was marked, is what that was for.
  const markedAt = state.marked.get(name);
  const { commit, lookedAt } = record.status;
  const source = state.targets.get(name)?.entry.source ?? "";
  const isSame = commit === (state.sources.get(source)?.expansion?.commit ?? null);
  if (markedAt !== undefined && lookedAt !== null && lookedAt >= markedAt && isSame) clearDue(state, name);
}
