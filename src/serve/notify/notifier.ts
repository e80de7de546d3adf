import { createHash } from "node:crypto";
import type { Clock } from "../../api/client.js";
import { EdgewiseError } from "../../errors.js";
import type { Fleet, FleetNotification, SecretSource } from "../fleet/fleet.js";
import type { AccountRecord, StackRecord, ToldRecord } from "../records.js";
import type { ServeEvent } from "../serve-events.js";
import type { ServeStore } from "../store/store.js";
import {
  type Notice,
  type Telling,
  type Told,
  accountTelling,
  healTelling,
  nothingTold,
  stackTelling,
} from "./notices.js";
import {
  type Notification,
  accountSubject,
  brakeNotification,
  healNotification,
  stackNotification,
} from "./notification.js";
import { type ReceiverQueue, createReceiverQueue } from "./receiver-queue.js";
import type { SendNotification, SendOutcome } from "./send-notification.js";

/** Tells the receivers of the fleet file what changed. Nothing that the loop does waits for it. */
export interface Notifier {
  /** Takes note that something may have changed. Returns at once, and never throws. */
  onEvent(event: ServeEvent): void;
  /** Tells what there is to tell, waits at most so many milliseconds until it is told, and ends. */
  close(graceMs: number): Promise<void>;
}

/** What the notifier sees: the loop's state, which it only reads. */
export interface NotifiedState {
  readonly fleet: Fleet;
  readonly stacks: ReadonlyMap<string, StackRecord>;
  readonly accounts: ReadonlyMap<string, AccountRecord>;
}

export interface NotifierOptions {
  readonly state: NotifiedState;
  readonly store: Pick<ServeStore, "loadTold" | "saveTold">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly send: SendNotification;
  /** Reads the URL of a receiver anew, and masks it from then on. @throws EdgewiseError when it can't */
  readonly readUrl: (source: SecretSource) => Promise<string>;
  readonly mask: (text: string) => string;
  readonly emit: (event: ServeEvent) => void;
}

/** Events after which a record may be another. */
const telling = new Set<ServeEvent["event"]>(["state-changed", "account-looked", "fleet-loaded", "stack-forgotten"]);

/** Changes that come together are looked at together: how long after the first. */
const gatherMs = 200;

/**
 * Compares the records with what was told of them, whenever something may have changed. So what is told follows from what
 * is kept: nothing is told twice after a restart, and nothing is lost that still holds.
 * @throws EdgewiseError `io` when the store can't be read
 */
export async function createNotifier(options: NotifierOptions): Promise<Notifier> {
  const { clock, mask, state } = options;
  const kept = new Map(await options.store.loadTold());
  const closing = new AbortController();
  const receivers = new Map<string, Receiver>();
  const seen = new Map<string, StackRecord | AccountRecord>();
  let gathering = false;

  const open = (key: string, { on, url }: FleetNotification): Receiver => {
    const told = new Map([...kept].flatMap(([name, record]) => toldOf(record, key).map((each) => [name, each])));
    const ended = new AbortController();
    const signal = AbortSignal.any([closing.signal, ended.signal]);
    const queue = createReceiverQueue({
      send: (notification) => sendTo(url, notification, options, signal),
      clock,
      random: options.random,
      signal,
      onFailure: (message) => options.emit({ event: "notify-failed", receiver: placeOf(url), message: mask(message) }),
      onRecovery: () => options.emit({ event: "notify-recovered", receiver: placeOf(url) }),
    });
    return { key, on: new Set(on), queue, told, end: () => ended.abort() };
  };
  const tell = (receiver: Receiver, subject: string, next: Telling, body: (notice: Notice) => Notification): void => {
    const before = receiver.told.get(subject) ?? nothingTold;
    if (next.notices.length === 0 && sameTold(next.told, before)) return;
    receiver.told.set(subject, next.told);
    const wanted = next.notices.filter(({ event }) => receiver.on.has(event));
    const keep = (): Promise<void> => keepTold(kept, { subject, key: receiver.key, told: next.told }, options);
    for (const notice of wanted.slice(0, -1)) receiver.queue.add({ notification: body(notice), done: async () => {} });
    const last = wanted.at(-1);
    receiver.queue.add({ notification: last === undefined ? null : body(last), done: keep });
  };
  const look = (): void => {
    const changed = syncReceivers(receivers, state.fleet.notify, open);
    if (changed) seen.clear();
    if (receivers.size === 0) return;
    for (const account of state.accounts.values()) {
      const subject = accountSubject(account.name);
      if (seen.get(subject) === account) continue;
      seen.set(subject, account);
      for (const receiver of receivers.values()) {
        const next = accountTelling(account.brake, receiver.told.get(subject) ?? nothingTold);
        tell(receiver, subject, next, (notice) => brakeNotification(account, notice, mask));
      }
    }
    for (const record of state.stacks.values()) {
      const { account, name, status } = record;
      if (seen.get(name) === record) continue;
      seen.set(name, record);
      const braked = (state.accounts.get(account)?.brake ?? null) !== null;
      for (const receiver of receivers.values()) {
        const next = stackTelling(status, receiver.told.get(name) ?? nothingTold, braked);
        tell(receiver, name, next, (notice) => stackNotification(record, notice, mask));
      }
    }
    forgetGone(state, { kept, receivers: [...receivers.values()], seen });
  };
  const heal = ({ drift, impact, stack }: Extract<ServeEvent, { event: "apply-started" }>): void => {
    const record = state.stacks.get(stack);
    if (record === undefined || drift === 0) return;
    for (const receiver of receivers.values()) {
      const next = healTelling(receiver.told.get(stack) ?? nothingTold, clock.now());
      tell(receiver, stack, next, (notice) => healNotification(record, notice, { changes: drift, impact }));
    }
  };
  const gather = async (): Promise<void> => {
    gathering = true;
    await clock.sleep(gatherMs, closing.signal);
    gathering = false;
    if (!closing.signal.aborted) look();
  };
  look();
  return {
    onEvent(event) {
      if (closing.signal.aborted) return;
      if (event.event === "apply-started") heal(event);
      if (telling.has(event.event) && !gathering) void gather();
    },
    async close(graceMs) {
      look();
      const ended = new AbortController();
      const idle = Promise.all([...receivers.values()].map(({ queue }) => queue.idle()));
      await Promise.race([idle, clock.sleep(graceMs, ended.signal)]);
      ended.abort();
      closing.abort();
    },
  };
}

