import type { Method } from "./client.js";
import type { HttpResponse, TransportFailure } from "./transport.js";

const maxAttempts = 5;
const maxNotSent = 3;
export const waitingBudgetMs = 20_000;

const firstCeilingMs = 1000;

type Attempts = Readonly<{
  method: Method;
  made: number;
  notSent: number;
  waitedMs: number;
  remainingMs: number;
  retryAfterMs: number | null;
}>;

/** In ms; null = no other attempt. Full jitter, or a `Retry-After` that fits. */
export function nextWait(end: HttpResponse | TransportFailure, attempts: Attempts, random: number): number | null {
  if (!mayRepeat(end, attempts.method) || attempts.made >= maxAttempts) return null;
  const notSent = end.type === "failure" && end.outcome === "not-sent";
  if (notSent && attempts.notSent >= maxNotSent) return null;
  const ceiling = firstCeilingMs * 2 ** ((notSent ? attempts.notSent : attempts.made) - 1);
  const wait = attempts.retryAfterMs || random * ceiling;
  const fits = attempts.waitedMs + wait <= waitingBudgetMs && wait < attempts.remainingMs;
  return fits ? wait : null;
}

function mayRepeat(end: HttpResponse | TransportFailure, method: Method): boolean {
  if (end.type === "failure") return end.transient && (end.outcome === "not-sent" || method !== "POST");
  if (end.status === 429) return true;
  // A list that the service has given up.
  if (method === "GET" && end.status === 501) return false;
  return method !== "POST" && mayHaveBeenDone(end.status);
}

export function mayHaveBeenDone(status: number): boolean {
  return status === 408 || status >= 500;
}

/** In ms. A date is compared with the response's own `Date`. */
export function retryAfter(header: string | null, date: string | null, now: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const until = /[A-Za-z]/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(until)) return null;
  const sent = Date.parse(date ?? "");
  return Math.max(0, until - (Number.isNaN(sent) ? now : sent));
}
