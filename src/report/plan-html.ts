import { type Change, type Plan, impacts } from "../plan/plan-format.js";
import { changeHtml } from "./change-html.js";
import { escapeHtml } from "./escape-html.js";
import { visibleLine } from "./escape.js";
import { groupBy } from "./groups.js";
import { filterChoices, htmlFilters } from "./html-filters.js";
import { htmlPage } from "./html-page.js";
import { lineDiffFor } from "./line-diff-for.js";
import type { LineDiff } from "./line-diff.js";
import { actionOrder, actionStyles } from "./marks.js";
import { refusalsHtml, warningsHtml } from "./notices-html.js";
import { operationsSvg } from "./operations-svg.js";
import { operationsTable } from "./operations-table.js";
import { rehearsalLine } from "./rehearsal-line.js";
import { relaxationsLine } from "./relaxations-line.js";
import { splitDrift } from "./split-drift.js";
import { planHeadline } from "./verdict.js";

export interface PlanHtmlOptions {
  readonly commit?: string;
}

/** Up to this many changes, all are open from the start. */
const fewChanges = 12;

/** A plan as one page that loads nothing from elsewhere: light and dark, to be read, filtered and printed. */
export async function renderPlanHtml(plan: Plan, options: PlanHtmlOptions = {}): Promise<string> {
  const diff = await lineDiffFor(plan.changes);
  const { branch, overwritten } = splitDrift(plan.changes);
  const few = plan.changes.length <= fewChanges;
  const parts = [
    head(plan, options.commit),
    refusalsHtml(plan.refusals),
    plan.changes.length < 2 ? "" : filters(plan),
    ...groupBy(branch, actionOrder, (change) => change.action).map(({ key, items }) =>
      section(actionStyles[key].heading, "", items, diff, few || key === "delete" || key === "replace"),
    ),
    section("Drift that would be overwritten", "somebody changed this live", overwritten, diff, few),
    warningsHtml(plan.warnings),
    orderSection(plan),
    foot(plan),
  ];
  return htmlPage(`Plan for ${plan.stack}`, parts.filter((part) => part !== "").join("\n"));
}

function head(plan: Plan, commit: string | undefined): string {
  const { impact, empty, headline, refusal } = planHeadline(plan);
  const meta = [
    `<span>${line(plan.baseUrl)}</span>`,
    ...(commit === undefined ? [] : [`<span>commit <code>${line(commit)}</code></span>`]),
    ...(plan.base === undefined ? [] : [`<span>compared with <code>${line(plan.base)}</code></span>`]),
  ];
  const good = empty && refusal === null;
  const word = empty ? "" : `<b>${impact === "none" || impact === "cosmetic" ? "changes" : impact}</b>`;
  const refused = refusal === null ? "" : `<div class="verdict refused"><b>refused</b>${escapeHtml(refusal)}</div>\n`;
  const tiles = [...actionOrder, "unchanged" as const].map(
    (action) =>
      `<li${plan.summary[action] === 0 ? ' class="zero"' : ""}><b>${plan.summary[action]}</b>${tileLabel(action)}</li>`,
  );
  return `<header><h1>Plan for ${line(plan.stack)}</h1><div class="meta">${meta.join("")}</div>
${refused}<div class="verdict ${good ? "good" : impact}">${word}${escapeHtml(headline)}</div></header>
<ul class="tiles" aria-label="Sums">${tiles.join("")}</ul>`;
}

function tileLabel(action: (typeof actionOrder)[number] | "unchanged"): string {
  return action === "unchanged" ? "unchanged" : `to ${actionStyles[action].verb}`;
}

function filters(plan: Plan): string {
  return htmlFilters(
    "Action",
    filterChoices(plan.changes, actionOrder, (change) => change.action),
    filterChoices(plan.changes, [...impacts].reverse(), (change) => change.impact),
  );
}

function section(title: string, hint: string, changes: readonly Change[], diff: LineDiff, open: boolean): string {
  if (changes.length === 0) return "";
  const cards = changes.map((change) => changeHtml(change, diff, open));
  return `<section data-cards><h2>${escapeHtml(title)} <small>${changes.length}${hint === "" ? "" : ` · ${escapeHtml(hint)}`}</small></h2>\n${cards.join("\n")}</section>`;
}

function orderSection(plan: Plan): string {
  if (plan.operations.length === 0) return "";
  const drawing = operationsSvg(plan.operations);
  const table = operationsTable(plan.operations);
  const lines = [relaxationsLine(plan), rehearsalLine(plan)].filter((line) => line !== null);
  const said = lines.map((line) => `<p class="soft">${escapeHtml(line)}</p>`).join("");
  return `<section id="order"><h2>Order <small>${plan.operations.length} operations</small></h2>
${said}${drawing ?? ""}
<details class="card"${drawing === null && plan.operations.length <= 20 ? " open" : ""}><summary>All operations in a table</summary><div class="body">${table}</div></details></section>`;
}

function foot(plan: Plan): string {
  return `<footer>Plan <code>${line(plan.hash)}</code> · edgewise ${line(plan.toolVersion)}</footer>`;
}

function line(text: string): string {
  return escapeHtml(visibleLine(text));
}
