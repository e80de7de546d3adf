import type { Fleet, FleetNotification } from "../fleet/fleet.js";
import type { AccountRecord, StackRecord, ToldRecord } from "../records.js";
import type { ServeStore, StoredHeal } from "../store/store.js";
import type { Deliveries } from "./deliveries.js";
import {
  type Notice,
  type Telling,
  type Told,
  accountTelling,
  healTelling,
  nothingTold,
  sameTold,
  stackTelling,
  toldAfter,
} from "./notices.js";
import {
  type Notification,
  accountSubject,
  brakeNotification,
  healNotification,
  stackNotification,
} from "./notification.js";
import { type Receiver, syncReceivers, toldBefore } from "./receivers.js";

/** What the notifier sees: the loop's state, which it only reads. */
export interface NotifiedState {
  readonly fleet: Fleet;
  readonly stacks: ReadonlyMap<string, StackRecord>;
  readonly accounts: ReadonlyMap<string, AccountRecord>;
}

/** What telling needs. */
export interface TermParts {
  readonly state: NotifiedState;
  readonly store: Pick<ServeStore, "shared" | "saveTold">;
  readonly deliveries: Deliveries;
  /** Whether this process still tells. When it does not, the term is ended. */
  readonly mayTell: () => boolean;
  /** The end of the process. */
  readonly closing: AbortSignal;
}

/** Drift that is put back at once. */
export type PutBack = Omit<StoredHeal, "id">;

/** The time from when this process began to be the one that tells, until it no longer is. */
export interface TellingTerm {
  /** Compares the records with what was told of them, and tells what is new. */
  look(): void;
  /** Tells of drift that is put back, unless that was done. */
  heal(heal: PutBack): void;
  /** Whether all receivers were told of it, or it was given up for them, or need not be told. */
  isDone(heal: PutBack): boolean;
  /** Saves again what could not be saved. @throws when that still can't be */
  saveUnsaved(): Promise<void>;
  /** Resolves when nothing waits to be sent. */
  idle(): Promise<void>;
  /** Drops what waits: the next one that tells finds what is not kept as told. */
  end(): void;
}

