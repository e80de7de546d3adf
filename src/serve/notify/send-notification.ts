import type { Dispatcher } from "undici";
import { createDispatcher } from "../../api/create-dispatcher.js";
import { createTransport } from "../../api/transport.js";
import { EdgewiseError } from "../../core/errors.js";
import type { Redactor } from "../../redact.js";
import { isLoopback } from "../../config/api-config.js";
import type { Notification } from "./notification.js";

export type SendOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** Holds nothing of the address, and nothing that the receiver sent. */
      readonly message: string;
      readonly passes: boolean;
      readonly pauseMs: number | null;
    };

export type SendNotification = (url: string, notification: Notification, signal: AbortSignal) => Promise<SendOutcome>;

export interface SenderOptions {
  readonly env: { readonly [variable: string]: string | undefined };
  readonly redactor: Redactor;
}

const timeoutMs = 10_000;
const mostBytes = 64 * 1024;

/** Sends notifications over https, or http on this machine. No redirect is followed. */
export function createSender({ env, redactor }: SenderOptions): SendNotification {
  return async (address, notification, signal) => {
    const url = addressOf(address);
    if (url === null) return failed("its URL is neither https, nor http on this machine", false);
    let dispatcher: Dispatcher;
    try {
      dispatcher = createDispatcher({ base: url, connections: 1, timeoutMs, env, redactor });
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
      return failed(error.message, false);
    }
    // The transport listens to its signal for as long as that exists.
    const ending = new AbortController();
    const end = (): void => ending.abort();
    signal.addEventListener("abort", end, { once: true });
    try {
      if (signal.aborted) end();
      const methods = new Set(["POST"] as const);
      const to = { dispatcher, methods, signal: ending.signal, maxBytes: mostBytes };
      const send = createTransport(to);
      const headers = { "content-type": "application/json", "user-agent": "edgewise" };
      const answer = await send({ method: "POST", url, headers, body: JSON.stringify(notification), timeoutMs });
      const { status } = answer;
      // It took it, whatever else it goes on to say.
      if (status !== null && status >= 200 && status < 300) return { ok: true };
      if (answer.type === "failure") return failed(answer.message, true);
      return refused(answer.status, answer.header("retry-after"));
    } finally {
      signal.removeEventListener("abort", end);
      dispatcher.destroy().catch(() => undefined);
    }
  };
}

function addressOf(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return null;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)) ? url : null;
}

function refused(status: number, retryAfter: string | null): SendOutcome {
  const passes = status >= 500 || status === 408 || status === 425 || status === 429;
  const seconds = /^\d{1,6}$/.test(retryAfter ?? "") ? Number(retryAfter) : null;
  const pauseMs = seconds === null ? null : seconds * 1000;
  const message = status >= 300 && status < 400 ? `it answers ${status}, a redirect` : `it answers ${status}`;
  return { ok: false, message, passes, pauseMs };
}

function failed(message: string, passes: boolean): SendOutcome {
  return { ok: false, message, passes, pauseMs: null };
}
