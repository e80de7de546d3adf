import type { Clock } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import type { FleetNotification, SecretSource } from "../fleet/fleet.js";
import type { ServeEvent } from "../serve-events.js";
import type { ServeStore } from "../store/store.js";
import { type Notification, receiverKey } from "./notification.js";
import { createDispatcher, createTransport } from "../../api/transport.js";
import { receiverUrl } from "../../config/api-config.js";

export type Notifier = ReturnType<typeof createNotifier>;

type NotifierOptions = Readonly<{
  receivers: () => readonly FleetNotification[];
  store: Pick<ServeStore, "claimNotification" | "removeNotification">;
  clock: Clock;
  random: () => number;
  send: SendNotification;
  readUrl: (source: SecretSource) => Promise<string>;
  emit: (event: ServeEvent) => void;
}>;

const pollMs = 10_000;
const longestPauseMs = 300_000;
const longestTryMs = 24 * 3_600_000;
const mostRefusals = 5;

export function createNotifier(options: NotifierOptions) {
  const { clock, emit, random, receivers, store } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const working = new Map<string, Promise<void>>();
  const failing = new Set<string>();

  const attempt = async (source: SecretSource, notification: Notification): Promise<SendOutcome> => {
    try {
      return await options.send(await options.readUrl(source), notification, signal);
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
      return failed(error.message, true);
    }
  };
  const report = (key: string, source: SecretSource, outcome: SendOutcome): void => {
    const receiver = "file" in source ? source.file : source.env;
    if (outcome.ok && failing.delete(key)) emit({ event: "notify-recovered", receiver });
    if (outcome.ok || failing.has(key)) return;
    failing.add(key);
    emit({ event: "notify-failed", receiver, message: outcome.message });
  };
  const work = async (key: string): Promise<void> => {
    let [id, attempts] = ["", 0];
    while (!signal.aborted) {
      const source = receivers().find(({ url }) => receiverKey(url) === key)?.url;
      const next = source === undefined ? null : await store.claimNotification(key);
      if (source === undefined || next === null) return;
      attempts = next.id === id ? attempts + 1 : 1;
      ({ id } = next);
      const outcome = await attempt(source, next.notification);
      if (signal.aborted && !outcome.ok) return;
      report(key, source, outcome);
      const isRefused = !outcome.ok && !outcome.passes && attempts >= mostRefusals;
      if (outcome.ok || isRefused || clock.now() - next.since >= longestTryMs) await store.removeNotification(id);
      else await clock.sleep(pauseAfter(attempts, random), signal);
    }
  };
  const wake = (): void => {
    for (const { url } of receivers()) {
      const key = receiverKey(url);
      if (working.has(key) || signal.aborted) continue;
      const ended = work(key)
        // The loop tells that the store can't be used.
        .catch((error: unknown) => {
          if (!(error instanceof EdgewiseError))
            emit({ event: "bug", subject: "notifications", message: String(error) });
        })
        .finally(() => working.delete(key));
      working.set(key, ended);
    }
  };
  const poll = async (): Promise<void> => {
    for (; !signal.aborted; await clock.sleep(pollMs, signal)) wake();
  };
  void poll();
  return {
    wake,
    async close(graceMs: number): Promise<void> {
      wake();
      const over = new AbortController();
      await Promise.race([Promise.all(working.values()), clock.sleep(graceMs, over.signal)]);
      over.abort();
      closing.abort();
    },
  };
}

function pauseAfter(attempt: number, random: () => number): number {
  return Math.min(longestPauseMs, 1000 * 2 ** Math.min(attempt, 20)) * (0.5 + 0.5 * random());
}

export type SendOutcome =
  | { readonly ok: true }
  | Readonly<{
      ok: false;
      /** Holds nothing of the address, and nothing that the receiver sent. */
      message: string;
      passes: boolean;
    }>;

type SendNotification = (url: string, notification: Notification, signal: AbortSignal) => Promise<SendOutcome>;

const timeoutMs = 10_000;
const mostBytes = 64 * 1024;

export function createSender({
  env,
  redactor,
}: Pick<Parameters<typeof createDispatcher>[0], "env" | "redactor">): SendNotification {
  return async (address, notification, signal) => {
    const url = receiverUrl(address);
    if (url === null) return failed("its URL is neither https, nor http on this machine", false);
    const dispatcher = createDispatcher({ base: url, connections: 1, timeoutMs, env, redactor });
    try {
      const send = createTransport({ dispatcher, methods: new Set(["POST"]), signal, maxBytes: mostBytes });
      const headers = { "content-type": "application/json", "user-agent": "edgewise" };
      const answer = await send({ method: "POST", url, headers, body: JSON.stringify(notification), timeoutMs });
      const { status } = answer;
      if (status !== null && status >= 200 && status < 300) return { ok: true };
      if (answer.type === "failure") return failed(answer.message, true);
      return failed(`it answers ${status}`, answer.status >= 500 || [408, 425, 429].includes(answer.status));
    } finally {
      dispatcher.destroy().catch(() => undefined);
    }
  };
}

function failed(message: string, passes: boolean): SendOutcome {
  return { ok: false, message, passes };
}
