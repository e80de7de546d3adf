import { isDeepStrictEqual } from "node:util";
import type { AccountOutcome } from "./pass/pass.js";
import type { HistoryEntry, SourceRecord, StackRecord, StackStatus } from "./records.js";
import type { ServeDeps } from "./serve-deps.js";
import { type ServeState, setStack } from "./serve-state.js";
import { recordKey } from "./store/state-file-name.js";

type KeepDeps = Pick<ServeDeps, "store" | "emit" | "clock" | "mask">;

/** So many files are saved at once: each waits for the disk twice. */
const writers = 8;

/** A database gathers what is saved at once: no pass should wait for its disk more often than it must. */
function writersOf({ shared }: ServeDeps["store"]): number {
  return shared ? Infinity : writers;
}

/**
 * A look that found what the one before found is saved when the saved one is so many intervals old: after a crash nothing
 * looks older than it may be, and thousands of stacks at rest cost little.
 */
const longestUnsaved = 1.5;

/** Keeps what became of an account's due stacks. */
export async function keepOutcome(state: ServeState, outcome: AccountOutcome, deps: KeepDeps): Promise<void> {
  const { account, stacks } = outcome;
  const before = state.accounts.get(account.name);
  state.accounts.set(account.name, account);
  if (!isDeepStrictEqual(before, account) || state.unsaved.has(accountKey(account.name)))
    await save(state, accountKey(account.name), deps);
  await atOnce(stacks, writersOf(deps.store), async ({ record, history }) => {
    const known = state.stacks.get(record.name);
    // It may have been orphaned while it was passed: then its state stays, and what was learned is kept.
    if (!state.targets.has(record.name)) {
      if (known !== undefined) await keepStack(state, { ...record, status: known.status }, history, deps);
    } else if (!deps.store.shared && history.length === 0 && known !== undefined && isRenewal(state, known, record)) {
      setStack(state, record);
      state.renewed.add(record.name);
    } else await keepStack(state, record, history, deps);
  });
}

/** Whether a record says nothing new but that the stack was looked at again, and the saved one is young enough. */
function isRenewal({ savedLooks, targets, unsaved }: ServeState, known: StackRecord, record: StackRecord): boolean {
  const { intervalMs } = targets.get(record.name)?.entry.policy ?? { intervalMs: 0 };
  const { lookedAt } = record.status;
  const saved = savedLooks.get(record.name);
  const isYoung = saved !== undefined && lookedAt !== null && Math.abs(lookedAt - saved) < longestUnsaved * intervalMs;
  return isYoung && !unsaved.has(stackKey(record.name)) && isDeepStrictEqual(findingOf(known), findingOf(record));
}

/** A record without what every look changes; of a stack in sync, that is the commit, too. */
function findingOf({ status, ...record }: StackRecord): unknown {
  const { lookedAt: _, nextLook: __, ...found } = status;
  return { ...record, ...found, ...(status.state === "synced" ? { commit: null, appliedCommit: null } : {}) };
}

/** Saves the looks that were not worth it yet, before the process ends. */
export async function saveRenewed(state: ServeState, deps: KeepDeps): Promise<void> {
  await atOnce([...state.renewed], writers, (name) => save(state, stackKey(name), deps));
}

/**
 * Keeps what a fetch gave.
 * @param before what the store had of it before the fetch
 * @returns false when another process meanwhile followed it to another commit, or nobody knows whether one did
 */
export async function keepSource(
  state: ServeState,
  record: SourceRecord,
  before: SourceRecord | null,
  deps: KeepDeps,
): Promise<boolean> {
  const key = sourceKey(record.name);
  if (state.damaged.has(recordKey("source", record.name))) return true;
  try {
    if (!(await deps.store.saveSource(record, before))) return false;
  } catch (error) {
    if (!deps.store.shared) state.unsaved.add(key);
    storeFailed(state, error, deps);
    return !deps.store.shared;
  }
  state.unsaved.delete(key);
  storeWorks(state, deps);
  return true;
}

/** A stack enters a state without a look; nothing happens when it is in that state for that reason already. */
export async function enterState(
  state: ServeState,
  record: StackRecord,
  entered: Pick<StackStatus, "state" | "reason" | "message">,
  deps: KeepDeps,
): Promise<void> {
  const { status } = record;
  // Another process saw the same, and was first, while this one passed the stack's account.
  const elsewhere = state.deferred.stacks.get(record.name)?.record;
  if (elsewhere?.status.state === entered.state && elsewhere.status.reason === entered.reason) {
    state.deferred.stacks.delete(record.name);
    setStack(state, elsewhere);
    return;
  }
  const same = status.state === entered.state && status.reason === entered.reason;
  if (same && status.message === entered.message && state.stacks.has(record.name)) return;
  const now = deps.clock.now();
  const next = { ...status, ...entered, digest: null, since: same ? status.since : now };
  const { commit, impact } = next;
  const happened = { outcome: entered.state, impact, message: entered.message };
  const history: HistoryEntry = {
    at: new Date(now).toISOString(),
    stack: record.name,
    commit,
    event: "state",
    operations: [],
    approval: null,
    ...happened,
  };
  const entries = same ? [] : [history];
  if (!deps.store.shared || state.damaged.has(recordKey("stack", record.name)))
    await keepStack(state, { ...record, status: next }, entries, deps);
  else if (!(await keepTransition(state, { ...record, status: next }, entries, deps))) return;
  if (!same)
    deps.emit({
      event: "state-changed",
      stack: record.name,
      from: status.state,
      to: entered.state,
      reason: entered.reason,
      commit,
      impact,
      message: entered.message,
    });
}

