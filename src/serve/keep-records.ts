import {
  type Notification,
  brakeNotification,
  outboxOf,
  stackNotifications,
  withFailing,
} from "./notify/notification.js";
import type { ShownState, StackRecord } from "./records.js";
import { stateChanged } from "./serve-events.js";
import type { AccountOutcome, StackOutcome } from "./serve-deps.js";
import type { ServeState } from "./serve-state.js";
import type { AccountClaim, Saved } from "./store/store.js";

const savedAtOnce = 500;

const mostUnsaved = 10_000;

export async function keepOutcome(
  state: ServeState,
  { account, stacks }: AccountOutcome,
  claim: AccountClaim,
): Promise<void> {
  const before = state.accounts.get(account.name);
  const isNews = account.brake !== null && account.brake.since !== before?.brake?.since;
  const notifications = isNews && account.brake !== null ? [brakeNotification(account.name, account.brake)] : [];
  await save(state, { accounts: [account], stacks: [], history: [], notifications }, claim);
  await keepStacks(state, stacks, claim);
}

export async function keepStacks(
  state: ServeState,
  outcomes: readonly StackOutcome[],
  claim: AccountClaim,
): Promise<void> {
  const changed = outcomes.flatMap(({ history, record }) => {
    const known = state.stacks.get(record.name) ?? null;
    const isTarget = state.targets.has(record.name);
    if (!isTarget && known === null) return [];
    // Orphaned meanwhile, its state stays, and what was learned is kept.
    const next = withFailing(isTarget || known === null ? record : { ...record, status: known.status });
    return [{ before: known, record: next, history: history.filter(({ event }) => isTarget || event !== "state") }];
  });
  for (let from = 0; from < changed.length; from += savedAtOnce) {
    const some = changed.slice(from, from + savedAtOnce);
    const notifications = some.flatMap(({ before, history, record }) => {
      const braked = (state.accounts.get(record.account)?.brake ?? null) !== null;
      return stackNotifications(before, record, { entered: history.some(({ event }) => event === "state"), braked });
    });
    const history = some.flatMap(({ history: own }) => own);
    await save(state, { accounts: [], stacks: some.map(({ record }) => record), history, notifications }, claim);
  }
}

export function entering({ name, status, ...record }: StackRecord, entered: ShownState, now: number): StackOutcome {
  const same = status.state === entered.state && status.reason === entered.reason;
  const next = { ...status, ...entered, digest: null, since: same ? status.since : now };
  const { commit, impact, message, state } = next;
  const about = { at: new Date(now).toISOString(), stack: name, commit, impact, message };
  const entry = { ...about, event: "state", outcome: state, operations: [], approval: null };
  return { record: withFailing({ ...record, name, status: next }), history: same ? [] : [entry] };
}

export async function enterState(state: ServeState, before: StackRecord, entered: ShownState): Promise<void> {
  const { record, history } = entering(before, entered, state.now());
  if (history.length === 0 && before.status.message === entered.message && state.stacks.has(before.name)) return;
  const notifications = stackNotifications(before, record, { entered: history.length > 0, braked: false });
  if (!(await save(state, { accounts: [], stacks: [record], history, notifications }, null))) return;
  if (history.length > 0) state.deps.emit(stateChanged(before.status, record));
}

export async function forgetStack(state: ServeState, name: string): Promise<void> {
  try {
    await state.deps.store.forgetStack(name);
  } catch (error) {
    state.storeFailed(error);
    return;
  }
  state.stacks.delete(name);
  state.unsaved.stacks.delete(name);
  state.deps.emit({ event: "stack-forgotten", stack: name });
}

interface Kept extends Omit<Saved, "outbox"> {
  readonly notifications: readonly Notification[];
}

async function save(state: ServeState, { notifications, ...kept }: Kept, claim: AccountClaim | null): Promise<boolean> {
  const outbox = outboxOf(state.fleet, notifications, state.now());
  try {
    if (!(await state.deps.store.save({ ...kept, outbox }, claim))) return false;
    for (const { name } of kept.stacks) state.unsaved.stacks.delete(name);
    for (const { name } of kept.accounts) state.unsaved.accounts.delete(name);
    state.storeWorks();
  } catch (error) {
    state.storeFailed(error);
    if (state.deps.store.shared && claim === null) return false;
    // Records of what several processes know are made anew by the next look.
    remember(state, state.deps.store.shared ? { ...kept, accounts: [], stacks: [], outbox } : { ...kept, outbox });
  }
  for (const record of kept.accounts) state.accounts.set(record.name, record);
  for (const record of kept.stacks) state.setStack(record);
  if (outbox.length > 0) state.deps.onOutbox();
  return true;
}

function remember({ unsaved }: ServeState, { accounts, history, outbox, stacks }: Saved): void {
  unsaved.history = [...unsaved.history, ...history].slice(-mostUnsaved);
  unsaved.outbox = [...unsaved.outbox, ...outbox].slice(-mostUnsaved);
  for (const { name } of stacks) unsaved.stacks.add(name);
  for (const { name } of accounts) unsaved.accounts.add(name);
}

export async function saveUnsaved(state: ServeState): Promise<void> {
  const { history, outbox, ...names } = state.unsaved;
  const accounts = [...names.accounts].flatMap((name) => state.accounts.get(name) ?? []);
  const stacks = [...names.stacks].flatMap((name) => state.stacks.get(name) ?? []);
  if (accounts.length + history.length + outbox.length + stacks.length === 0) {
    if (state.isStoreDown && (await state.deps.store.isUsable())) state.storeWorks();
    return;
  }
  state.unsaved = { stacks: new Set(), accounts: new Set(), history: [], outbox: [] };
  try {
    await state.deps.store.save({ accounts, stacks, history, outbox }, null);
    state.storeWorks();
    if (outbox.length > 0) state.deps.onOutbox();
  } catch (error) {
    const later = state.unsaved;
    state.unsaved = { ...later, history: [], outbox: [] };
    remember(state, {
      accounts,
      stacks,
      history: [...history, ...later.history],
      outbox: [...outbox, ...later.outbox],
    });
    state.storeFailed(error);
  }
}
