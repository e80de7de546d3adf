import { setMaxListeners } from "node:events";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { Clock } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import { answerQuery } from "./answer-query.js";
import { boundConnections } from "./bound-connections.js";
import { holdsToken, isLoopback, isOwnHost } from "./check-access.js";
import { findRoute, isOpen } from "./find-route.js";
import { createHookPace } from "./hook-pace.js";
import { type OpenAnswers, openAnswers } from "./open-answers.js";
import { answerPage, originOf } from "./pages/answer-page.js";
import { type Answer, problemAnswer, sendAnswer } from "./send-answer.js";
import { readBody } from "./read-request-body.js";
import type { ServeMetrics } from "./serve-metrics.js";
import type { ServeView, ShownState } from "./serve-view.js";
import { type StackTexts, createStackTexts } from "./stack-texts.js";
import { type HookOptions, takeHook } from "./take-hook.js";

/** What the server needs. */
export interface ServeHttpOptions {
  readonly view: ServeView;
  readonly metrics: ServeMetrics;
  readonly shownState: ShownState;
  readonly clock: Clock;
  /** Port 0 = a free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Reads the token, anew for every request; null = none is needed, which only a loopback address may say. */
  readonly readToken: (() => Promise<string>) | null;
  readonly readHookSecret: HookOptions["readSecret"];
  /** Is told of what went wrong in an answer; the client only hears that something did. */
  readonly onProblem: (error: unknown) => void;
  readonly limits?: Partial<HttpLimits>;
}

/** How much of the server one client can have. Times in milliseconds. */
export interface HttpLimits {
  readonly connections: number;
  /** To send the headers, and the whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Without a byte in any direction, and to read a whole answer. */
  readonly idleMs: number;
  readonly readMs: number;
  /** The loop has stopped when it has not turned for so long. */
  readonly heartbeatMs: number;
}

const defaultLimits: HttpLimits = {
  connections: 256,
  headersMs: 10_000,
  requestMs: 20_000,
  idleMs: 30_000,
  readMs: 300_000,
  heartbeatMs: 60_000,
};

/** A server that listens. */
export interface ServeHttp {
  /** `http://127.0.0.1:7070`. */
  readonly url: string;
  /** Ends at once, with everything that is being answered. */
  close(): Promise<void>;
}

/**
 * Serves what the loop knows as pages, JSON and metrics, and takes hooks (docs/serve/http.md). Only a hook causes anything.
 * @throws EdgewiseError `config` when there is no token off loopback; `io` when it can't listen there
 */
export async function startServeHttp(options: ServeHttpOptions): Promise<ServeHttp> {
  const { listen, readToken } = options;
  if (readToken === null && !isLoopback(listen.host)) throw needsToken(listen.host);
  await readToken?.();
  const limits = { ...defaultLimits, ...options.limits };
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    keepAliveTimeout: 5000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxHeadersCount = 100;
  server.setTimeout(limits.idleMs);
  boundConnections(server, limits.connections);
  const closing = new AbortController();
  // Each source whose hook rests waits with it.
  setMaxListeners(0, closing.signal);
  const pace = createHookPace((source) => options.view.hasten(source), options.clock, closing.signal);
  const hooks: HookOptions = { readSecret: options.readHookSecret, pace, onProblem: options.onProblem };
  const open = openAnswers(options, limits.heartbeatMs);
  const texts = createStackTexts(options.shownState);
  server.on(
    "request",
    (request, response) => void respond(request, response, { ...options, limits, hooks, open, texts }),
  );
  const url = await listenOn(server, listen, readToken !== null);
  return {
    url,
    async close() {
      closing.abort();
      const ended = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await ended;
    },
  };
}

interface Context extends ServeHttpOptions {
  readonly limits: HttpLimits;
  readonly hooks: HookOptions;
  readonly open: OpenAnswers;
  readonly texts: StackTexts;
}

