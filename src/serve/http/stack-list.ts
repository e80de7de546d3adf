import { type Impact, impacts } from "../../kinds/impact.js";
import { type StackRecord, type StackState, stackStates } from "../records.js";
import type { ListQuery } from "./read-query.js";
import type { ServeView, ShownState, StackView } from "./serve-view.js";
import { type Standing, byStanding, standingOf } from "./shown-stack.js";

/** A page of stacks, the worst first. */
export interface StackPage {
  readonly stacks: readonly StackView[];
  /** Give it as `after` for the next page; null = there is none. */
  readonly next: string | null;
}

/** Which stacks are asked for, as they are at a time. */
export interface StackSelection {
  readonly query: ListQuery;
  readonly shownState: ShownState;
  readonly now: number;
}

/**
 * Picks a page of the fleet. A page begins at a standing, not at a number, so a stack that keeps its state is on exactly
 * one page, whatever the others do meanwhile.
 * @returns null when `after` names nothing
 */
export function pickStacks(view: ServeView, { query, shownState, now }: StackSelection): StackPage | null {
  const { states, limit, after } = query;
  const search = query.search?.trim().toLowerCase() ?? "";
  const from = after === null ? null : (standingNamed(after) ?? standingOfStack(view.stack(after), shownState, now));
  if (after !== null && from === null) return null;
  const found: Found[] = [];
  for (const stack of view.stacks()) {
    const { record, intervalMs } = stack;
    const state = shownState(record.status, intervalMs, now);
    if (states.size > 0 && !states.has(state)) continue;
    if (search !== "" && !isAbout(record, search)) continue;
    const { rank, name } = standingOf(state, record.status.impact, record.name);
    if (from === null || byStanding({ rank, name }, from) > 0) found.push({ rank, name, state, stack });
  }
  found.sort(byStanding);
  const page = limit === null ? found : found.slice(0, limit);
  const last = page.at(-1);
  const next = last === undefined || page.length === found.length ? null : cursorOf(last);
  return { stacks: page.map(({ stack }) => stack), next };
}

/** Whether a name, the account or the source holds a text in small letters, or the commit begins with it. */
function isAbout({ account, name, source, status }: StackRecord, search: string): boolean {
  if ([name, account, source].some((text) => text.toLowerCase().includes(search))) return true;
  return status.commit?.startsWith(search) === true;
}

interface Found extends Standing {
  readonly state: StackState;
  readonly stack: StackView;
}

/** `waiting:routing:prod`. Names hold no colon, so it is never a name. */
function cursorOf({ state, stack, name }: Found): string {
  return `${state}:${stack.record.status.impact}:${name}`;
}

function standingNamed(cursor: string): Standing | null {
  const [state = "", impact = "", ...name] = cursor.split(":");
  if (!isState(state) || !isImpact(impact) || name.length === 0) return null;
  return standingOf(state, impact, name.join(":"));
}

function standingOfStack(stack: StackView | null, shownState: ShownState, now: number): Standing | null {
  if (stack === null) return null;
  const { record, intervalMs } = stack;
  return standingOf(shownState(record.status, intervalMs, now), record.status.impact, record.name);
}

/** Whether a text names a state. */
export function isState(text: string): text is StackState {
  return stackStates.some((state) => state === text);
}

function isImpact(text: string): text is Impact {
  return impacts.some((impact) => impact === text);
}
