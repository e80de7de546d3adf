import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Clock } from "../../api/client.js";
import { EdgewiseError } from "../../core/errors.js";
import { type Access, type Answer, jsonAnswer, pageAnswer, problemAnswer, refuseAccess, textAnswer } from "./answer.js";
import type { ServeMetrics } from "./serve-metrics.js";
import { type ServeView, countStates, pickStacks, readQuery, shownApproval, showStack } from "./shown-stack.js";
import { type HookOptions, hookTaker } from "./take-hook.js";
import { fleetPage, noticesOf } from "./pages/fleet-page.js";
import { problemPage } from "./pages/page-frame.js";
import { stackPage } from "./pages/stack-page.js";

export interface RouterOptions extends Access, HookOptions {
  readonly view: ServeView;
  readonly metrics: ServeMetrics;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  readonly url: string;
}

export type Router = (request: IncomingMessage) => Promise<Answer | null>;

type Respond = (asked: Asked) => Answer | Promise<Answer>;

/** `*` is one segment, percent-encoded. Off loopback these need a token. */
const guarded: { readonly [path: string]: Respond } = {
  "/": answerFleet,
  "/stacks/*": answerStack,
  "/api/stacks": listStacks,
  "/api/stacks/*": oneStack,
  "/api/stacks/*/plan": onePlan,
  "/api/stacks/*/history": oneHistory,
};

/** Probes, scrapers and hooks have no token: everybody who reaches the port may ask. */
const open = ["/healthz", "/readyz", "/metrics", "/hooks/*"];

/** Access first, then the path, then the method: who may not ask does not learn what there is. */
export function createRouter(options: RouterOptions): Router {
  const { clock, metrics, onProblem, view } = options;
  const takeHook = hookTaker(options);
  const briefly = brieflyKept(clock);
  const others: { readonly [path: string]: Respond } = {
    "/healthz": ({ now }) =>
      healthAnswer(now - view.heartbeat() > options.heartbeatMs ? ["The loop does not turn any more."] : []),
    "/readyz": async () => healthAnswer(await view.unreadiness()),
    "/metrics": async ({ now }) => {
      const { contentType, text } = await metrics.render(view, now);
      return textAnswer(text, { "Content-Type": contentType });
    },
    ...guarded,
  };
  return async (request) => {
    const [path = "", ...rest] = (request.url ?? "").split("?");
    const found = findRoute(path);
    if (found === null) return problemAnswer(400, "The path is malformed.");
    const { name, route } = found;
    if (route === "/hooks/*") return takeHook(request, name);
    const refusal = open.includes(route) ? null : await refuseAccess(request, options);
    if (refusal !== null) return refusal;
    const respond = others[route];
    if (respond === undefined) return problemAnswer(404, "There is nothing here. docs/serve/http.md lists the paths.");
    if (request.method !== "GET" && request.method !== "HEAD") {
      const message = "This path only takes GET and HEAD: what is desired is changed in Git.";
      return problemAnswer(405, message, { Allow: "GET, HEAD" });
    }
    const now = clock.now();
    const origin = originOf(request.headers, options.url);
    const asked: Asked = { view, name, query: rest.join("?"), now, origin, onProblem };
    if (route === "/healthz") return respond(asked);
    return briefly(open.includes(route) ? route : `${origin} ${request.url ?? ""}`, async () => respond(asked));
  };
}

function findRoute(path: string): { readonly route: string; readonly name: string } | null {
  // Also what a proxy gets: `http://other.example/`, `*`.
  if (!path.startsWith("/")) return null;
  const segments = path.split("/");
  const route = [...Object.keys(guarded), ...open].find((one) => {
    const parts = one.split("/");
    return parts.length === segments.length && parts.every((part, at) => part === "*" || part === segments[at]);
  });
  const named = route === undefined ? undefined : segments[route.split("/").indexOf("*")];
  try {
    return { route: route ?? "", name: decodeURIComponent(named ?? "") };
  } catch {
    return null;
  }
}

const keptMs = 1000;

