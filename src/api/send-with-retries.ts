import { ApiError } from "./api-error.js";
import type { ClientOptions } from "./client.js";
import type { Denial, RateLimiter } from "./rate-limiter.js";
import { mayHaveBeenDone, nextWait, retryAfter, waitingBudgetMs } from "./retry-policy.js";
import type { HttpResponse, Transport, WireRequest } from "./transport.js";

type Sender = ClientOptions &
  Required<Pick<ClientOptions, "clock" | "random" | "signal" | "trace">> &
  Readonly<{ transport: Transport; limiter: RateLimiter; deadlineAt: number }>;

type Outgoing = Omit<WireRequest, "timeoutMs"> &
  Readonly<{
    number: number;
    path: string;
    stop?: AbortSignal | undefined;
    isOptional?: boolean | undefined;
  }>;

/** From this attempt on, a 429 means a limit per minute. */
const persistentAfter = 3;

/** `lost`: an attempt may have been carried out unconfirmed. @throws ApiError without a response */
export async function sendWithRetries(
  sender: Sender,
  outgoing: Outgoing,
): Promise<Readonly<{ response: HttpResponse; attempts: number; lost: boolean }>> {
  const { clock, limiter, signal, trace } = sender;
  const { method, number, path } = outgoing;
  let waitedMs = 0;
  let notSent = 0;
  let lost = false;
  for (let made = 1; ; made += 1) {
    const subject = { request: number, attempt: made, method, path };
    // After a stop, too, the next attempt of a write finds out whether it was done.
    const stop = (): AbortSignal | undefined => (lost && method !== "GET" ? undefined : outgoing.stop);
    const ticket = await limiter.acquire(stop());
    if (typeof ticket === "string") throw unsent(ticket, outgoing, made - 1, lost);
    if (method !== "GET") {
      await sender.hold?.assertHeld().catch((error: unknown) => {
        ticket.release("failed");
        throw unsent(error instanceof Error ? error : new Error(String(error)), outgoing, made - 1, lost);
      });
    }
    const start = clock.now();
    const timeoutMs = Math.min(sender.timeoutMs, sender.deadlineAt - start);
    trace({ ...subject, type: "request" });
    const end = await sender.transport({ ...outgoing, timeoutMs }).catch((error: unknown) => {
      ticket.release("failed");
      throw error;
    });
    const now = clock.now();
    if (end.type === "failure") trace({ ...subject, type: "failure", message: end.message, ms: now - start });
    else trace({ ...subject, type: "answer", status: end.status, ms: now - start, bytes: end.body.length });
    const time = end.type === "answer" ? Date.parse(end.header("date") ?? "") : Number.NaN;
    if (!Number.isNaN(time)) sender.onServiceTime?.(time);
    if (end.type === "answer" && end.status < 400) {
      ticket.release("ok");
      return { response: end, attempts: made, lost };
    }

    if (end.type === "failure" && end.outcome === "not-sent") notSent += 1;
    lost ||= end.type === "failure" ? end.outcome === "unknown" : mayHaveBeenDone(end.status);
    const retryAfterMs = end.type === "answer" ? retryAfter(end.header("retry-after"), end.header("date"), now) : null;
    const attempts = { method, made, notSent, waitedMs, remainingMs: sender.deadlineAt - now, retryAfterMs };
    const wait = outgoing.isOptional ? null : nextWait(end, attempts, sender.random());
    if (end.type === "answer" && end.status === 429) {
      // Even when this request can't wait that long, the others should.
      const ms = Math.min(wait ?? retryAfterMs ?? 0, waitingBudgetMs);
      ticket.release("limited", { ms, persistent: retryAfterMs === null && made >= persistentAfter });
    } else ticket.release(end.type === "answer" && end.status < 500 ? "ok" : "failed");
    if (wait === null) {
      if (end.type === "answer") return { response: end, attempts: made, lost };
      if (end.stopped) throw unsent("stopped", outgoing, made, lost);
      if (end.timedOut && timeoutMs < sender.timeoutMs) throw unsent("deadline", outgoing, made, lost);
      throw new ApiError({
        method,
        path,
        attempts: made,
        status: end.status,
        outcome: lost ? "unknown" : end.outcome,
        what: end.message,
        remedy: end.remedy,
      });
    }
    waitedMs += wait;
    trace({ ...subject, type: "wait", ms: wait, reason: end.type === "answer" ? `${end.status}` : end.message });
    const stopped = stop();
    await clock.sleep(wait, stopped === undefined ? signal : AbortSignal.any([signal, stopped]));
  }
}

function unsent(why: Denial | Error, { method, path }: Outgoing, attempts: number, lost: boolean): ApiError {
  const fate = lost ? "it may or may not have been applied" : attempts > 0 ? "it was not applied" : "it was not sent";
  const ended = why === "stopped" ? "interrupted" : "the run's deadline has passed";
  const what = why instanceof Error ? why.message : ended;
  return new ApiError({
    method,
    path,
    attempts,
    status: null,
    outcome: lost ? "unknown" : "not-sent",
    what: method === "GET" ? what : `${what}; ${fate}`,
    remedy: why === "deadline" ? "Run it again, or raise api.deadline in the configuration." : null,
    interrupted: why !== "deadline",
  });
}
