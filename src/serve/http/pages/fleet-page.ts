import { escapeHtmlLine } from "../../../report/escape.js";
import type { HtmlPage } from "../../../report/html-page.js";
import { count, cut, spanOf } from "../../../core/text.js";
import { type StackState, stackStates } from "../../records.js";
import { type ListQuery, type ServeView, ageSeconds, countStates, pickStacks, waitingChanges } from "../shown-stack.js";
import {
  askedHtml,
  commitHtml,
  impactHtml,
  messageHtml,
  segmentOf,
  servePage,
  staleHtml,
  stateHtml,
  tableHtml,
} from "./page-frame.js";

const stacksOnPage = 200;
const mostNotices = 5;

type ShownFleet = ReturnType<typeof shownFleet>;

function shownFleet(view: ServeView, query: ListQuery, now: number) {
  const counts = countStates(view.stacks(), now);
  const total = stackStates.reduce((sum, state) => sum + counts[state], 0);
  return { ...pickStacks(view, { ...query, limit: stacksOnPage }, now), counts, total, query, now };
}

export function fleetPage(view: ServeView, query: ListQuery, now: number): HtmlPage {
  const fleet = shownFleet(view, query, now);
  const { counts, total } = fleet;
  const bad = counts.failed + counts.refused;
  const kept = [...query.states].map((state) => `<input type="hidden" name="state" value="${state}">`).join("");
  const main = `<header><h1>Fleet</h1></header>
${staleHtml}
<form class="search" role="search" action="./" method="get">${kept}
<input type="search" name="q" value="${escapeHtmlLine(query.search ?? "")}" placeholder="Find by name, account, source or commit" aria-label="Find by name, account, source or commit">
<button>Find</button></form>
<div id="fleet" data-live>
<p class="soft">${askedHtml(now)}</p>
${noticesOf(view, now)
  .map((notice) => `<p class="headline failed">${escapeHtmlLine(notice)}</p>`)
  .join("\n")}
${tilesHtml(fleet)}
${total === 0 ? '<p class="card plain">Stacks appear when their sources have been fetched. The log of edgewise serve says what keeps them away.</p>' : stacksHtml(fleet)}
${pagerHtml(fleet)}
</div>`;
  return servePage(`${bad === 0 ? "" : `(${bad}) `}Fleet: ${count(total, "stack")}`, main);
}

function noticesOf(view: ServeView, now: number): readonly string[] {
  const all = [
    ...view.troubles().map(({ message, since }) => `For ${spanOf(Math.max(0, now - since) / 1000)}: ${message}`),
    ...view.accounts().flatMap(({ name, brake }) => {
      if (brake === null) return [];
      return [`Account ${name}: automatic writes are paused, ${brake.message} (brake ${brake.id}).`];
    }),
    ...view.sources().flatMap(({ name, problem }) => {
      if (problem === null) return [];
      return [`Source ${name} is not followed (${problem.code}): ${problem.message}`];
    }),
  ];
  return all.length <= mostNotices ? all : [...all.slice(0, mostNotices), `${all.length - mostNotices} more of these.`];
}

function tilesHtml({ counts, query: { search, states }, total }: ShownFleet): string {
  const tile = (label: string, number: number, own: readonly StackState[], isCurrent: boolean): string =>
    `<li><a href="${hrefOf(own, search)}"${isCurrent ? ' aria-current="true"' : ""}><b>${number}</b>${label}</a></li>`;
  const some = stackStates.filter((state) => counts[state] > 0 || states.has(state));
  const tiles = some.map((state) => tile(state, counts[state], [state], states.has(state)));
  return `<nav aria-label="States"><ul class="tiles">${tile("all", total, [], states.size === 0)}${tiles.join("")}</ul></nav>`;
}

function hrefOf(states: Iterable<StackState>, search: string | null, after: string | null = null): string {
  const params = new URLSearchParams(Array.from(states, (state): [string, string] => ["state", state]));
  if (search !== null) params.set("q", search);
  if (after !== null) params.set("after", after);
  return params.size === 0 ? "./" : `?${escapeHtmlLine(params.toString())}`;
}

function stacksHtml({ stacks, now }: ShownFleet): string {
  if (stacks.length === 0) return '<p class="card plain">No stack is like this.</p>';
  const rows = stacks.map((stack) => {
    const { commit, impact, message, name, reason, since, state } = stack;
    const waits = waitingChanges(stack);
    return [
      `<span title="for ${spanOf(ageSeconds(Date.parse(since), now) ?? 0)}">${stateHtml(state, reason)}</span>`,
      `<a class="name" href="stacks/${segmentOf(name)}">${escapeHtmlLine(name)}</a>${state === "synced" ? "" : messageHtml(cut(message, 160))}`,
      waits === 0 ? "" : impactHtml(impact),
      waits === 0 ? "" : count(waits, "change"),
      commitHtml(commit),
      stack.ageSeconds === null ? "never" : `${spanOf(stack.ageSeconds)} ago`,
    ];
  });
  return tableHtml(["State", "Stack", "Impact", "Not applied", "Commit", "Looked at"], rows);
}

function pagerHtml({ next, query: { after, search, states } }: ShownFleet): string {
  const link = (text: string, cursor: string | null): string =>
    `<a href="${hrefOf(states, search, cursor)}">${text}</a>`;
  const links = `${after === null ? "" : link("First page", null)}${next === null ? "" : link("Next page", next)}`;
  return links === "" ? "" : `<nav class="pager" aria-label="Pages">${links}</nav>`;
}
