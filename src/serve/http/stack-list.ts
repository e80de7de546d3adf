import { type Impact, impacts } from "../../kinds/impact.js";
import { type StackRecord, type StackState, stackStates } from "../records.js";
import type { ServeView, StackView } from "./serve-view.js";
import { type Standing, byStanding, standingOf, stateAt } from "./shown-stack.js";

export interface ListQuery {
  readonly states: ReadonlySet<StackState>;
  readonly limit: number | null;
  readonly after: string | null;
  readonly search: string | null;
}

const mostListed = 100_000;

/** Reads `?state=failed,waiting&limit=100&after=…`. */
export function readQuery(query: string, known: readonly string[]): ListQuery | string {
  const states = new Set<StackState>();
  const single = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!known.includes(name))
      return `Unknown query parameter: this path takes ${known.length === 0 ? "none" : known.join(", ")}.`;
    if (value === "") continue;
    if (name === "state") {
      const words = value.split(",");
      if (!words.every(isState)) return `An unknown state: state takes ${stackStates.join(", ")}.`;
      for (const state of words) states.add(state);
    } else if (single.has(name)) return "A query parameter is given twice: only state can be repeated.";
    else single.set(name, value);
  }
  const limit = single.get("limit") ?? null;
  if (limit !== null && (!/^[1-9]\d{0,5}$/.test(limit) || Number(limit) > mostListed))
    return `limit takes a whole number from 1 to ${mostListed}.`;
  const [after = null, search = null] = [single.get("after"), single.get("q")];
  return { states, limit: limit === null ? null : Number(limit), after, search };
}

export interface StackPage {
  readonly stacks: readonly StackView[];
  readonly next: string | null;
}

/** Picks a page of the fleet. */
export function pickStacks(
  view: ServeView,
  { after, limit, search, states }: ListQuery,
  now: number,
): StackPage | null {
  const wanted = search?.trim().toLowerCase() ?? "";
  const found = view.stacks().flatMap((stack) => {
    const { record } = stack;
    const state = stateAt(stack, now);
    const isWanted = (states.size === 0 || states.has(state)) && (wanted === "" || isAbout(record, wanted));
    return isWanted ? [{ ...standingOf(state, record.status.impact, record.name), state, stack }] : [];
  });
  const from = after === null ? null : (standingNamed(after) ?? standingOfStack(view.stack(after), now));
  if (after !== null && from === null) return null;
  const left = found.filter((one) => from === null || byStanding(one, from) > 0).toSorted(byStanding);
  const page = limit === null ? left : left.slice(0, limit);
  const last = page.length < left.length ? page.at(-1) : undefined;
  // `waiting:routing:prod`. Names hold no colon, so it is never a name.
  const next = last === undefined ? null : `${last.state}:${last.stack.record.status.impact}:${last.name}`;
  return { stacks: page.map(({ stack }) => stack), next };
}

function isAbout({ account, name, source, status }: StackRecord, search: string): boolean {
  if ([name, account, source].some((text) => text.toLowerCase().includes(search))) return true;
  return status.commit?.startsWith(search) === true;
}

function standingNamed(cursor: string): Standing | null {
  const [state = "", impact = "", ...name] = cursor.split(":");
  if (!isState(state) || !isImpact(impact) || name.length === 0) return null;
  return standingOf(state, impact, name.join(":"));
}

function standingOfStack(stack: StackView | null, now: number): Standing | null {
  if (stack === null) return null;
  const { name, status } = stack.record;
  return standingOf(stateAt(stack, now), status.impact, name);
}

function isState(text: string): text is StackState {
  return stackStates.some((state) => state === text);
}

function isImpact(text: string): text is Impact {
  return impacts.some((impact) => impact === text);
}
