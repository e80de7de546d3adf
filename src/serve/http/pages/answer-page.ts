import type { IncomingHttpHeaders } from "node:http";
import { EdgewiseError } from "../../../core/errors.js";
import type { Showing } from "../answer-query.js";
import type { Route } from "../find-route.js";
import { readQuery } from "../read-query.js";
import { type Answer, pageAnswer } from "../send-answer.js";
import { showStack } from "../shown-stack.js";
import { pickStacks } from "../stack-list.js";
import { countStates, fleetPage, noticesOf } from "./fleet-page.js";
import { problemPage } from "./page-frame.js";
import { stackPage } from "./stack-page.js";

/** The routes that are read in a browser. */
export type PageRoute = Extract<Route, { readonly to: "fleet-page" | "stack-page" }>;

/** What pages are made from. */
export interface PageShowing extends Showing {
  /** Where the page was asked for: `https://edgewise.example.com`. */
  readonly origin: string;
}

/** So many stacks, and entries of the history, are on one page. */
const stacksOnPage = 200;
const entriesOnPage = 50;

/** Answers with a page: the fleet, or one stack. */
export async function answerPage(route: PageRoute, query: string, showing: PageShowing): Promise<Answer> {
  if (route.to === "fleet-page") return answerFleet(query, showing);
  const asked = readQuery(query, ["after"]);
  if (typeof asked === "string") return problem(400, "That can't be read", asked, "../");
  const { approvable, ...found } = showing.view.stack(route.name) ?? { record: null };
  if (found.record === null)
    return problem(404, "There is no such stack", "It may have been forgotten, or have another name.", "../");
  const { name } = found.record;
  const { now, origin, shownState, view } = showing;
  try {
    const details = {
      stack: showStack(found, shownState, now),
      plan: await orDamaged(view.plan(name), showing),
      history: await orDamaged(view.history(name, { limit: entriesOnPage, after: asked.after }), showing),
    };
    return pageAnswer(await stackPage({ ...details, approvable: approvable ?? null, origin, now }));
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    return problem(400, "That can't be read", "There is no such page of the history.", "../");
  }
}

function answerFleet(query: string, showing: PageShowing): Answer {
  const asked = readQuery(query, ["state", "q", "after", "limit"]);
  if (typeof asked === "string") return problem(400, "That can't be read", asked, "./");
  const { now, shownState, view } = showing;
  const limit = Math.min(asked.limit ?? stacksOnPage, 1000);
  const page = pickStacks(view, { query: { ...asked, limit }, shownState, now });
  if (page === null) return problem(400, "That can't be read", "There is no such page of the fleet.", "./");
  const counts = countStates(view, shownState, now);
  const stacks = page.stacks.map((stack) => showStack(stack, shownState, now));
  const notices = noticesOf(view, now);
  return pageAnswer(fleetPage({ stacks, notices, next: page.next, query: asked, counts, now }));
}

/** What the store gives; a page says what it can without it. @throws EdgewiseError `usage` */
async function orDamaged<T>(reading: Promise<T>, { onProblem }: PageShowing): Promise<T | "damaged"> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof EdgewiseError) || error.code === "usage") throw error;
    onProblem(error);
    return "damaged";
  }
}

function problem(status: number, title: string, text: string, home: string): Answer {
  return pageAnswer(problemPage(title, text, home), status);
}

/**
 * Where a request was sent, for commands that a person copies. A proxy says whether it was https.
 * @param listening where the server listens, for a header that names nothing
 */
export function originOf(headers: IncomingHttpHeaders, listening: string): string {
  const { host } = headers;
  if (host === undefined || !/^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.test(host)) return listening;
  return `${headers["x-forwarded-proto"] === "https" ? "https" : "http"}://${host}`;
}
