import { ApiError } from "./api-error.js";
import type { Clock, Method, RequestOutcome, TraceEvent, TraceSubject, WriteHold } from "./client.js";
import type { Denial, RateLimiter, Ticket } from "./rate-limiter.js";
import { type AttemptFailure, mayHaveBeenDone, nextWait, retryAfter, waitingBudgetMs } from "./retry-policy.js";
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
  /** Whether `trace` wants to know of each attempt. */
  readonly tracesAttempts: boolean;
  readonly onServiceTime?: ((time: number) => void) | undefined;
  /** See `ClientOptions`. */
  readonly hold?: WriteHold | undefined;
}

/** A request to send, without its timeout, and what messages call it. */
export interface Outgoing {
  readonly request: Omit<WireRequest, "timeoutMs">;
  /** The number of the request, from 1. */
  readonly number: number;
  /** Its path, safe to print as long as it is printed at once. */
  readonly shown: { readonly path: string };
  /** See `ApiRequest`. */
  readonly stop?: AbortSignal | undefined;
  /** Perhaps nobody will need the response: only a limited rate is a reason to send it again, once. */
  readonly isOptional?: boolean;
}

/** After so many attempts a 429 means a limit per minute. */
const persistentAfter = 3;

/** The last response to a request. */
export interface Sent {
  readonly response: HttpResponse;
  readonly attempts: number;
  /** Whether an attempt may have been carried out although no response confirms it. */
  readonly lost: boolean;
}

/**
 * Sends one request as often as its method allows, and returns the last response, whatever its status.
 * @throws ApiError when there is no response; its outcome covers all attempts together
 */
export async function sendWithRetries(sender: Sender, outgoing: Outgoing): Promise<Sent> {
  const { clock, limiter } = sender;
  const { method } = outgoing.request;
  let waitedMs = 0;
  let notSent = 0;
  let lost = false;
  for (let made = 1; ; made += 1) {
    const { number: request, shown } = outgoing;
    const subject: TraceSubject = {
      request,
      attempt: made,
      method,
      get path() {
        return shown.path;
      },
    };
    // When a write may have been carried out, its next attempt finds out, even after a stop.
    const stop = (): AbortSignal | undefined => (lost && method !== "GET" ? undefined : outgoing.stop);
    const ticket = await turn(limiter, stop());
    if (typeof ticket === "string") {
      throw denied(ticket, subject, lost);
    }
    const objection = await objectionTo(sender, method);
    if (objection !== null) {
      ticket.release("failed");
      throw objectedTo(objection, subject, lost);
    }
    const remaining = sender.deadlineAt - clock.now();
    const end = await attempt(sender, outgoing, subject, Math.min(sender.timeoutMs, remaining)).catch((error) => {
      ticket.release("failed");
      throw error;
    });
    const time = end.type === "answer" ? Date.parse(end.header("date") ?? "") : Number.NaN;
    if (!Number.isNaN(time)) sender.onServiceTime?.(time);
    if (end.type === "answer" && end.status < 400) {
      ticket.release("ok");
      return { response: end, attempts: made, lost };
    }

    if (end.type === "failure" && end.outcome === "not-sent") notSent += 1;
    lost ||= end.type === "failure" ? end.outcome === "unknown" : mayHaveBeenDone(end.status);
    const failure = attemptFailureOf(end, clock.now());
    const attempts = { method, made, notSent, waitedMs, remainingMs: sender.deadlineAt - clock.now() };
    const mayRepeat = outgoing.isOptional !== true || (made === 1 && isLimited(failure));
    const wait = mayRepeat ? nextWait(failure, attempts, sender.random()) : null;
    if (isLimited(failure)) {
      // Even when this request can't wait that long, the others should.
      const ms = Math.min(wait ?? failure.retryAfterMs ?? 0, waitingBudgetMs);
      ticket.release("limited", { ms, persistent: failure.retryAfterMs === null && made >= persistentAfter });
    } else ticket.release(end.type === "answer" && end.status < 500 ? "ok" : "failed");
    if (wait === null) {
      if (end.type === "answer") return { response: end, attempts: made, lost };
      const isOutOfTime = end.code === "TIMEOUT" && remaining <= sender.timeoutMs;
      throw isOutOfTime ? denied("deadline", { ...subject, attempt: made + 1 }, lost) : failed(end, subject, lost);
    }
    waitedMs += wait;
    sender.trace({ ...subject, type: "wait", ms: wait, reason: end.type === "answer" ? `${end.status}` : end.message });
    const [{ signal }, stopped] = [sender, stop()];
    await clock.sleep(wait, stopped === undefined ? signal : AbortSignal.any([signal, stopped]));
  }
}

