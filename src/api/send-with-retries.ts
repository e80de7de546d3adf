import { ApiError } from "./api-error.js";
import type { Clock, RequestOutcome, TraceEvent, TraceSubject } from "./client.js";
import type { Denial, RateLimiter, Ticket } from "./rate-limiter.js";
import { type Setback, nextWait, retryAfter, waitingBudget } from "./retry-policy.js";
import type { HttpResponse, Transport, TransportFailure, WireRequest } from "./transport.js";

export interface Sender {
  readonly transport: Transport;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly random: () => number;
  readonly timeoutMs: number;
  /** ms since the epoch, or Infinity. */
  readonly deadlineAt: number;
  readonly signal: AbortSignal;
  readonly trace: (event: TraceEvent) => void;
}

/** What is sent: everything of a {@link WireRequest} but its time, and how it is called in messages. */
export interface Outgoing {
  readonly request: Omit<WireRequest, "timeoutMs">;
  /** Counts the client's requests. */
  readonly number: number;
  /** Fit to print. */
  readonly path: string;
  /** See `ApiRequest`. */
  readonly stop?: AbortSignal | undefined;
}

/** Tries after which a rate limit that goes on is taken for one by the minute. */
const stubborn = 3;

/** How a request was answered in the end. */
export interface Sent {
  /** The last answer. */
  readonly answer: HttpResponse;
  readonly attempts: number;
  /** Whether an earlier attempt, or the last, may have been carried out although no answer says so. */
  readonly lost: boolean;
}

/**
 * Sends one request as often as its method allows, and returns the last answer, whatever its status.
 * @throws ApiError when there is no answer; its outcome is that of all attempts together
 */
export async function sendWithRetries(sender: Sender, outgoing: Outgoing): Promise<Sent> {
  const { clock, limiter } = sender;
  const { method } = outgoing.request;
  let waitedMs = 0;
  let refusals = 0;
  let lost = false;
  for (let made = 1; ; made += 1) {
    const subject: TraceSubject = { request: outgoing.number, attempt: made, method, path: outgoing.path };
    // What may have been carried out is found out first.
    const stop = lost ? undefined : outgoing.stop;
    const ticket = await turn(limiter, stop);
    if (typeof ticket === "string") throw denied(ticket, subject, lost);
    const remaining = sender.deadlineAt - clock.now();
    const end = await attempt(sender, outgoing, subject, Math.min(sender.timeoutMs, remaining)).catch((error) => {
      ticket.release("failed");
      throw error;
    });
    if (end.type === "answer" && end.status < 400) {
      ticket.release("ok");
      return { answer: end, attempts: made, lost };
    }

    if (end.type === "failure" && end.outcome === "not-sent") refusals += 1;
    if (mayBeDone(end)) lost = true;
    const setback = setbackOf(end, clock.now());
    const attempts = { method, made, refusals, waitedMs, remainingMs: sender.deadlineAt - clock.now() };
    const wait = nextWait(setback, attempts, sender.random());
    if (setback.type === "status" && setback.status === 429) {
      // One that is too long for this request still says that nobody should hurry.
      const ms = Math.min(wait ?? setback.retryAfterMs ?? 0, waitingBudget);
      ticket.release("limited", { ms, stubborn: setback.retryAfterMs === null && made >= stubborn });
    } else ticket.release(end.type === "answer" && end.status < 500 ? "ok" : "failed");
    if (wait === null) {
      if (end.type === "answer") return { answer: end, attempts: made, lost };
      throw failed(end, subject, lost);
    }
    waitedMs += wait;
    sender.trace({ ...subject, type: "wait", ms: wait, reason: end.type === "answer" ? `${end.status}` : end.message });
    const { signal } = sender;
    await clock.sleep(wait, outgoing.stop === undefined || lost ? signal : AbortSignal.any([signal, outgoing.stop]));
  }
}

/** Waits for the turn of one attempt, unless it is stopped before. */
async function turn(limiter: RateLimiter, stop: AbortSignal | undefined): Promise<Ticket | Denial> {
  if (stop === undefined) return limiter.acquire();
  if (stop.aborted) return "stopped";
  return new Promise((resolve) => {
    const give = (): void => resolve("stopped");
    stop.addEventListener("abort", give, { once: true });
    void limiter.acquire().then((ticket) => {
      stop.removeEventListener("abort", give);
      // A turn that comes too late is the next one's.
      if (stop.aborted && typeof ticket !== "string") ticket.release("failed");
      resolve(stop.aborted ? "stopped" : ticket);
    });
  });
}

/** One attempt, told to the trace. */
async function attempt(
  sender: Sender,
  outgoing: Outgoing,
  subject: TraceSubject,
  timeoutMs: number,
): Promise<HttpResponse | TransportFailure> {
  const start = sender.clock.now();
  sender.trace({ ...subject, type: "request" });
  const end = await sender.transport({ ...outgoing.request, timeoutMs });
  const ms = sender.clock.now() - start;
  if (end.type === "failure") sender.trace({ ...subject, type: "failure", message: end.message, ms });
  else sender.trace({ ...subject, type: "answer", status: end.status, ms, bytes: end.body.length });
  return end;
}

/** Whether the service may have done what was asked although nothing says so. */
function mayBeDone(end: HttpResponse | TransportFailure): boolean {
  return end.type === "failure" ? end.outcome === "unknown" : end.status === 408 || end.status >= 500;
}

function setbackOf(end: HttpResponse | TransportFailure, now: number): Setback {
  if (end.type === "answer") {
    const asked = retryAfter(end.header("retry-after"), end.header("date"), now);
    return { type: "status", status: end.status, retryAfterMs: asked };
  }
  if (!end.transient) return { type: "permanent" };
  return { type: end.outcome === "not-sent" ? "not-sent" : "lost" };
}

function failed(end: TransportFailure, subject: TraceSubject, lost: boolean): ApiError {
  const { method, path, attempt: attempts } = subject;
  if (end.stopped) return denied("stopped", { ...subject, attempt: attempts + 1 }, lost);
  return new ApiError({
    method,
    path,
    attempts,
    status: end.status,
    outcome: lost ? "unknown" : end.outcome,
    what: end.message,
    remedy: end.remedy,
    networkCode: end.code,
  });
}

function denied(denial: Denial, subject: TraceSubject, lost: boolean): ApiError {
  const outcome: RequestOutcome = lost ? "unknown" : "not-sent";
  const stopped = denial === "stopped";
  const not = subject.attempt > 1 ? "done" : "sent";
  const sent = lost ? "; it is not known whether it was done" : `; it was not ${not}`;
  // A read does nothing, so there is nothing to know of it.
  const consequence = subject.method === "GET" ? "" : sent;
  return new ApiError({
    method: subject.method,
    path: subject.path,
    attempts: subject.attempt - 1,
    status: null,
    outcome,
    what: `${stopped ? "stopped" : "the run's deadline has passed"}${consequence}`,
    remedy: stopped ? null : "Run again, or give it longer: api.deadline in the configuration.",
    networkCode: stopped ? "STOPPED" : "DEADLINE",
    interrupted: stopped,
  });
}