/** Forgets a stack: its history stays. */
export async function forgetStack(state: ServeState, name: string, deps: KeepDeps): Promise<void> {
  state.stacks.delete(name);
  state.renewed.delete(name);
  state.savedLooks.delete(name);
  await save(state, stackKey(name), deps);
  deps.emit({ event: "stack-forgotten", stack: name });
}

/** Saves again what could not be saved. */
export async function saveUnsaved(state: ServeState, deps: KeepDeps): Promise<void> {
  let failed = false;
  await atOnce([...state.unsaved], writers, async (key) => {
    // The store is still not usable: the rest would fail as well.
    if (failed) return;
    await save(state, key, deps);
    failed = state.unsaved.has(key);
  });
}

/** Works on all, a few at a time. */
async function atOnce<T>(all: readonly T[], most: number, work: (one: T) => Promise<void>): Promise<void> {
  const pending = all.values();
  const worker = async (): Promise<void> => {
    for (const one of pending) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, worker));
}

/** Keeps a state that was entered without a pass, unless another process was there before. Whether it is kept. */
async function keepTransition(
  state: ServeState,
  record: StackRecord,
  history: readonly HistoryEntry[],
  deps: KeepDeps,
): Promise<boolean> {
  try {
    if (!(await deps.store.saveTransition(record, history))) return false;
  } catch (error) {
    storeFailed(state, error, deps);
    return false;
  }
  setStack(state, record);
  storeWorks(state, deps);
  return true;
}

async function keepStack(
  state: ServeState,
  record: StackRecord,
  history: readonly HistoryEntry[],
  deps: KeepDeps,
): Promise<void> {
  setStack(state, record);
  if (history.length > 0) {
    state.unsavedHistory.push(...history.slice(-mostUnsavedHistory));
    const saved = save(state, historyKey, deps);
    const savedBefore = state.historySaved;
    state.historySaved = saved.then(() => savedBefore);
    await saved;
  }
  // After its history: whoever reads a saved record finds there how it came to it, also after a kill.
  await save(state, stackKey(record.name), deps);
}

/** While the store can't be written, no more history than this is held in memory. */
const mostUnsavedHistory = 10_000;

const historyKey = "history of all";
const stackKey = (name: string): string => `stack ${name}`;
const accountKey = (name: string): string => `account ${name}`;
const sourceKey = (name: string): string => `source ${name}`;

/**
 * Saves what is known now. What fails is noted, told once, and saved later: the loop goes on looking. Of what another
 * process may have saved meanwhile, history alone is saved later: what became of the rest, the next pass sees.
 */
async function save(state: ServeState, key: string, deps: KeepDeps): Promise<void> {
  try {
    await write(state, key, deps);
  } catch (error) {
    if (!deps.store.shared || key === historyKey) state.unsaved.add(key);
    storeFailed(state, error, deps);
    return;
  }
  state.unsaved.delete(key);
  storeWorks(state, deps);
}

/** Tells once that the store can't be used. */
export function storeFailed(state: ServeState, error: unknown, { emit, mask }: Pick<KeepDeps, "emit" | "mask">): void {
  if (state.storeFailed) return;
  state.storeFailed = true;
  emit({ event: "store-failed", message: mask(error instanceof Error ? error.message : String(error)) });
}

/** Tells that the store can't be read, and once more when something else is the reason by now. */
export function storeUnread(state: ServeState, error: unknown, deps: Pick<KeepDeps, "emit" | "mask">): void {
  const message = error instanceof Error ? error.message : String(error);
  if (state.unread !== null && state.unread !== message) state.storeFailed = false;
  state.unread = message;
  storeFailed(state, error, deps);
}

/** Tells once that the store can be used again, when nothing waits to be saved any more. */
export function storeWorks(state: ServeState, { emit }: Pick<KeepDeps, "emit">): void {
  if (!state.storeFailed || state.unsaved.size > 0) return;
  state.storeFailed = false;
  emit({ event: "store-recovered" });
}

async function write(state: ServeState, key: string, { store }: KeepDeps): Promise<void> {
  const [what, name] = [key.slice(0, key.indexOf(" ")), key.slice(key.indexOf(" ") + 1)];
  if (what === "history") return writeHistory(state, store);
  // Whoever puts it right finds it as it was.
  if (state.damaged.has(recordKey(what, name))) return;
  const stack = state.stacks.get(name);
  if (what === "stack") return stack === undefined ? store.forgetStack(name) : writeStack(state, stack, store);
  const account = state.accounts.get(name);
  if (what === "account" && account !== undefined) return store.saveAccount(account);
  const source = state.sources.get(name)?.record ?? null;
  if (what === "source" && source !== null) await store.saveSource(source, null);
}

async function writeStack(state: ServeState, stack: StackRecord, store: KeepDeps["store"]): Promise<void> {
  const { lookedAt } = stack.status;
  state.renewed.delete(stack.name);
  await store.saveStack(stack);
  if (lookedAt !== null) state.savedLooks.set(stack.name, lookedAt);
}

async function writeHistory(state: ServeState, store: KeepDeps["store"]): Promise<void> {
  const entries = state.unsavedHistory.splice(0);
  if (entries.length === 0) return;
  try {
    await store.appendHistory(entries);
  } catch (error) {
    state.unsavedHistory.unshift(...entries.slice(-mostUnsavedHistory));
    throw error;
  }
}
