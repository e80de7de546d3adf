import { impacts } from "../kinds/impact.js";
import type { Change, Operation, Plan } from "../plan/plan-format.js";
import { visibleLine } from "../text/visible.js";
import { escapeHtml } from "./escape.js";
import { groupBy, planHeadline, rehearsalLine, relaxationsLine } from "./headline.js";
import { filterChoices, htmlFilters, htmlPage } from "./html-page.js";
import { fieldsHtml, refusalsHtml, warningsHtml } from "./html-parts.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { operationsSvg } from "./operations-diagram.js";
import { changeViews, splitDrift } from "./plan-sections.js";
import { actionOrder, actionStyles } from "./styles.js";

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

/** One change as a card that folds. */
export function changeHtml(change: Change, diff: LineDiff, open: boolean): string {
  const { fields, reason, notes } = changeViews(change, diff, { inline: 100, line: 2000, lines: 1000 });
  const why = reason === null ? "" : `<p class="why ${change.impact}">${escapeHtml(reason)}</p>`;
  const list =
    notes.length === 0 ? "" : `<ul class="notes">${notes.map((note) => `<li>${escapeHtml(note)}</li>`).join("")}</ul>`;
  const body = `${why}${list}${fieldsHtml(fields, "plan")}`;
  const data = `data-group="${change.action}" data-impact="${change.impact}" data-name="${changeLine(change.address)}"`;
  if (body === "") return `<div class="card plain row" ${data}>${changeSummary(change)}</div>`;
  return `<details class="card" ${data}${open ? " open" : ""}>
<summary>${changeSummary(change)}</summary>
<div class="body">${body}</div>
</details>`;
}

function changeSummary(change: Change): string {
  const { mark } = actionStyles[change.action];
  return [
    `<span class="mark ${change.action}" title="${change.action}">${escapeHtml(mark)}</span>`,
    `<span class="name mono">${changeLine(change.address)}</span>`,
    ...(change.id === null ? [] : [`<span class="soft mono">${changeLine(change.id)}</span>`]),
    ...(change.impact === "none" ? [] : [`<span class="badge ${change.impact}">${change.impact}</span>`]),
    ...(change.origin === "drift" ? ['<span class="badge drift">changed live</span>'] : []),
    ...(change.origin === "both" ? ['<span class="badge conflict">changed here and live</span>'] : []),
    ...(change.source === null
      ? []
      : [`<span class="place mono">${changeLine(`${change.source.file}:${change.source.line}`)}</span>`]),
  ].join(" ");
}

function changeLine(text: string): string {
  return escapeHtml(visibleLine(text));
}

/** Every operation in a table: what, where, after which, why. */
export function operationsTable(operations: readonly Operation[]): string {
  const rows = operations.map((operation) => {
    const after = operation.after.slice(0, 12).map(tableLine).join(", ");
    const more = operation.after.length > 12 ? ` and ${operation.after.length - 12} more` : "";
    return `<tr><td class="tight mono">${tableLine(operation.id)}</td><td class="tight mono">${operation.method}</td><td class="mono">${tableLine(operation.address)}</td><td class="mono">${tableLine(operation.path)}</td><td>${after}${more}</td><td>${operation.why === null ? "" : tableLine(operation.why)}</td></tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="Operations"><table>
<thead><tr><th scope="col">Id</th><th scope="col">Method</th><th scope="col">Resource</th><th scope="col">Path</th><th scope="col">After</th><th scope="col">Why</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody></table></div>`;
}

function tableLine(text: string): string {
  return escapeHtml(visibleLine(text));
}
