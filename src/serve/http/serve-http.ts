import { createHmac } from "node:crypto";
import { type IncomingHttpHeaders, type IncomingMessage, type Server, createServer } from "node:http";
import type { Clock } from "../../api/client.js";
import { isLoopback } from "../../config/api-config.js";
import { EdgewiseError } from "../../core/errors.js";
import {
  type Access,
  type Answer,
  isSameSecret,
  jsonAnswer,
  pageAnswer,
  problemAnswer,
  refuseAccess,
  sendAnswer,
  textAnswer,
} from "./answer.js";
import type { ServeDeps } from "../serve-deps.js";
import { wordsOf } from "../serve-events.js";
import type { ServeMetrics } from "./serve-metrics.js";
import {
  type ListQuery,
  type ServeView,
  type StackView,
  pickStacks,
  readQuery,
  showStack,
  shownApproval,
} from "./shown-stack.js";
import { fleetPage } from "./pages/fleet-page.js";
import { problemPage } from "./pages/page-frame.js";
import { stackPage } from "./pages/stack-page.js";

export type ServeHttpOptions = Access &
  Readonly<{
    view: ServeView;
    metrics: ServeMetrics;
    clock: Clock;
    readHookSecret: (source: string) => Promise<string | null>;
    listen: Readonly<{ host: string; port: number }>;
    limits?: Partial<typeof usualLimits>;
  }>;

const usualLimits = { connections: 256, headersMs: 10_000, idleMs: 30_000, readMs: 300_000 };
const requestMs = 20_000;
const heartbeatMs = 60_000;

export type ServeHttp = Awaited<ReturnType<typeof startServeHttp>>;

export async function startServeHttp(options: ServeHttpOptions) {
  const { listen, onProblem, readToken } = options;
  if (readToken === null && !isLoopback(listen.host)) {
    const message = `http.listen is ${listen.host}, which other machines may reach, and there is no token`;
    const remedy = "Add http.token: {file: …} to the fleet file, or listen on 127.0.0.1.";
    throw new EdgewiseError("config", message, { remedy });
  }
  await readToken?.();
  const { connections, headersMs, idleMs, readMs } = { ...usualLimits, ...options.limits };
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(1000, headersMs),
    keepAliveTimeout: 5000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxHeadersCount = 100;
  server.maxConnections = connections;
  server.setTimeout(idleMs);
  const url = await listenOn(server, listen);
  const router = createRouter(options, url);
  server.on("request", (request, response) => {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    void router(request)
      .catch((error: unknown) => {
        onProblem(error);
        return problemAnswer(500, "Something went wrong in edgewise. Its log says what.");
      })
      .then((answer) => {
        if (answer === null) response.destroy();
        else sendAnswer(response, answer, readMs);
      })
      .catch(onProblem);
  });
  return {
    url,
    async close() {
      const ended = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await ended;
    },
  };
}

