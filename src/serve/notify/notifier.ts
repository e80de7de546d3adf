import type { Clock } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import type { FleetNotification, SecretSource } from "../fleet/fleet.js";
import type { ServeEvent } from "../serve-events.js";
import type { ServeStore } from "../store/store.js";
import { type Notification, receiverKey } from "./notification.js";
import type { SendNotification, SendOutcome } from "./send-notification.js";

export interface Notifier {
  wake(): void;
  close(graceMs: number): Promise<void>;
}

export interface NotifierOptions {
  readonly receivers: () => readonly FleetNotification[];
  readonly store: Pick<ServeStore, "claimNotification" | "removeNotification">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly send: SendNotification;
  /** Reads the URL of a receiver anew, and masks it from then on. */
  readonly readUrl: (source: SecretSource) => Promise<string>;
  readonly emit: (event: ServeEvent) => void;
}

const pollMs = 10_000;

const longestPauseMs = 300_000;
const longestTryMs = 24 * 3_600_000;

const mostRefusals = 5;

/** Sends to each receiver one notification after the other, and tries each again with growing pauses for a day. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { clock, random, receivers, store } = options;
  const closing = new AbortController();
  const working = new Map<string, Promise<void>>();
  const woken = new Set<string>();
  const failing = new Set<string>();

  const urlOf = (key: string): SecretSource | null =>
    receivers().find(({ url }) => receiverKey(url) === key)?.url ?? null;
  const attempt = async (source: SecretSource, notification: Notification): Promise<SendOutcome> => {
    try {
      return await options.send(await options.readUrl(source), notification, closing.signal);
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
      return { ok: false, message: error.message, passes: true, pauseMs: null };
    }
  };
  const report = (key: string, source: SecretSource, outcome: SendOutcome): void => {
    const receiver = "file" in source ? source.file : source.env;
    if (outcome.ok && failing.delete(key)) options.emit({ event: "notify-recovered", receiver });
    if (outcome.ok || failing.has(key)) return;
    failing.add(key);
    options.emit({ event: "notify-failed", receiver, message: outcome.message });
  };
  const work = async (key: string): Promise<void> => {
    let [id, attempts] = ["", 0];
    for (let source = urlOf(key); source !== null && !closing.signal.aborted; source = urlOf(key)) {
      woken.delete(key);
      const next = await store.claimNotification(key);
      if (next === null && woken.has(key)) continue;
      if (next === null) return void working.delete(key);
      attempts = next.id === id ? attempts + 1 : 1;
      ({ id } = next);
      const outcome = await attempt(source, next.notification);
      if (closing.signal.aborted && !outcome.ok) return;
      report(key, source, outcome);
      const isRefused = !outcome.ok && !outcome.passes && attempts >= mostRefusals;
      if (outcome.ok || isRefused || clock.now() - next.since >= longestTryMs) await store.removeNotification(id);
      else await clock.sleep(pauseAfter(attempts, outcome.pauseMs, random), closing.signal);
    }
  };
  const wake = (): void => {
    for (const { url } of receivers()) {
      const key = receiverKey(url);
      woken.add(key);
      if (working.has(key) || closing.signal.aborted) continue;
      const ended = work(key)
        // What the store refuses now is sent later: the loop tells that it can't be used.
        .catch((error: unknown) => {
          if (error instanceof EdgewiseError) return;
          options.emit({ event: "bug", subject: "notifications", message: String(error) });
        })
        .finally(() => working.delete(key));
      working.set(key, ended);
    }
  };
  const poll = async (): Promise<void> => {
    for (; !closing.signal.aborted; await clock.sleep(pollMs, closing.signal)) wake();
  };
  void poll();
  return {
    wake,
    async close(graceMs) {
      wake();
      const over = new AbortController();
      await Promise.race([Promise.all(working.values()), clock.sleep(graceMs, over.signal)]);
      over.abort();
      closing.abort();
    },
  };
}

function pauseAfter(attempt: number, askedMs: number | null, random: () => number): number {
  const most = Math.min(longestPauseMs, 1000 * 2 ** Math.min(attempt, 20));
  return Math.max(most * (0.5 + 0.5 * random()), Math.min(askedMs ?? 0, longestPauseMs));
}
