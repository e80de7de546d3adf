import { timingSafeEqual } from "node:crypto";
import { type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../core/json.js";
import { type ModelResponse, errorBody } from "../model/request.js";
import type { AppliedFaults, FaultInjector } from "./fault.js";
import type { RequestRecord } from "./sandbox-options.js";
import type { Service } from "./service.js";

const maxBodyBytes = 1024 * 1024;

export type HandlerContext = Readonly<{
  service: Service;
  injector: FaultInjector;
  apiKey: string;
  versionHeader: string;
  lenient: boolean;
  latencyMs: number;
  /** Requests that wait then are never carried out. */
  closing: AbortSignal;
  /** Resolves when all changes up to now are kept. */
  saved: () => Promise<void>;
  record: (record: RequestRecord) => void;
}>;

export async function handle(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  context: HandlerContext,
): Promise<void> {
  const { service } = context;
  const { method = "GET", url = "/" } = incoming;
  const arrived = performance.now();
  const faults = context.injector.apply(method, readTarget(url).path, arrived);
  const body = await readBody(incoming);
  if (body === null) {
    outgoing.destroy();
    return;
  }
  const rest = Math.ceil(arrived + context.latencyMs + faults.delayMs - performance.now());
  if (rest > 0) await sleep(rest, undefined, { signal: context.closing }).catch(() => undefined);
  if (context.closing.aborted) return;
  let response = faults.end === null || faults.after ? answer(incoming, body, faults.lagMs, context) : null;
  // A sandbox that is killed loses nothing that a client knows of.
  const isKept = await context.saved().then(
    () => true,
    () => method === "GET",
  );
  if (response !== null && !isKept) {
    const message = "the data file can't be written: what was changed is lost when the sandbox ends.";
    response = problemResponse([500, 207, message], service);
  }
  const status = sendFaulty(outgoing, response, faults, service);
  context.record({ method, path: url, status, faults: faults.specs });
}

type HttpProblem = readonly [status: number, number: number, message: string];

function answer(
  incoming: IncomingMessage,
  body: Buffer | "too-long",
  lagMs: number,
  context: HandlerContext,
): ModelResponse {
  const { method = "GET", url = "/", headers } = incoming;
  const { service } = context;
  const hasBody = body.length > 0;
  const problem = headerProblem(headers, hasBody, context);
  if (problem !== null) return problemResponse(problem, service);
  if (body === "too-long")
    return problemResponse([413, 206, `the body is longer than ${maxBodyBytes} bytes.`], service);
  const json = hasBody ? readJson(body) : undefined;
  if (json === "broken") return problemResponse([400, 205, "the body is not JSON in UTF-8."], service);
  // The client follows links to the base URL that it used.
  const request = { method, ...readTarget(url), baseUrl: `http://${headers.host}`, ...json };
  return service.answer(request, lagMs);
}

function problemResponse([status, number, message]: HttpProblem, service: Service): ModelResponse {
  return { status, body: errorBody(status, number, message, service.operationId()) };
}

function readTarget(url: string) {
  const target = url.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  if (mark < 0) return { path: target, query: [] };
  return { path: target.slice(0, mark), query: [...new URLSearchParams(target.slice(mark + 1))] };
}

/** Null when the client disconnected. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | "too-long" | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming) {
      // Read to its end: a client that still sends would not see the response.
      size += (chunk as Buffer).length;
      if (size <= maxBodyBytes) chunks.push(chunk as Buffer);
    }
  } catch {
    return null;
  }
  return size > maxBodyBytes ? "too-long" : Buffer.concat(chunks);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function readJson(bytes: Buffer): { readonly body: Json } | "broken" {
  try {
    return { body: JSON.parse(utf8.decode(bytes)) as Json };
  } catch {
    return "broken";
  }
}

/** Never repeats the value of a header. */
function headerProblem(
  headers: IncomingHttpHeaders,
  hasBody: boolean,
  { apiKey, lenient, versionHeader }: HandlerContext,
): HttpProblem | null {
  // Against DNS rebinding: a web page can make its own name resolve to this machine, but can't change the Host header.
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(headers.host ?? ""))
    return [403, 201, "the Host header must name this machine itself: 127.0.0.1 or localhost."];
  if (!carriesKey(headers.authorization, apiKey))
    return [403, 202, "the API key is missing or wrong: send the header Authorization: Bearer <API_KEY>."];
  const isNamed = (name: string): boolean =>
    name === versionHeader.toLowerCase() || (lenient && name.endsWith("-version"));
  if (!Object.entries(headers).some(([name, value]) => isNamed(name) && value === "2"))
    return [400, 203, `the header ${versionHeader}: 2 is missing or has another value.`];
  const type = headers["content-type"];
  if (hasBody && !/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type ?? ""))
    return [400, 204, "a request with a body needs the header Content-Type: application/json."];
  if (!hasBody && type !== undefined && !lenient)
    return [400, 204, "a request without a body has no Content-Type header."];
  return null;
}

function carriesKey(authorization: string | undefined, apiKey: string): boolean {
  const given = Buffer.from(/^Bearer (.+)$/i.exec(authorization ?? "")?.[1] ?? "");
  const wanted = Buffer.from(apiKey);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function sendFaulty(
  outgoing: ServerResponse,
  response: ModelResponse | null,
  { end, retryAfter }: AppliedFaults,
  service: Service,
): number | null {
  if (end?.of === "status") {
    const { html, status } = end;
    const { body } = problemResponse([status, 299, "a fault of the sandbox made up this response."], service);
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
  return `<html><title>${status} ${STATUS_CODES[status] ?? ""}</title><h1>proxy</h1></html>\n`;
}

function send(outgoing: ServerResponse, status: number, type: string, text: string): void {
  outgoing.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
}

function sendHalf(outgoing: ServerResponse, status: number, text: string | null): void {
  if (text === null) return void outgoing.destroy();
  const bytes = Buffer.from(text);
  outgoing.writeHead(status, { "content-type": "application/json", "content-length": bytes.length });
  outgoing.write(bytes.subarray(0, bytes.length >> 1), () => outgoing.destroy());
}
