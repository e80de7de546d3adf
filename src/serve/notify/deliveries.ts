import type { Clock } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import type { SecretSource } from "../fleet/fleet.js";
import type { ServeEvent } from "../serve-events.js";
import type { ServeStore } from "../store/store.js";
import type { Notification } from "./notification.js";
import { type ReceiverQueue, createReceiverQueue, mostQueued } from "./receiver-queue.js";
import type { SendNotification, SendOutcome } from "./send-notification.js";

/** What sending to receivers needs. */
export interface DeliveryParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly send: SendNotification;
  /** Reads the URL of a receiver anew, and masks it from then on. @throws EdgewiseError when it can't */
  readonly readUrl: (source: SecretSource) => Promise<string>;
  readonly emit: (event: ServeEvent) => void;
  readonly store: Pick<ServeStore, "shared">;
}

/** What is sent to receivers while the process lives. */
export interface Deliveries {
  /** A queue for a receiver. It begins when nothing of the queue before is on its way any more. */
  open(receiver: string, url: SecretSource, rules: QueueRules): ReceiverQueue;
  /** What was sent is kept now. */
  forget(receiver: string, id: string): void;
}

/** When a queue has to stop. */
export interface QueueRules {
  /** Ends the queue; what is on its way goes on. */
  readonly ended: AbortSignal;
  /** Ends the queue, and cuts off what is on its way. */
  readonly cutOff: AbortSignal;
  /** Asked before each attempt; when it may not, `ended` is aborted. */
  readonly maySend: () => boolean;
}

const notSent: SendOutcome = { ok: false, message: "another process tells", passes: true, pauseMs: null };

/**
 * Remembers what was sent and is not kept yet, if others may tell, too: when this process may tell again after it might not for a while, it does not
 * send that twice, although what is kept does not know of it.
 */
export function createDeliveries(parts: DeliveryParts): Deliveries {
  const sent = new Set<string>();
  const queues = new Map<string, ReceiverQueue>();
  const sentKey = (receiver: string, id: string): string => `${receiver} ${id}`;
  return {
    open(receiver, url, { cutOff, ended, maySend }) {
      const send = async (notification: Notification): Promise<SendOutcome> => {
        const key = sentKey(receiver, notification.id);
        if (sent.has(key)) return { ok: true };
        if (!maySend()) return notSent;
        const outcome = await sendTo(url, notification, parts, cutOff);
        if (outcome.ok && parts.store.shared) sent.add(key);
        for (const oldest of sent) {
          if (sent.size <= mostQueued) break;
          sent.delete(oldest);
        }
        return outcome;
      };
      const queue = createReceiverQueue({
        send,
        clock: parts.clock,
        random: parts.random,
        signal: AbortSignal.any([ended, cutOff]),
        after: queues.get(receiver)?.idle() ?? null,
        onFailure: (message) => parts.emit({ event: "notify-failed", receiver: placeOf(url), message }),
        onRecovery: () => parts.emit({ event: "notify-recovered", receiver: placeOf(url) }),
      });
      queues.set(receiver, queue);
      return queue;
    },
    forget: (receiver, id) => void sent.delete(sentKey(receiver, id)),
  };
}

async function sendTo(
  source: SecretSource,
  notification: Notification,
  { readUrl, send }: DeliveryParts,
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
