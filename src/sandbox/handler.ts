import { type IncomingMessage, STATUS_CODES, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type ModelRequest, type ModelResponse, errorBody } from "../model/request.js";
import type { AppliedFaults, FaultInjector } from "./fault-injector.js";
import { type HeaderRules, type HttpProblem, checkHeaders, readBody, readJson, readTarget } from "./read-request.js";
import type { RequestRecord } from "./sandbox-options.js";
import type { Service } from "./service.js";

/** What the handler of requests works with. */
export interface HandlerContext {
  readonly service: Service;
  readonly injector: FaultInjector;
  readonly rules: HeaderRules;
  readonly latencyMs: number;
  readonly maxBodyBytes: number;
  /** Aborted when the sandbox closes: what waits then is never carried out. */
  readonly closing: AbortSignal;
  readonly record: (record: RequestRecord) => void;
  readonly answered: (request: ModelRequest, response: ModelResponse) => void;
}

/**
 * Answers one request: delay, fault, headers, body, model, fault. The delay counts from when the request came, and what
 * only reads is worked out meanwhile, so that a latency is all that an answer takes.
 */
export async function handle(incoming: IncomingMessage, outgoing: ServerResponse, how: HandlerContext): Promise<void> {
  const { method = "GET", url = "/" } = incoming;
  const { path } = readTarget(url);
  const arrived = performance.now();
  const struck = how.injector.apply(method, path, arrived);
  const body = await readBody(incoming, how.maxBodyBytes);
  if (body === null) {
    outgoing.destroy();
    return;
  }
  const spoilt = struck.end !== null && !struck.after;
  const answered = (): SerializedAnswer => serializeAnswer(answer(incoming, body, struck.staleWrites, how));
  const early = !spoilt && method === "GET" ? answered() : null;
  await waitUntil(arrived + how.latencyMs + struck.delayMs, how.closing);
  if (how.closing.aborted) return;
  const status = sendFaulty(outgoing, spoilt ? null : (early ?? answered()), struck, how.service);
  how.record({ method, path: url, status, faults: struck.specs });
}

/** Waits until a time, half a millisecond early at most: timers count whole ones. */
async function waitUntil(due: number, closing: AbortSignal): Promise<void> {
  for (let rest = due - performance.now(); rest >= 0.5 && !closing.aborted; rest = due - performance.now()) {
    await sleep(rest, undefined, { signal: closing }).catch(() => {});
  }
}

function answer(
  incoming: IncomingMessage,
  body: Buffer | HttpProblem,
  stale: number,
  how: HandlerContext,
): ModelResponse {
  const { method = "GET", url = "/", headers } = incoming;
  const hasBody = !Buffer.isBuffer(body) || body.length > 0;
  const problem = checkHeaders(headers, hasBody, how.rules) ?? (Buffer.isBuffer(body) ? null : body);
  if (problem !== null) return problemResponse(problem, how.service);
  // Lists and new resources get the address that the client used: it goes on with what it was given.
  const request = { method, ...readTarget(url), baseUrl: `http://${headers.host}` };
  const read = Buffer.isBuffer(body) && hasBody ? readJson(body) : null;
  if (read !== null && !("json" in read)) return problemResponse(read, how.service);
  const whole = read === null ? request : { ...request, body: read.json };
  const response = how.service.answer(whole, stale);
  how.answered(whole, response);
  return response;
}

function problemResponse({ status, number, message }: HttpProblem, service: Service): ModelResponse {
  return { status, body: errorBody(status, number, message, service.operationId()) };
}

/** Sends the answer, or what a fault makes of it; returns the status that the client sees. */
function sendFaulty(
  outgoing: ServerResponse,
  response: SerializedAnswer | null,
  { end, retryAfter }: AppliedFaults,
  service: Service,
): number | null {
  if (end?.of === "status") {
    const { status } = end;
    const body = errorBody(status, 299, "this answer was made up by a fault of the sandbox.", service.operationId());
    if (end.html) sendHtml(outgoing, status, retryAfter);
    else sendJson(outgoing, serializeAnswer({ status, body }), retryAfter);
    return status;
  }
  if (end?.of === "truncate" && response !== null) {
    sendHalf(outgoing, response);
    return response.status === 204 ? null : response.status;
  }
  if (end !== null || response === null) {
    outgoing.socket?.resetAndDestroy();
    return null;
  }
  sendJson(outgoing, response, null);
  return response.status;
}

/** An answer that only has to be sent. */
interface SerializedAnswer {
  readonly status: number;
  /** JSON; null = no body. */
  readonly text: string | null;
}

/** Writes an answer down as JSON; 204 has no body. */
function serializeAnswer({ status, body }: ModelResponse): SerializedAnswer {
  return { status, text: status === 204 ? null : JSON.stringify(body) };
}

/** Sends an answer. */
function sendJson(outgoing: ServerResponse, { status, text }: SerializedAnswer, retryAfter: number | null): void {
  if (text === null) {
    outgoing.writeHead(status);
    outgoing.end();
    return;
  }
  send(outgoing, status, "application/json", text, retryAfter);
}

/** Sends a page as a proxy in between would. */
function sendHtml(outgoing: ServerResponse, status: number, retryAfter: number | null): void {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  const page = `<html><head><title>${title}</title></head><body><h1>${title}</h1><hr>proxy</body></html>\n`;
  send(outgoing, status, "text/html", page, retryAfter);
}

/** Sends half of an answer and cuts the connection. An answer without a body is cut before it begins. */
function sendHalf(outgoing: ServerResponse, { status, text }: SerializedAnswer): void {
  if (text === null) {
    outgoing.destroy();
    return;
  }
  const bytes = Buffer.from(text);
  outgoing.writeHead(status, { "content-type": "application/json", "content-length": bytes.length });
  outgoing.write(bytes.subarray(0, bytes.length >> 1), () => outgoing.destroy());
}

function send(outgoing: ServerResponse, status: number, type: string, text: string, retryAfter: number | null): void {
  if (retryAfter !== null) outgoing.setHeader("retry-after", retryAfter);
  outgoing.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) });
  outgoing.end(text);
}