/** Why an attempt must not be made after all, although its turn has come; null = nothing speaks against it. */
async function objectionTo({ hold }: Sender, method: Method): Promise<string | null> {
  if (method === "GET" || hold === undefined) return null;
  try {
    await hold.assertHeld();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Waits for the turn of one attempt, or until it is stopped. */
async function turn(limiter: RateLimiter, stop: AbortSignal | undefined): Promise<Ticket | Denial> {
  if (stop === undefined) return limiter.acquire();
  if (stop.aborted) return "stopped";
  const permitted = limiter.acquireNow();
  if (permitted !== null) return permitted;
  return new Promise((resolve) => {
    const giveUp = (): void => resolve("stopped");
    stop.addEventListener("abort", giveUp, { once: true });
    void limiter.acquire().then((ticket) => {
      stop.removeEventListener("abort", giveUp);
      // The turn came too late: the next request gets it.
      if (stop.aborted && typeof ticket !== "string") ticket.release("failed");
      resolve(stop.aborted ? "stopped" : ticket);
    });
  });
}

/** An event whose path is masked when it is shown, as masking takes longer than what most traces do with an event. */
function about<T extends object>(subject: TraceSubject, event: T): T & TraceSubject {
  const { request, attempt: number, method } = subject;
  return {
    ...event,
    request,
    attempt: number,
    method,
    get path() {
      return subject.path;
    },
  };
}

/** One attempt, with its trace events. */
async function attempt(
  sender: Sender,
  outgoing: Outgoing,
  subject: TraceSubject,
  timeoutMs: number,
): Promise<HttpResponse | TransportFailure> {
  if (!sender.tracesAttempts) return sender.transport({ ...outgoing.request, timeoutMs });
  const start = sender.clock.now();
  sender.trace(about(subject, { type: "request" }));
  const end = await sender.transport({ ...outgoing.request, timeoutMs });
  const ms = sender.clock.now() - start;
  if (end.type === "failure") sender.trace(about(subject, { type: "failure", message: end.message, ms }));
  else sender.trace(about(subject, { type: "answer", status: end.status, ms, bytes: end.body.length }));
  return end;
}

function isLimited(failure: AttemptFailure): failure is AttemptFailure & { readonly type: "status" } {
  return failure.type === "status" && failure.status === 429;
}

function attemptFailureOf(end: HttpResponse | TransportFailure, now: number): AttemptFailure {
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

function objectedTo(objection: string, { attempt, method, path }: TraceSubject, lost: boolean): ApiError {
  return new ApiError({
    method,
    path,
    attempts: attempt - 1,
    status: null,
    outcome: lost ? "unknown" : "not-sent",
    what: `${objection}; ${lost ? "an earlier attempt may or may not have been applied" : "it was not sent"}`,
    remedy: null,
    networkCode: "HELD",
    interrupted: true,
  });
}

function denied(denial: Denial, subject: TraceSubject, lost: boolean): ApiError {
  const outcome: RequestOutcome = lost ? "unknown" : "not-sent";
  const stopped = denial === "stopped";
  const notDone = subject.attempt > 1 ? "; it was not applied" : "; it was not sent";
  // A read changes nothing.
  const consequence = subject.method === "GET" ? "" : lost ? "; it may or may not have been applied" : notDone;
  return new ApiError({
    method: subject.method,
    path: subject.path,
    attempts: subject.attempt - 1,
    status: null,
    outcome,
    what: `${stopped ? "interrupted" : "the run's deadline has passed"}${consequence}`,
    remedy: stopped ? null : "Run it again, or raise api.deadline in the configuration.",
    networkCode: stopped ? "STOPPED" : "DEADLINE",
    interrupted: stopped,
  });
}
