import { impacts } from "../kinds/impact.js";
import { operationWords } from "../plan/operation-words.js";
import type { Action, Change, Plan } from "../plan/plan-format.js";
import { count, cut, listFew } from "../text/layout.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import { type PageItem, fitPage, frameBytes, mostPageBytes } from "./fit-page.js";
import { groupBy, planHeadline, rehearsalLine, relaxationsLine, worstReason } from "./headline.js";
import { filterChoices, htmlFilters, htmlPage } from "./html-page.js";
import {
  type Card,
  type CardDetail,
  type HtmlOptions,
  type Notices,
  cardsOf,
  commitHtml,
  fieldsHtml,
  firstFields,
  firstOf,
  leftOutHtml,
  openFromStart,
  refusalsHtml,
  resourceItem,
  tilesHtml,
  warningsHtml,
  warningsId,
  worstFirst,
} from "./html-parts.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { movesHtml } from "./moves-html.js";
import { changeViews, reasonOfOrder, splitDrift } from "./plan-sections.js";
import { actionOrder, actionStyles } from "./styles.js";

/** A plan as one page that loads nothing from elsewhere: light and dark, to be read, filtered and printed. */
export async function renderPlanHtml(plan: Plan, options: HtmlOptions = {}): Promise<string> {
  return htmlPage(`Plan for ${cut(plan.stack, mostOfCell)}`, await planHtml(plan, options));
}

