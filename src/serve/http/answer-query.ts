import { EdgewiseError } from "../../core/errors.js";
import { safeJsonLine } from "../../text/safe-json.js";
import type { Route } from "./find-route.js";
import { readQuery } from "./read-query.js";
import { type Answer, jsonAnswer, jsonStream, problemAnswer } from "./send-answer.js";
import type { ServeView, ShownState } from "./serve-view.js";
import { showStack, shownApproval } from "./shown-stack.js";
import { type StackPage, pickStacks } from "./stack-list.js";
import type { StackTexts } from "./stack-texts.js";

/** What answers are made from. */
export interface Showing {
  readonly view: ServeView;
  readonly shownState: ShownState;
  readonly texts: StackTexts;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly onProblem: (error: unknown) => void;
}

/** The routes that show stacks. */
export type StackRoute = Extract<Route, { readonly to: "stacks" | "stack" | "history" | "plan" }>;

const noStack =
  "There is no stack of this name. A name is one segment of the path, percent-encoded: /api/stacks/many%2Ft1.";

/** Answers what is asked about stacks, with the JSON formats of schemas/serve-*.schema.json. */
export async function answerQuery(route: StackRoute, query: string, showing: Showing): Promise<Answer> {
  if (route.to === "stacks") return listStacks(query, showing);
  const known = route.to === "history" ? ["limit", "after"] : [];
  const asked = readQuery(query, known);
  if (typeof asked === "string") return problemAnswer(400, asked);
  const { view, shownState, now } = showing;
  const stack = view.stack(route.name);
  if (stack === null) return problemAnswer(404, noStack);
  if (route.to === "stack") {
    const approval = shownApproval(stack);
    return jsonAnswer({ format: "edgewise.stack/v1", ...showStack(stack, shownState, now), approval });
  }
  try {
    if (route.to === "plan") return await answerPlan(stack.record.name, view);
    return await answerHistory(stack.record.name, { limit: asked.limit ?? 100, after: asked.after }, view);
  } catch (error) {
    if (!(error instanceof EdgewiseError)) throw error;
    if (error.code === "usage") return problemAnswer(400, "after takes what next says in an answer.");
    showing.onProblem(error);
    return problemAnswer(503, "The state can't be read now. The log of edgewise serve says why.");
  }
}

function listStacks(query: string, showing: Showing): Answer {
  const asked = readQuery(query, ["state", "limit", "after"]);
  if (typeof asked === "string") return problemAnswer(400, asked);
  const page = pickStacks(showing.view, { query: asked, ...showing });
  if (page === null) return problemAnswer(400, "after takes what next says in an answer, or the name of a stack.");
  return jsonStream(pageTexts(page, showing));
}

/** So many stacks are written at once: some 64 KiB. */
const stacksAtOnce = 128;

function* pageTexts({ stacks, next }: StackPage, { texts, now }: Showing): Generator<string> {
  yield '{"format":"edgewise.stacks/v1","stacks":[';
  for (let from = 0; from < stacks.length; from += stacksAtOnce) {
    const some = stacks.slice(from, from + stacksAtOnce);
    const items = some.map((stack) => texts.textOf(stack, now)).join(",");
    yield from === 0 ? items : `,${items}`;
  }
  yield `],"next":${safeJsonLine(next).trimEnd()}}\n`;
}

async function answerPlan(name: string, view: ServeView): Promise<Answer> {
  const plan = await view.plan(name);
  return plan === null ? problemAnswer(404, "There is no plan: the last look found nothing to do.") : jsonAnswer(plan);
}

/** More entries than this are asked for page by page. */
const mostEntries = 1000;

async function answerHistory(
  name: string,
  { limit, after }: { readonly limit: number; readonly after: string | null },
  view: ServeView,
): Promise<Answer> {
  if (limit > mostEntries) return problemAnswer(400, `limit takes a whole number from 1 to ${mostEntries}.`);
  const { entries, next } = await view.history(name, { limit, after });
  return jsonAnswer({ format: "edgewise.history/v1", stack: name, entries, next });
}
