import type { Change } from "../plan/plan-format.js";
import { changeViews } from "./change-views.js";
import { escapeHtml } from "./escape-html.js";
import { visibleLine } from "./escape.js";
import { fieldsHtml } from "./field-html.js";
import type { LineDiff } from "./line-diff.js";
import { actionStyles } from "./marks.js";

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
