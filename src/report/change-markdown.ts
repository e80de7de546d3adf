import type { Change } from "../plan/plan-format.js";
import { cut } from "../text.js";
import { changeViews } from "./change-views.js";
import { count } from "./count.js";
import { escapeHtml } from "./escape-html.js";
import { markdownCell, markdownCode, markdownFence, markdownText } from "./escape-markdown.js";
import { visibleLine } from "./escape.js";
import { fieldDiffLines } from "./field-diff-lines.js";
import type { FieldLimits } from "./field-view.js";
import { impactBadge } from "./impact-badge.js";
import type { LineDiff } from "./line-diff.js";
import { actionStyles } from "./marks.js";

const changeLimits: FieldLimits = { inline: 100, line: 500, lines: 300 };

/** A row of the table of changes. */
export function changeRow(change: Change): string {
  const shown = change.fields.slice(0, 4).map((field) => markdownCell(cut(field.path.replace(/^spec\./, ""), 80)));
  const more = change.fields.length > 4 ? [`and ${change.fields.length - 4} more`] : [];
  const cells = [
    `${markdownCell(actionStyles[change.action].mark)} ${change.action}${change.origin === "drift" ? " (changed live)" : ""}`,
    markdownCell(change.address),
    impactBadge(change.impact),
    [...shown, ...more].join(", "),
    change.source === null ? "" : markdownCell(`${change.source.file}:${change.source.line}`),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** A change in the open: a bullet with its reason, its difference below. */
export function changeOpen(change: Change, diff: LineDiff): string {
  return [`- ${changeLine(change)}`, ...changeBody(change, diff, true).map((part) => indented(part))].join("\n\n");
}

/** A change in one line: what, where, why. */
export function changeLine(change: Change): string {
  const id = change.id === null ? "" : ` (${markdownCode(change.id)})`;
  const reason = change.reason === null ? "" : `: ${markdownText(cut(change.reason, 500))}`;
  return `**${change.action}** ${markdownCode(change.address)}${id} ${impactBadge(change.impact)}${reason}`;
}

/** A change folded: a summary that opens. */
export function changeFolded(change: Change, diff: LineDiff): string {
  const style = actionStyles[change.action];
  const name = escapeHtml(visibleLine(change.address));
  const head = `<code>${escapeHtml(style.mark)}</code> ${change.action} <code>${name}</code> · ${impactBadge(change.impact)} · ${count(change.fields.length, "field")}`;
  return [`<details><summary>${head}</summary>`, ...changeBody(change, diff, false), "</details>"].join("\n\n");
}

function changeBody(change: Change, diff: LineDiff, reasonTold: boolean): readonly string[] {
  const { fields, reason, notes } = changeViews(change, diff, changeLimits);
  const said = [...(reason === null || reasonTold ? [] : [reason]), ...notes];
  return [
    ...(said.length === 0 ? [] : [said.map((note) => `- ${markdownText(cut(note, 1000))}`).join("\n")]),
    ...(fields.length === 0 ? [] : [markdownFence(fieldDiffLines(fields, "plan"), "diff")]),
  ];
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