/** Who is told, and of what he was told or is about to be. */
interface Receiver {
  readonly key: string;
  readonly on: ReadonlySet<Notice["event"]>;
  readonly queue: ReceiverQueue;
  readonly told: Map<string, Told>;
  /** What still waits for it is dropped. */
  readonly end: () => void;
}

/** Takes over the receivers of the fleet file. Whether there are new ones. */
function syncReceivers(
  receivers: Map<string, Receiver>,
  wanted: readonly FleetNotification[],
  open: (key: string, wanted: FleetNotification) => Receiver,
): boolean {
  const byKey = new Map<string, FleetNotification>();
  for (const { on, url } of wanted) {
    const key = createHash("sha256").update(JSON.stringify(url)).digest("hex").slice(0, 16);
    byKey.set(key, { url, on: [...(byKey.get(key)?.on ?? []), ...on] });
  }
  for (const [key, { end }] of receivers) {
    if (byKey.has(key)) continue;
    end();
    receivers.delete(key);
  }
  let isNew = false;
  for (const [key, each] of byKey) {
    const known = receivers.get(key);
    isNew ||= known === undefined;
    receivers.set(key, known === undefined ? open(key, each) : { ...known, on: new Set(each.on) });
  }
  return isNew;
}

function toldOf({ told }: ToldRecord, receiver: string): readonly Told[] {
  const known = told[receiver];
  return known === undefined ? [] : [known];
}

function sameTold(one: Told, other: Told): boolean {
  return one.event === other.event && one.since === other.since && one.drift === other.drift;
}

async function sendTo(
  source: SecretSource,
  notification: Notification,
  { readUrl, send }: NotifierOptions,
  signal: AbortSignal,
): Promise<SendOutcome> {
  try {
    return await send(await readUrl(source), notification, signal);
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    return { ok: false, message: error.message, passes: true, pauseMs: null };
  }
}

/** Where a URL is kept, which itself is a secret. */
function placeOf(source: SecretSource): string {
  return "file" in source ? source.file : source.env;
}

/** Keeps what a receiver has been told. When it can't be kept, it is told again after a restart. */
async function keepTold(
  kept: Map<string, ToldRecord>,
  { key, subject, told }: { readonly key: string; readonly subject: string; readonly told: Told },
  { store }: NotifierOptions,
): Promise<void> {
  const record = { name: subject, told: { ...kept.get(subject)?.told, [key]: told } };
  kept.set(subject, record);
  await store.saveTold(record).catch(() => undefined);
}

/** Forgets what is no longer there: if it comes back, it is told of anew. */
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