/** @param stored what was told, as it is kept now */
export function createTerm(stored: ReadonlyMap<string, ToldRecord>, parts: TermParts): TellingTerm {
  const { closing, deliveries, mayTell, state, store } = parts;
  const kept = new Map(stored);
  const ended = new AbortController();
  const receivers = new Map<string, Receiver>();
  const seen = new Map<string, StackRecord | AccountRecord>();
  const unsaved = new Set<string>();

  const open = (key: string, { on, url }: FleetNotification): Receiver => {
    const removed = new AbortController();
    const cutOff = AbortSignal.any([closing, removed.signal]);
    const queue = deliveries.open(key, url, { ended: ended.signal, cutOff, maySend: mayTell });
    return { key, on: new Set(on), queue, told: toldBefore(kept, key), end: () => removed.abort() };
  };
  /** Whether it is kept. When it is not, it is told again after a restart, or by the next one that tells. */
  const keep = async ({ key, told: known }: Receiver, subject: string, told: Told): Promise<boolean> => {
    // What another process keeps by now is not replaced by what is known here.
    if (!mayTell()) return false;
    // What was forgotten meanwhile stays so.
    if (!known.has(subject)) return true;
    kept.set(subject, { name: subject, told: { ...kept.get(subject)?.told, [key]: told } });
    unsaved.add(subject);
    await save(subject).catch(() => undefined);
    return !unsaved.has(subject);
  };
  const save = async (subject: string): Promise<void> => {
    const record = kept.get(subject);
    if (record !== undefined) await store.saveTold(record);
    if (kept.get(subject) === record) unsaved.delete(subject);
  };
  const tell = (receiver: Receiver, subject: string, next: Telling, body: (notice: Notice) => Notification): void => {
    const before = receiver.told.get(subject) ?? nothingTold;
    if (next.notices.length === 0 && sameTold(next.told, before)) return;
    receiver.told.set(subject, next.told);
    const steps: { notification: Notification | null; told: Told }[] = [];
    let reached = before;
    for (const notice of next.notices) {
      const found = { ...reached, found: notice.since };
      reached = toldAfter(reached, notice);
      if (!receiver.on.has(notice.event)) continue;
      // Kept before it is sent: who tells after this process calls it the same.
      if (store.shared && notice.event === "drift") steps.push({ notification: null, told: found });
      steps.push({ notification: body(notice), told: reached });
    }
    const last = steps.pop()?.notification ?? null;
    steps.push({ notification: last, told: next.told });
    for (const { notification, told } of steps) {
      const done = async (): Promise<void> => {
        const isKept = await keep(receiver, subject, told);
        if (isKept && notification !== null) deliveries.forget(receiver.key, notification.id);
      };
      receiver.queue.add({ notification, done });
    }
  };
  const lookAtAccount = (account: AccountRecord): void => {
    const subject = accountSubject(account.name);
    if (seen.get(subject) === account) return;
    seen.set(subject, account);
    for (const receiver of receivers.values()) {
      const next = accountTelling(account.brake, receiver.told.get(subject) ?? nothingTold);
      tell(receiver, subject, next, (notice) => brakeNotification(account, notice));
    }
  };
  const lookAtStack = (record: StackRecord): void => {
    const { account, name, status } = record;
    if (seen.get(name) === record) return;
    seen.set(name, record);
    const braked = (state.accounts.get(account)?.brake ?? null) !== null;
    for (const receiver of receivers.values()) {
      const next = stackTelling(status, receiver.told.get(name) ?? nothingTold, braked);
      tell(receiver, name, next, (notice) => stackNotification(record, notice));
    }
  };
  const sync = (): void => {
    if (syncReceivers(receivers, state.fleet.notify, open)) seen.clear();
  };
  return {
    look() {
      sync();
      if (receivers.size === 0) return;
      for (const account of state.accounts.values()) lookAtAccount(account);
      for (const record of state.stacks.values()) lookAtStack(record);
      forgetGone(state, { kept, receivers: [...receivers.values()], seen });
    },
    heal({ at, changes, impact, stack }) {
      const record = state.stacks.get(stack);
      if (record === undefined) return;
      sync();
      const isAfter = (record.status.lookedAt ?? 0) > at;
      // What was known before it was put back, or while nobody knew whether it was, comes first.
      if (store.shared && !isAfter) lookAtStack(record);
      for (const receiver of receivers.values()) {
        const told = receiver.told.get(stack) ?? nothingTold;
        if (at <= (told.healed ?? 0)) continue;
        const next = healTelling(told, at);
        const telling = store.shared ? { ...next, told: { ...next.told, healed: at } } : next;
        tell(receiver, stack, telling, (notice) => healNotification(record, notice, { changes, impact }));
        // A record from after it says whether it is put back; it may have been seen before.
        if (isAfter) seen.delete(stack);
      }
      if (store.shared && isAfter) lookAtStack(record);
    },
    isDone({ at, stack }) {
      sync();
      return [...receivers.keys()].every((key) => at <= (kept.get(stack)?.told[key]?.healed ?? 0));
    },
    async saveUnsaved() {
      for (const subject of unsaved) if (mayTell()) await save(subject);
    },
    idle: async () => void (await Promise.all([...receivers.values()].map(({ queue }) => queue.idle()))),
    end: () => ended.abort(),
  };
}

/**
 * Forgets what was there while this process told, and no longer is: if it comes back, it is told of anew. What this process
 * does not know yet, because another one found it, stays.
 */
function forgetGone(
  { accounts, stacks }: NotifiedState,
  {
    kept,
    receivers,
    seen,
  }: {
    readonly kept: Map<string, ToldRecord>;
    readonly receivers: readonly Receiver[];
    readonly seen: Map<string, unknown>;
  },
): void {
  const subjects = stacks.size + accounts.size;
  if (seen.size <= subjects) return;
  const known = new Set([...stacks.keys(), ...[...accounts.keys()].map(accountSubject)]);
  for (const name of seen.keys()) {
    if (known.has(name)) continue;
    seen.delete(name);
    kept.delete(name);
    for (const { told } of receivers) told.delete(name);
  }
}