async function respond(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  const { limits, onProblem } = context;
  const options = { readMs: limits.readMs };
  // A client that goes away is no problem of anybody's.
  request.on("error", () => undefined);
  response.on("error", () => undefined);
  try {
    const answer = await answerTo(request, context);
    if (answer === null || (await readBody(request)) === null) response.destroy();
    else await sendAnswer(response, answer, options);
  } catch (error) {
    onProblem(error);
    if (response.headersSent) response.destroy();
    else {
      const message = "Something went wrong in edgewise. Its log says what.";
      await sendAnswer(response, problemAnswer(500, message), options).catch(() => response.destroy());
    }
  }
}

/** Access first, then the path, then the method: who may not ask does not learn what there is. */
async function answerTo(request: IncomingMessage, context: Context): Promise<Answer | null> {
  const { route, query } = findRoute(request.url ?? "");
  if (route.to === "malformed") return problemAnswer(400, "The path is malformed.");
  if (route.to === "hook") return takeHook(request, route.name, context.hooks);
  if (!isOpen(route)) {
    const refusal = await checkAccess(request, context);
    if (refusal !== null) return refusal;
  }
  if (route.to === "nothing") return problemAnswer(404, "There is nothing here. docs/serve/http.md lists the paths.");
  if (request.method !== "GET" && request.method !== "HEAD") {
    const message = "This path only takes GET and HEAD: what is desired is changed in Git.";
    return problemAnswer(405, message, { Allow: "GET, HEAD" });
  }
  if (route.to === "health" || route.to === "readiness" || route.to === "metrics")
    return await context.open[route.to]();
  const { view, shownState, texts, clock, onProblem } = context;
  const showing = { view, shownState, texts, now: clock.now(), onProblem };
  if (route.to !== "fleet-page" && route.to !== "stack-page") return answerQuery(route, query, showing);
  const { listen } = context;
  const origin = originOf(request.headers, urlOf(listen.host, listen.port));
  return answerPage(route, query, { ...showing, origin });
}

/** Why a request may not ask; null = it may. */
async function checkAccess(
  request: IncomingMessage,
  { readToken, listen, onProblem }: Context,
): Promise<Answer | null> {
  if (readToken === null) {
    if (isOwnHost(request.headers.host, listen.host)) return null;
    const message = "The Host header names another server. Ask for localhost, or for the address that is listened on.";
    return problemAnswer(421, message);
  }
  let token: string;
  try {
    token = await readToken();
  } catch (error) {
    onProblem(error);
    return problemAnswer(503, "The token can't be read now. The log of edgewise serve says why.");
  }
  if (holdsToken(request.headers.authorization, token)) return null;
  const challenges = ['Bearer realm="edgewise"', 'Basic realm="edgewise", charset="UTF-8"'];
  const message = "A token is needed: Authorization: Bearer, or Basic with any user and the token as password.";
  return problemAnswer(401, message, { "WWW-Authenticate": challenges });
}

/** @throws EdgewiseError `io` when it can't listen; `config` when a name like localhost leads off this machine */
async function listenOn(
  server: Server,
  { host, port }: ServeHttpOptions["listen"],
  hasToken: boolean,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const message = `can't listen on ${host} port ${port}: ${listenProblems[cause.code ?? ""] ?? cause.message}`;
      const remedy = "Give http.listen of the fleet file, or --listen, another address or port.";
      reject(new EdgewiseError("io", message, { remedy, cause }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a server that listens has an address");
  if (!hasToken && !isLoopback(address.address)) {
    server.close();
    throw needsToken(host);
  }
  return urlOf(host, address.port);
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

const listenProblems: { readonly [code: string]: string } = {
  EADDRINUSE: "another program listens there",
  EADDRNOTAVAIL: "this machine has no such address",
  EACCES: "this user may not use this port",
  ENOTFOUND: "there is no host of this name",
};

function needsToken(host: string): EdgewiseError {
  return new EdgewiseError("config", `http.listen is ${host}, which other machines may reach, and there is no token`, {
    remedy: "Add http.token: {file: …} to the fleet file, or listen on 127.0.0.1.",
  });
}