/** The same as a part of another page. @param options.heading the tag of its heading, by default `h1` */
export async function planHtml(plan: Plan, options: PlanHtmlOptions = {}): Promise<string> {
  const diff = await lineDiffFor(plan.changes);
  const { branch, overwritten } = splitDrift(plan.changes);
  const open = openFromStart([...branch, ...overwritten], isGone);
  const sections: readonly Section[] = [
    ...groupBy(branch, actionOrder, (change) => change.action).map(({ key, items }) => ({
      id: `to-${key}`,
      title: actionStyles[key].heading,
      changes: worstFirst(items),
    })),
    {
      id: overwrittenId,
      title: "Drift that would be overwritten",
      hint: "somebody changed this live",
      changes: worstFirst(overwritten),
    },
  ];
  // Whoever reads a page that does not hold everything must see first what stops the plan and what to know about it.
  let room = mostPageBytes - frameBytes;
  const refusals = refusalsHtml(plan.refusals, room * 0.3);
  const warnings = warningsHtml(plan.warnings, (room -= refusals.bytes) * 0.25);
  const moves = movesHtml(plan, (room -= warnings.bytes) * 0.1);
  const order = orderSection(plan, (room -= moves.bytes) * 0.2);
  const cards = sections.flatMap(({ changes }) => changes.map((change) => changeItem(change, diff, open.has(change))));
  const fitted = fitPage(cards, room - order.bytes);
  let place = 0;
  const parts = [
    head(plan, options),
    tilesHtml([
      ...[...actionOrder, "unchanged" as const].map((name) => ({
        count: plan.summary[name],
        label: name === "unchanged" ? name : `to ${name}`,
        id: sectionOf(name, branch, overwritten),
      })),
      { count: plan.warnings.length, label: plan.warnings.length === 1 ? "warning" : "warnings", id: warningsId },
    ]),
    leftOutHtml(
      fitted,
      "change",
      "`edgewise show PLANFILE --compact` names all of them, and `-o json` has everything.",
    ),
    refusals.html,
    plan.changes.length < 2 ? "" : filters(plan),
    ...sections.map((section) => sectionHtml(section, fitted.shown.slice(place, (place += section.changes.length)))),
    warnings.html,
    moves.html,
    order.html,
    `<footer>Plan <code>${short(plan.hash)}</code> · edgewise ${short(plan.toolVersion)}</footer>`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** How a plan is shown. */
export interface PlanHtmlOptions extends HtmlOptions {
  readonly heading?: "h1" | "h2";
}

function head(plan: Plan, { commit, heading = "h1" }: PlanHtmlOptions): string {
  const { impact, label, empty, headline, refusal } = planHeadline(plan);
  const meta = [
    `<span>${short(plan.baseUrl)}</span>`,
    ...(commit === undefined ? [] : [`<span>commit <code>${short(commit)}</code></span>`]),
    ...commitHtml(plan),
    ...(plan.base === undefined ? [] : [`<span>compared with <code>${short(plan.base)}</code></span>`]),
  ];
  const good = empty && refusal === null;
  const word = empty ? "" : `<b>${label}</b>`;
  const refused =
    refusal === null
      ? ""
      : `<div class="headline refused"><b>refused</b>${escapeHtml(cut(refusal, mostOfCell))}</div>\n`;
  return `<header><${heading}>Plan for ${short(plan.stack)}</${heading}><div class="meta">${meta.join("")}</div>
${refused}<div class="headline ${good ? "good" : impact}">${word}${escapeHtml(cut(headline, mostOfCell))}</div></header>`;
}

const overwrittenId = "overwritten";

/** The section with the changes of an action. */
function sectionOf(
  action: Action | "unchanged",
  branch: readonly Change[],
  overwritten: readonly Change[],
): string | undefined {
  if (branch.some((change) => change.action === action)) return `to-${action}`;
  return overwritten.some((change) => change.action === action) ? overwrittenId : undefined;
}

/** One value of the plan itself on one line: a file that somebody else wrote may have long ones. */
function short(text: string): string {
  return escapeHtmlLine(cut(text, mostOfCell));
}

function filters(plan: Plan): string {
  return htmlFilters(
    { group: "Action" },
    filterChoices(plan.changes, actionOrder, (change) => change.action),
    filterChoices(plan.changes, impacts.toReversed(), (change) => change.impact),
  );
}

/** Changes below one heading. */
interface Section {
  readonly id: string;
  readonly title: string;
  readonly hint?: string;
  readonly changes: readonly Change[];
}

/** What goes away is shown in full, unless that is much, too. */
function isGone({ action }: Change): boolean {
  return action === "delete" || action === "replace";
}

/** @param cards the cards of its changes that fit */
function sectionHtml({ id, title, hint, changes }: Section, cards: readonly (string | null)[]): string {
  if (changes.length === 0) return "";
  const more = hint === undefined ? "" : ` · ${escapeHtml(hint)}`;
  return `<section id="${id}" data-cards><h2>${escapeHtml(title)} <small>${changes.length}${more}</small></h2>\n${cardsOf(cards, "change")}</section>`;
}

function changeItem(change: Change, diff: LineDiff, open: boolean): PageItem {
  return resourceItem(change, (detail) => changeCard(change, diff, { open, ...detail }));
}

function changeCard(change: Change, diff: LineDiff, detail: CardDetail & { readonly open: boolean }): Card {
  const { action, impact, origin } = change;
  const few = firstFields(change.fields, detail);
  const { fields, reason, notes } = changeViews({ ...change, fields: few.first }, diff, detail.limits);
  const why = reason === null ? "" : `<p class="why ${impact}">${escapeHtml(cut(reason, detail.limits.line))}</p>`;
  const { first, more } = firstOf(notes, detail, "note");
  const items = first.map((note) => `<li>${escapeHtml(cut(note, detail.limits.line))}</li>`);
  const list = notes.length === 0 ? "" : `<ul class="notes">${items.join("")}</ul>${more}`;
  return {
    resource: change,
    gist: change.reason ?? worstReason(change),
    group: action,
    mark: `<span class="mark ${action}" title="${action}">${escapeHtml(actionStyles[action].mark)}</span>`,
    badges: [
      ...(origin === "drift" ? ['<span class="badge drift">changed live</span>'] : []),
      ...(origin === "both" ? ['<span class="badge conflict">changed here and live</span>'] : []),
    ],
    body: `${why}${list}${fieldsHtml(fields)}${few.more}`,
    open: detail.open,
  };
}

/** The order of the operations, as far as it fits into a number of bytes. */
function orderSection(plan: Plan, room: number): Notices {
  if (plan.operations.length === 0) return { html: "", bytes: 0 };
  const open = plan.operations.length <= 20;
  const lines = [relaxationsLine(plan), rehearsalLine(plan)].filter((line) => line !== null);
  const html = `<section id="order"><h2>Order <small>${count(plan.operations.length, "operation")}</small></h2>
${lines.map((line) => `<p class="soft">${escapeHtml(cut(line, mostOfCell))}</p>`).join("")}
<details class="card"${open ? " open" : ""}><summary>All operations in a table</summary><div class="body">${operationsTable(plan, room)}</div></details></section>`;
  return { html, bytes: Buffer.byteLength(html) };
}

/** Most characters of one cell of the table. */
const mostOfCell = 5_000;

function operationsTable(plan: Plan, room: number): string {
  const words = operationWords(plan);
  const items = plan.operations.map((operation): PageItem => {
    const { address, after, id, kind, method, path } = operation;
    const text = (value: string): string => escapeHtmlLine(cut(value, mostOfCell));
    const row = (): string =>
      [
        `<tr><td class="tight mono">${text(id)}</td>`,
        `<td>${text(words.get(id)?.does ?? kind)}</td>`,
        `<td class="mono">${text(address)}</td>`,
        `<td class="mono">${method} ${text(path)}</td>`,
        after.length === 0 ? "<td></td>" : `<td data-label="waits for">${text(listFew(after, 12))}</td>`,
        `<td>${text(reasonOfOrder(operation) ?? "")}</td></tr>`,
      ].join("");
    return { rank: 0, forms: [row] };
  });
  const { omitted, shown } = fitPage(items, room);
  const rows = shown.filter((row) => row !== null);
  const rest = omitted === 0 ? "" : `\n<p class="soft">${count(omitted, "more operation")} not shown</p>`;
  return `<table class="wide">
<thead><tr><th scope="col">Id</th><th scope="col">Operation</th><th scope="col">Resource</th><th scope="col">Request</th><th scope="col">Waits for</th><th scope="col">Why</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table>${rest}`;
}
