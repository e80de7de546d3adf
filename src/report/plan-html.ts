import { impacts } from "../kinds/impact.js";
import { operationWords } from "../plan/operation-words.js";
import type { Change, Plan } from "../plan/plan-format.js";
import { listFew } from "../text/layout.js";
import { escapeHtml, escapeHtmlLine } from "./escape.js";
import { pageLimits } from "./field-view.js";
import { groupBy, planHeadline, rehearsalLine, relaxationsLine } from "./headline.js";
import { filterChoices, htmlFilters, htmlPage } from "./html-page.js";
import { type HtmlOptions, cardHtml, commitHtml, fieldsHtml, refusalsHtml, warningsHtml } from "./html-parts.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { operationsSvg } from "./operations-diagram.js";
import { changeViews, reasonOfOrder, splitDrift } from "./plan-sections.js";
import { actionOrder, actionStyles } from "./styles.js";

/** Up to this many changes, all are open from the start. */
const fewChanges = 12;

/** A plan as one page that loads nothing from elsewhere: light and dark, to be read, filtered and printed. */
export async function renderPlanHtml(plan: Plan, options: HtmlOptions = {}): Promise<string> {
  return htmlPage(`Plan for ${plan.stack}`, await planHtml(plan, options));
}

/** The same as a part of another page. @param options.heading the tag of its heading, by default `h1` */
export async function planHtml(plan: Plan, options: PlanHtmlOptions = {}): Promise<string> {
  const diff = await lineDiffFor(plan.changes);
  const { branch, overwritten } = splitDrift(plan.changes);
  const few = plan.changes.length <= fewChanges;
  const parts = [
    head(plan, options),
    refusalsHtml(plan.refusals),
    plan.changes.length < 2 ? "" : filters(plan),
    ...groupBy(branch, actionOrder, (change) => change.action).map(({ key, items }) =>
      section({
        title: actionStyles[key].heading,
        cards: items.map((change) => changeHtml(change, diff, few || key === "delete" || key === "replace")),
      }),
    ),
    section({
      title: "Drift that would be overwritten",
      hint: "somebody changed this live",
      cards: overwritten.map((change) => changeHtml(change, diff, few)),
    }),
    warningsHtml(plan.warnings),
    orderSection(plan),
    `<footer>Plan <code>${escapeHtmlLine(plan.hash)}</code> · edgewise ${escapeHtmlLine(plan.toolVersion)}</footer>`,
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
    `<span>${escapeHtmlLine(plan.baseUrl)}</span>`,
    ...(commit === undefined ? [] : [`<span>commit <code>${escapeHtmlLine(commit)}</code></span>`]),
    ...commitHtml(plan),
    ...(plan.base === undefined ? [] : [`<span>compared with <code>${escapeHtmlLine(plan.base)}</code></span>`]),
  ];
  const good = empty && refusal === null;
  const word = empty ? "" : `<b>${label}</b>`;
  const refused = refusal === null ? "" : `<div class="headline refused"><b>refused</b>${escapeHtml(refusal)}</div>\n`;
  const tiles = [...actionOrder, "unchanged" as const].flatMap((name) => {
    const count = plan.summary[name];
    return count === 0 ? [] : [`<li><b>${count}</b>${name === "unchanged" ? name : `to ${name}`}</li>`];
  });
  return `<header><${heading}>Plan for ${escapeHtmlLine(plan.stack)}</${heading}><div class="meta">${meta.join("")}</div>
${refused}<div class="headline ${good ? "good" : impact}">${word}${escapeHtml(headline)}</div></header>
${tiles.length === 0 ? "" : `<ul class="tiles" aria-label="Totals">${tiles.join("")}</ul>`}`;
}

function filters(plan: Plan): string {
  return htmlFilters(
    "Action",
    filterChoices(plan.changes, actionOrder, (change) => change.action),
    filterChoices(plan.changes, impacts.toReversed(), (change) => change.impact),
  );
}

interface Section {
  readonly title: string;
  readonly hint?: string;
  readonly cards: readonly string[];
}

function section({ title, hint, cards }: Section): string {
  if (cards.length === 0) return "";
  const more = hint === undefined ? "" : ` · ${escapeHtml(hint)}`;
  return `<section data-cards><h2>${escapeHtml(title)} <small>${cards.length}${more}</small></h2>\n${cards.join("\n")}</section>`;
}

function changeHtml(change: Change, diff: LineDiff, open: boolean): string {
  const { action, impact, origin } = change;
  const { fields, reason, notes } = changeViews(change, diff, pageLimits);
  const why = reason === null ? "" : `<p class="why ${impact}">${escapeHtml(reason)}</p>`;
  const list =
    notes.length === 0 ? "" : `<ul class="notes">${notes.map((note) => `<li>${escapeHtml(note)}</li>`).join("")}</ul>`;
  return cardHtml({
    resource: change,
    group: action,
    mark: `<span class="mark ${action}" title="${action}">${escapeHtml(actionStyles[action].mark)}</span>`,
    badges: [
      ...(origin === "drift" ? ['<span class="badge drift">changed live</span>'] : []),
      ...(origin === "both" ? ['<span class="badge conflict">changed here and live</span>'] : []),
    ],
    body: `${why}${list}${fieldsHtml(fields, "plan")}`,
    open,
  });
}

function orderSection(plan: Plan): string {
  if (plan.operations.length === 0) return "";
  const drawing = operationsSvg(plan);
  const open = drawing === null && plan.operations.length <= 20;
  const lines = [relaxationsLine(plan), rehearsalLine(plan)].filter((line) => line !== null);
  return `<section id="order"><h2>Order <small>${plan.operations.length} operations</small></h2>
${lines.map((line) => `<p class="soft">${escapeHtml(line)}</p>`).join("")}${drawing ?? ""}
<details class="card"${open ? " open" : ""}><summary>All operations in a table</summary><div class="body">${operationsTable(plan)}</div></details></section>`;
}

function operationsTable(plan: Plan): string {
  const words = operationWords(plan);
  const rows = plan.operations.map((operation) => {
    const { address, after, id, kind, method, path } = operation;
    const cells = [
      `<td class="tight mono">${escapeHtmlLine(id)}</td>`,
      `<td>${escapeHtmlLine(words.get(id)?.does ?? kind)}</td>`,
      `<td class="mono">${escapeHtmlLine(address)}</td>`,
      `<td class="mono">${method} ${escapeHtmlLine(path)}</td>`,
      `<td>${escapeHtmlLine(listFew(after, 12))}</td>`,
      `<td>${escapeHtmlLine(reasonOfOrder(operation) ?? "")}</td>`,
    ];
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="Operations"><table>
<thead><tr><th scope="col">Id</th><th scope="col">Operation</th><th scope="col">Resource</th><th scope="col">Request</th><th scope="col">After</th><th scope="col">Why</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table></div>`;
}
