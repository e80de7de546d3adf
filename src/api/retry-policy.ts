import type { Method } from "./client.js";

/** How often one request is sent at most. */
const maxAttempts = 5;
/** How often a connection that fails before anything is sent is tried. */
const maxRefusals = 3;
/** How long one request waits between its attempts altogether, in ms. */
export const waitingBudget = 20_000;

const firstCeiling = 1000;

/** How an attempt ended that did not succeed. */
export type Setback =
  | { readonly type: "status"; readonly status: number; readonly retryAfterMs: number | null }
  /** Refused, unresolved or not connected in time: nothing was sent. */
  | { readonly type: "not-sent" }
  /** Sent, and no complete answer. */
  | { readonly type: "lost" }
  /** Nothing that trying again would help: a certificate that is not trusted. */
  | { readonly type: "permanent" };

/** The story of one request so far. */
export interface Attempts {
  readonly method: Method;
  /** How many were made, at least 1. */
  readonly made: number;
  /** How many of them ended before anything was sent. */
  readonly refusals: number;
  /** How long it has waited between them, in ms. */
  readonly waitedMs: number;
  /** Until the run's deadline, in ms. */
  readonly remainingMs: number;
}

/**
 * How long to wait before the next attempt, in ms; null when there is none.
 * Exponential ceilings from one second with full jitter; a `Retry-After` that fits takes their place.
 * @param random from 0 to below 1
 */
export function nextWait(setback: Setback, attempts: Attempts, random: number): number | null {
  if (!mayRepeat(setback, attempts.method) || attempts.made >= maxAttempts) return null;
  const refused = setback.type === "not-sent";
  if (refused && attempts.refusals >= maxRefusals) return null;
  const asked = setback.type === "status" ? setback.retryAfterMs : null;
  const ceiling = firstCeiling * 2 ** ((refused ? attempts.refusals : attempts.made) - 1);
  // A service that asks for no wait at all gets the usual one.
  const wait = asked === null || asked === 0 ? random * ceiling : asked;
  const fits = attempts.waitedMs + wait <= waitingBudget && wait < attempts.remainingMs;
  return fits ? wait : null;
}

function mayRepeat(setback: Setback, method: Method): boolean {
  switch (setback.type) {
    case "permanent":
      return false;
    case "not-sent":
      return true;
    case "lost":
      return method !== "POST";
    case "status":
      if (setback.status === 429) return true;
      return method !== "POST" && (setback.status === 408 || setback.status >= 500);
  }
}

/**
 * How long the service asks to wait, in ms; null when it does not say or can't be understood.
 * A date is counted from the answer's own `Date` when it has one, so that a clock that is off does no harm.
 * @param header `Retry-After`: seconds or an HTTP date
 * @param date the answer's `Date` header
 * @param now ms since the epoch
 */
export function retryAfter(header: string | null, date: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/[A-Za-z]/.test(text)) return null;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return null;
  const said = date === null ? Number.NaN : Date.parse(date);
  return Math.max(0, until - (Number.isNaN(said) ? now : said));
}
