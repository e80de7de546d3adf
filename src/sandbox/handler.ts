import { type IncomingMessage, STATUS_CODES, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type ModelRequest, type ModelResponse, errorBody } from "../model/request.js";
import type { AppliedFaults, FaultInjector } from "./fault-injector.js";
import {
  type HeaderRules,
  type HttpProblem,
  checkHeaders,
  httpProblem,
  readBody,
  readJson,
  readTarget,
} from "./read-request.js";
import type { RequestRecord } from "./sandbox-options.js";
import type { Lag, Service } from "./service.js";

export interface HandlerContext {
  readonly service: Service;
  readonly injector: FaultInjector;
  readonly rules: HeaderRules;
  readonly latencyMs: number;
  readonly maxBodyBytes: number;
  /** Aborted when the sandbox closes: requests that are waiting then are never carried out. */
  readonly closing: AbortSignal;
  /** Resolves when all that requests have changed up to now is kept; rejects when it can't be. */
  readonly saved: () => Promise<void>;
  readonly record: (record: RequestRecord) => void;
  readonly answered: (request: ModelRequest, response: ModelResponse) => void;
}

/** Answers one request: delay, fault, headers, body, model, fault. The delay counts from the request's arrival. */
export async function handle(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  context: HandlerContext,
): Promise<void> {
  const { method = "GET", url = "/" } = incoming;
  const arrived = performance.now();
  const faults = context.injector.apply(method, readTarget(url).path, arrived);
  const body = await readBody(incoming, context.maxBodyBytes);
  if (body === null) {
    outgoing.destroy();
    return;
  }
  const rest = Math.ceil(arrived + context.latencyMs + faults.delayMs - performance.now());
  if (rest > 0) await sleep(rest, undefined, { signal: context.closing }).catch(() => undefined);
  if (context.closing.aborted) return;
  const isCarriedOut = faults.end === null || faults.after;
  const response = isCarriedOut ? answer(incoming, body, faults.lag, context) : null;
  // A sandbox that is killed loses nothing that a client knows of.
  const isKept = await context.saved().then(
    () => true,
    () => method === "GET",
  );
  const notKept = (): ModelResponse => problemResponse(httpProblem("data", dataProblem), context.service);
  const status = sendFaulty(outgoing, response === null || isKept ? response : notKept(), faults, context.service);
  context.record({ method, path: url, status, faults: faults.specs });
}

const dataProblem =
  "the sandbox can't write its data file: what was changed is in effect, and is lost if the sandbox ends now.";

function answer(
  incoming: IncomingMessage,
  body: Buffer | HttpProblem,
  lag: Lag,
  context: HandlerContext,
): ModelResponse {
  const { method = "GET", url = "/", headers } = incoming;
  const hasBody = !Buffer.isBuffer(body) || body.length > 0;
  const problem = checkHeaders(headers, hasBody, context.rules) ?? (Buffer.isBuffer(body) ? null : body);
  if (problem !== null) return problemResponse(problem, context.service);
  // Lists and new resources get the base URL that the client used, because it follows these links.
  const request = { method, ...readTarget(url), baseUrl: `http://${headers.host}` };
  const read = Buffer.isBuffer(body) && hasBody ? readJson(body) : null;
  if (read !== null && !("json" in read)) return problemResponse(read, context.service);
  const whole = read === null ? request : { ...request, body: read.json };
  const response = context.service.answer(whole, lag);
  context.answered(whole, response);
  return response;
}

function problemResponse({ status, number, message }: HttpProblem, service: Service): ModelResponse {
  return { status, body: errorBody(status, number, message, service.operationId()) };
}

/** Sends the response as the fault breaks it; returns the status that the client sees. */
function sendFaulty(
  outgoing: ServerResponse,
  response: ModelResponse | null,
  { end, retryAfter }: AppliedFaults,
  service: Service,
): number | null {
  if (end?.of === "status") {
    const { html, status } = end;
    const body = errorBody(status, 299, "a fault of the sandbox made up this response.", service.operationId());
    if (retryAfter !== null) outgoing.setHeader("retry-after", retryAfter);
    if (html) send(outgoing, status, "text/html", errorPage(status));
    else send(outgoing, status, "application/json", JSON.stringify(body));
    return status;
  }
  if (response === null || end?.of === "reset") {
    outgoing.socket?.resetAndDestroy();
    return null;
  }
  const { allow, body, status } = response;
  const text = status === 204 ? null : JSON.stringify(body);
  if (end?.of === "truncate") {
    sendHalf(outgoing, status, text);
    return text === null ? null : status;
  }
  if (allow !== undefined) outgoing.setHeader("allow", allow.join(", "));
  if (text === null) outgoing.writeHead(status).end();
  else send(outgoing, status, "application/json", text);
  return status;
}

function errorPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ""}`.trim();
  return `<html><head><title>${title}</title></head><body><h1>${title}</h1><hr>proxy</body></html>\n`;
}

function send(outgoing: ServerResponse, status: number, type: string, text: string): void {
  outgoing.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
}

/** Sends half of a response and cuts the connection; without a body, cuts it before the response. */
function sendHalf(outgoing: ServerResponse, status: number, text: string | null): void {
  if (text === null) return void outgoing.destroy();
  const bytes = Buffer.from(text);
  outgoing.writeHead(status, { "content-type": "application/json", "content-length": bytes.length });
  outgoing.write(bytes.subarray(0, bytes.length >> 1), () => outgoing.destroy());
}