function brieflyKept(clock: Clock): (key: string, make: () => Promise<Answer>) => Promise<Answer> {
  const kept = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>();
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

function listStacks({ now, query, view }: Asked): Answer {
  const asked = readQuery(query, ["state", "limit", "after"]);
  if (typeof asked === "string") return problemAnswer(400, asked);
  const page = pickStacks(view, asked, now);
  if (page === null) return problemAnswer(400, "after takes what next says in an answer, or the name of a stack.");
  const stacks = page.stacks.map((stack) => showStack(stack, now));
  return jsonAnswer({ format: "edgewise.stacks/v1", stacks, next: page.next });
}

const noStack =
  "There is no stack of this name. A name is one segment of the path, percent-encoded: /api/stacks/many%2Ft1.";

function oneStack({ name, now, query, view }: Asked): Answer {
  const asked = readQuery(query, []);
  if (typeof asked === "string") return problemAnswer(400, asked);
  const stack = view.stack(name);
  if (stack === null) return problemAnswer(404, noStack);
  const approval = shownApproval(stack);
  return jsonAnswer({ format: "edgewise.stack/v1", ...showStack(stack, now), approval });
}

async function onePlan(asked: Asked): Promise<Answer> {
  return fromStore(asked, [], async () => {
    const plan = await asked.view.plan(asked.name);
    if (plan === null) return problemAnswer(404, "There is no plan: the last look found nothing to do.");
    return jsonAnswer(plan);
  });
}

const mostEntries = 1000;

async function oneHistory(asked: Asked): Promise<Answer> {
  return fromStore(asked, ["limit", "after"], async (limit, after) => {
    if (limit > mostEntries) return problemAnswer(400, `limit takes a whole number from 1 to ${mostEntries}.`);
    const { entries, next } = await asked.view.history(asked.name, { limit, after });
    return jsonAnswer({ format: "edgewise.history/v1", stack: asked.name, entries, next });
  });
}

async function fromStore(
  { name, onProblem, query, view }: Asked,
  known: readonly string[],
  read: (limit: number, after: string | null) => Promise<Answer>,
): Promise<Answer> {
  const asked = readQuery(query, known);
  if (typeof asked === "string") return problemAnswer(400, asked);
  if (view.stack(name) === null) return problemAnswer(404, noStack);
  try {
    return await read(asked.limit ?? 100, asked.after);
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    if (error.code === "usage") return problemAnswer(400, "after takes what next says in an answer.");
    onProblem(error);
    return problemAnswer(503, "The state can't be read now. The log of edgewise serve says why.");
  }
}

export interface Asked {
  readonly view: ServeView;
  readonly name: string;
  readonly query: string;
  readonly now: number;
  readonly origin: string;
  readonly onProblem: (error: unknown) => void;
}

const stacksOnPage = 200;
const mostOnPage = 1000;
const entriesOnPage = 50;

async function answerStack({ name, now, onProblem, origin, query, view }: Asked): Promise<Answer> {
  const asked = readQuery(query, ["after"]);
  if (typeof asked === "string") return problem(400, "That can't be read", asked, "../");
  const found = view.stack(name);
  if (found === null)
    return problem(404, "There is no such stack", "It may have been forgotten, or have another name.", "../");
  const orDamaged = async <T>(reading: Promise<T>): Promise<T | "damaged"> => {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof EdgewiseError) || error.code === "usage") throw error;
      onProblem(error);
      return "damaged";
    }
  };
  try {
    const plan = await orDamaged(view.plan(name));
    const history = await orDamaged(view.history(name, { limit: entriesOnPage, after: asked.after }));
    const stack = showStack(found, now);
    return pageAnswer(await stackPage({ stack, plan, history, approvable: found.approvable ?? null, origin, now }));
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    return problem(400, "That can't be read", "There is no such page of the history.", "../");
  }
}

function answerFleet({ now, query, view }: Asked): Answer {
  const asked = readQuery(query, ["state", "q", "after", "limit"]);
  if (typeof asked === "string") return problem(400, "That can't be read", asked, "./");
  const limit = Math.min(asked.limit ?? stacksOnPage, mostOnPage);
  const page = pickStacks(view, { ...asked, limit }, now);
  if (page === null) return problem(400, "That can't be read", "There is no such page of the fleet.", "./");
  const counts = countStates(view.stacks(), now);
  const stacks = page.stacks.map((stack) => showStack(stack, now));
  return pageAnswer(fleetPage({ stacks, notices: noticesOf(view, now), next: page.next, query: asked, counts, now }));
}

function problem(status: number, title: string, text: string, home: string): Answer {
  return pageAnswer(problemPage(title, text, home), status);
}

export function originOf(headers: IncomingHttpHeaders, listening: string): string {
  const { host } = headers;
  if (host === undefined || !/^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.test(host)) return listening;
  return `${headers["x-forwarded-proto"] === "https" ? "https" : "http"}://${host}`;
}
