import type { Clock } from "../../api/client.js";
import type { Notification } from "./notification.js";
import type { SendOutcome } from "./send-notification.js";

/** Something that a receiver is to know, in its turn. */
export interface QueuedNotice {
  /** Null = the receiver does not want to know: only that it was its turn counts. */
  readonly notification: Notification | null;
  /** Called when it was sent, or given up. Never throws. */
  readonly done: () => Promise<void>;
}

/** What waits for one receiver, in order. */
export interface ReceiverQueue {
  /** Never waits. When too much waits already, the oldest is dropped. */
  add(notice: QueuedNotice): void;
  /** Resolves when nothing waits. */
  idle(): Promise<void>;
}

/** What a queue needs. */
export interface QueueOptions {
  /** Sends once; never throws. */
  readonly send: (notification: Notification) => Promise<SendOutcome>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends it at once. */
  readonly signal: AbortSignal;
  /** Nothing is sent before this; null = at once. */
  readonly after: Promise<void> | null;
  /** Told of the first failure, and of the first success after it. */
  readonly onFailure: (message: string) => void;
  readonly onRecovery: () => void;
}

/**
 * More than this is not remembered for a receiver that does not answer. A fleet of ten thousand stacks may have two things to
 * tell of each at once.
 */
export const mostQueued = 25_000;

/** From the second attempt on, at most so long from one to the next, and so long in all. */
const longestPauseMs = 300_000;
const longestTryMs = 24 * 3_600_000;

/** So often something is offered to a receiver that refuses it. */
const mostRefusals = 5;

/** Sends one notification after the other, and tries each again with growing pauses. */
export function createReceiverQueue(options: QueueOptions): ReceiverQueue {
  const { clock, signal } = options;
  const waiting: QueuedNotice[] = [];
  let running: Promise<void> | null = null;
  let failing = false;

  const told = (outcome: SendOutcome): void => {
    if (outcome.ok && failing) options.onRecovery();
    if (!outcome.ok && !failing) options.onFailure(outcome.message);
    failing = !outcome.ok;
  };
  const deliver = async (notification: Notification): Promise<void> => {
    const began = clock.now();
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const outcome = await options.send(notification);
      if (signal.aborted) return;
      told(outcome);
      if (outcome.ok) return;
      if (attempt >= mostRefusals && !outcome.passes) return;
      if (Math.abs(clock.now() - began) >= longestTryMs) return;
      await clock.sleep(pauseAfter(attempt, outcome.pauseMs, options.random), signal);
    }
  };
  const work = async (): Promise<void> => {
    if (options.after !== null) await options.after;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (next.notification !== null) await deliver(next.notification);
      if (signal.aborted) break;
      await next.done();
    }
    // At once, so that nothing is added to a queue that has just ended.
    running = null;
  };
  return {
    add(notice) {
      if (signal.aborted) return;
      waiting.push(notice);
      if (waiting.length > mostQueued) waiting.shift();
      running ??= work();
    },
    idle: async () => {
      for (let work = running; work !== null; work = running) await work;
    },
  };
}

/** Full jitter over a pause that doubles, but what the receiver asks for. */
function pauseAfter(attempt: number, askedMs: number | null, random: () => number): number {
  const most = Math.min(longestPauseMs, 1000 * 2 ** Math.min(attempt, 20));
  return Math.max(most * (0.5 + 0.5 * random()), Math.min(askedMs ?? 0, longestPauseMs));
}
