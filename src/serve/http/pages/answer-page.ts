import type { IncomingHttpHeaders } from "node:http";
import { EdgewiseError } from "../../../core/errors.js";
import { type Answer, pageAnswer } from "../answer.js";
import type { ServeView } from "../serve-view.js";
import { showStack } from "../shown-stack.js";
import { pickStacks, readQuery } from "../stack-list.js";
import { countStates, fleetPage, noticesOf } from "./fleet-page.js";
import { problemPage } from "./page-frame.js";
import { stackPage } from "./stack-page.js";

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

export async function answerStack({ name, now, onProblem, origin, query, view }: Asked): Promise<Answer> {
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

export function answerFleet({ now, query, view }: Asked): Answer {
  const asked = readQuery(query, ["state", "q", "after", "limit"]);
  if (typeof asked === "string") return problem(400, "That can't be read", asked, "./");
  const limit = Math.min(asked.limit ?? stacksOnPage, mostOnPage);
  const page = pickStacks(view, { ...asked, limit }, now);
  if (page === null) return problem(400, "That can't be read", "There is no such page of the fleet.", "./");
  const counts = countStates(view, now);
  const stacks = page.stacks.map((stack) => showStack(stack, now));
  return pageAnswer(fleetPage({ stacks, notices: noticesOf(view, now), next: page.next, query: asked, counts, now }));
}

function problem(status: number, title: string, text: string, home: string): Answer {
  return pageAnswer(problemPage(title, text, home), status);
}

/** Where a request was sent, for commands that a person copies. A proxy says whether it was https. */
export function originOf(headers: IncomingHttpHeaders, listening: string): string {
  const { host } = headers;
  if (host === undefined || !/^(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.test(host)) return listening;
  return `${headers["x-forwarded-proto"] === "https" ? "https" : "http"}://${host}`;
}