async function listenOn(server: Server, { host, port }: ServeHttpOptions["listen"]): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      const remedy = "Give http.listen of the fleet file, or --listen, another address or port.";
      reject(new EdgewiseError("io", `can't listen on ${host} port ${port}: ${cause.message}`, { remedy, cause }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("a server that listens has an address");
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

const silentMs = 60_000;

export function answerProblems({
  clock,
  emit,
  mask,
}: Pick<ServeDeps, "clock" | "emit" | "mask">): (error: unknown) => void {
  let last = { message: "", at: -Infinity };
  return (error) => {
    const isExpected = error instanceof EdgewiseError;
    const message = mask(isExpected ? wordsOf(error) : error instanceof Error ? error.message : String(error));
    const at = clock.now();
    if (message === last.message && Math.abs(at - last.at) < silentMs) return;
    last = { message, at };
    emit(isExpected ? { event: "answer-failed", message } : { event: "bug", subject: "an answer over HTTP", message });
  };
}

type Asked = ServeHttpOptions &
  Readonly<{
    query: ListQuery;
    now: number;
    origin: string;
    problem: (status: number, text: string) => Answer;
  }>;

type Route = Readonly<{
  path: RegExp;
  /** Needs no token. */
  open?: true;
  /** Query parameters; absent = any are ignored. */
  takes?: readonly string[];
  /** A page, and its way to the fleet. */
  home?: string;
  answer?: (asked: Asked) => Answer | Promise<Answer>;
  answerStack?: (asked: Asked, stack: StackView) => Answer | Promise<Answer>;
}>;

const hooks: Route = { path: /^\/hooks\/([^/]*)$/, open: true };

const routes: readonly Route[] = [
  {
    path: /^\/$/,
    takes: ["state", "q", "after"],
    home: "./",
    answer: ({ now, query, view }) => pageAnswer(fleetPage(view, query, now)),
  },
  { path: /^\/stacks\/([^/]*)$/, takes: ["after"], home: "../", answerStack },
  {
    path: /^\/api\/stacks$/,
    takes: ["state", "limit", "after"],
    answer: ({ now, query, view }) => jsonAnswer({ format: "edgewise.stacks/v1", ...pickStacks(view, query, now) }),
  },
  {
    path: /^\/api\/stacks\/([^/]*)$/,
    takes: [],
    answerStack: ({ now }, stack) =>
      jsonAnswer({ format: "edgewise.stack/v1", ...showStack(stack, now), approval: shownApproval(stack) }),
  },
  {
    path: /^\/api\/stacks\/([^/]*)\/plan$/,
    takes: [],
    answerStack: async ({ problem, view }, { record }) => {
      const plan = await view.plan(record.name);
      return plan === null ? problem(404, "There is no plan: the last look found nothing to do.") : jsonAnswer(plan);
    },
  },
  { path: /^\/api\/stacks\/([^/]*)\/history$/, takes: ["limit", "after"], answerStack: answerHistory },
  {
    path: /^\/healthz$/,
    open: true,
    answer: ({ now, view }) =>
      healthAnswer(now - view.heartbeat() > heartbeatMs ? ["The loop does not turn any more."] : []),
  },
  { path: /^\/readyz$/, open: true, answer: async ({ view }) => healthAnswer(await view.unreadiness()) },
  {
    path: /^\/metrics$/,
    open: true,
    answer: async ({ metrics, now, view }) => {
      const { contentType, text } = await metrics.render(view, now);
      return textAnswer(text, { "Content-Type": contentType });
    },
  },
  hooks,
];

/** Access first: who may not ask does not learn what there is. */
function createRouter(options: ServeHttpOptions, listening: string) {
  const { clock, view } = options;
  const briefly = brieflyKept(clock);
  return async (request: IncomingMessage): Promise<Answer | null> => {
    const { headers, method, url = "" } = request;
    const [path = "", ...rest] = url.split("?");
    const route = routes.find((one) => one.path.test(path));
    const name = decoded(route?.path.exec(path)?.[1] ?? "");
    if (name === null) return problemAnswer(400, "The path is malformed.");
    if (route === hooks) return takeHook(options, request, name);
    const refusal = route?.open === true ? null : await refuseAccess(request, options);
    if (refusal !== null) return refusal;
    if (route === undefined) return problemAnswer(404, "There is nothing here. docs/serve/http.md lists the paths.");
    if (method !== "GET" && method !== "HEAD")
      return problemAnswer(405, "This path takes GET and HEAD alone.", { Allow: "GET, HEAD" });
    const { answer, answerStack: answerOne, home, open, takes } = route;
    const problem = (status: number, text: string): Answer =>
      home === undefined ? problemAnswer(status, text) : pageAnswer(problemPage(status, text, home), status);
    const query = readQuery(takes === undefined ? "" : rest.join("?"), takes ?? []);
    if (typeof query === "string") return problem(400, query);
    const origin = originOf(headers, listening);
    const asked: Asked = { ...options, query, now: clock.now(), origin, problem };
    return briefly(open === true ? path : `${origin} ${url}`, async () => {
      try {
        if (answer !== undefined) return await answer(asked);
        const stack = view.stack(name);
        if (stack !== null && answerOne !== undefined) return await answerOne(asked, stack);
        return problem(404, "There is no stack of this name. A name is one segment, percent-encoded: many%2Ft1.");
      } catch (error) {
        if (!(error instanceof EdgewiseError)) throw error;
        if (error.code === "usage") return problem(400, error.message);
        options.onProblem(error);
        return problem(503, "The state can't be read now. The log of edgewise serve says why.");
      }
    });
  };
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

const keptMs = 1000;

function brieflyKept(clock: Clock): (key: string, make: () => Promise<Answer>) => Promise<Answer> {
  const kept = new Map<string, Readonly<{ at: number; answer: Promise<Answer> }>>();
  return (key, make) => {
    const now = clock.now();
    for (const [old, { at }] of kept) if (now < at || now >= at + keptMs) kept.delete(old);
    const known = kept.get(key);
    if (known !== undefined) return known.answer;
    const answer = make();
    kept.set(key, { at: now, answer });
    answer.catch(() => kept.delete(key));
    return answer;
  };
}

function healthAnswer(problems: readonly string[]): Answer {
  const ok = problems.length === 0;
  return jsonAnswer({ format: "edgewise.health/v1", ok, problems }, ok ? 200 : 503);
}

const mostEntries = 1000;

async function answerHistory({ problem, query, view }: Asked, { record: { name } }: StackView): Promise<Answer> {
  const { after, limit } = query;
  if ((limit ?? 0) > mostEntries) return problem(400, `limit takes a whole number from 1 to ${mostEntries}.`);
  const page = await view.history(name, { limit: limit ?? 100, after });
  return jsonAnswer({ format: "edgewise.history/v1", stack: name, ...page });
}

const entriesOnPage = 50;

async function answerStack({ now, origin, query, view }: Asked, found: StackView): Promise<Answer> {
  const { name } = found.record;
  const plan = await view.plan(name);
  const history = await view.history(name, { limit: entriesOnPage, after: query.after });
  const approvable = found.approvable !== false;
  return pageAnswer(stackPage({ stack: showStack(found, now), plan, history, approvable, origin, now }));
}

function originOf(headers: IncomingHttpHeaders, listening: string): string {
  const { host } = headers;
  if (host === undefined || !/^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.test(host)) return listening;
  return `${headers["x-forwarded-proto"] === "https" ? "https" : "http"}://${host}`;
}

const mostBytes = 1024 * 1024;

async function takeHook(
  { onProblem, readHookSecret, view }: ServeHttpOptions,
  request: IncomingMessage,
  source: string,
): Promise<Answer | null> {
  let secret: string | null;
  try {
    secret = await readHookSecret(source);
  } catch (error) {
    onProblem(error);
    return problemAnswer(503, "The secret of this hook can't be read now. The log of edgewise serve says why.");
  }
  if (secret === null) return problemAnswer(404, "There is no hook here: no source of this name has a secret.");
  if (request.method !== "POST") return problemAnswer(405, "A hook takes POST.", { Allow: "POST" });
  const hmac = createHmac("sha256", secret);
  let size = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size <= mostBytes) hmac.update(piece);
    }
  } catch {
    return null;
  }
  if (size > mostBytes) return problemAnswer(413, `The body of a hook may have ${mostBytes} bytes.`);
  // GitHub and Gitea sign the body; GitLab's token is the secret itself.
  const { "x-gitlab-token": token = "", "x-hub-signature-256": signature } = request.headers;
  const isProven =
    signature === undefined
      ? isSameSecret(String(token), secret)
      : isSameSecret(String(signature).toLowerCase(), `sha256=${hmac.digest("hex")}`);
  // With an empty secret everybody could sign.
  if (secret === "" || !isProven)
    return problemAnswer(
      403,
      "X-Hub-Signature-256 (GitHub) or X-Gitlab-Token (GitLab) must prove the source's secret.",
    );
  view.markDue(source);
  return textAnswer("", {}, 202);
}
