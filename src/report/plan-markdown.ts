import type { Change, Plan } from "../plan/plan-format.js";
import { count, cut, listFew } from "../text/layout.js";
import { escapeHtmlLine, markdownCell, markdownCode, markdownFence, markdownText } from "./escape.js";
import { type FieldLimits, commentLimits } from "./field-view.js";
import type { FittingBlock } from "./fit.js";
import { groupBy, planHeadline, rehearsalLine, relaxationsLine, summaryLine } from "./headline.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import {
  type MarkdownOptions,
  fieldDiffLines,
  indented,
  markdownReport,
  refusalBlock,
  warningBlock,
} from "./markdown-parts.js";
import { changeViews, orderNotes, splitDrift } from "./plan-sections.js";
import { actionOrder, actionStyles, impactBadges } from "./styles.js";

/**
 * A plan as the comment of a pull request. Changes that can do harm are never folded and never omitted without being
 * counted; where there is no room, whole resources lose their folded differences.
 */
export async function renderPlanMarkdown(plan: Plan, options: MarkdownOptions = {}): Promise<string> {
  const diff = await lineDiffFor(plan.changes);
  const { branch, overwritten } = splitDrift(plan.changes);
  const sorted = sortedByAction(branch);
  const { impact, empty, refusal } = planHeadline(plan);
  return markdownReport(
    {
      name: "plan",
      stack: plan.stack,
      title: `Edgewise plan for ${plan.stack}`,
      state: empty ? (refusal === null ? "no changes" : "⛔ refused") : impactBadges[impact],
      summary: summary(plan),
      blocks: [
        refusalBlock(plan.refusals),
        lossBlock(sorted.filter(isLoss), diff),
        overwrittenBlock(overwritten, diff),
        warningBlock(plan.warnings),
        tableBlock(sortedByAction(plan.changes)),
        foldedBlock(
          sorted.filter((change) => !isLoss(change) && change.fields.length > 0),
          diff,
        ),
        orderBlock(plan),
      ],
      closing: closing(plan),
      made: plan,
      planHash: plan.hash,
      baseUrl: plan.baseUrl,
      toolVersion: plan.toolVersion,
    },
    options,
  );
}

function sortedByAction(changes: readonly Change[]): readonly Change[] {
  return groupBy(changes, actionOrder, (change) => change.action).flatMap(({ items }) => items);
}

function isLoss(change: Change): boolean {
  return change.action === "delete" || change.action === "replace";
}

function summary(plan: Plan): readonly string[] {
  const { label, empty, headline, refusal } = planHeadline(plan);
  const start = empty ? "" : `**${label === "changes" ? "Changes" : label}:** `;
  return [
    ...(refusal === null ? [] : [`> ⛔ **Refused:** ${markdownText(refusal)}`, ">"]),
    `> ${start}${markdownText(cut(headline, 700))}`,
    ...(empty ? [] : ["", markdownText(summaryLine(plan.summary))]),
  ];
}

function closing(plan: Plan): string {
  return [relaxationsLine(plan), rehearsalLine(plan)]
    .filter((line) => line !== null)
    .map((line) => `${markdownText(cut(line, 700))}\n\n`)
    .join("");
}

function lossBlock(changes: readonly Change[], diff: LineDiff): FittingBlock {
  return {
    opening: "### Deletes and replacements\n",
    share: 0.5,
    omitted: (n) =>
      `… and **${count(n, "more delete or replacement", "more deletes or replacements")}** omitted to stay within the size limit.`,
    items: openItems(changes, diff),
  };
}

function overwrittenBlock(changes: readonly Change[], diff: LineDiff): FittingBlock {
  return {
    opening: "### Drift that would be overwritten\n",
    share: 0.4,
    omitted: (n) =>
      `… and **${count(n, "more change made live", "more changes made live")}** omitted to stay within the size limit.`,
    items: openItems(changes, diff),
  };
}

/** Changes that are not folded: a bullet with the reason, the difference below. */
function openItems(changes: readonly Change[], diff: LineDiff): FittingBlock["items"] {
  return changes.map((change) => ({
    full: () => [`- ${changeLine(change)}`, ...changeBody(change, diff, "without reason").map(indented)].join("\n\n"),
    compact: () => `- ${change.action} ${markdownCode(cut(change.address, 200))}`,
  }));
}

function tableBlock(changes: readonly Change[]): FittingBlock {
  return {
    opening: "### Changes\n\n| | Resource | Impact | Fields | Manifest |\n|---|---|---|---|---|",
    share: 0.5,
    omitted: (n) => `… and ${count(n, "more change")} not in this table.`,
    items: changes.map((change) => ({ full: () => changeRow(change), compact: null })),
  };
}

function changeRow(change: Change): string {
  const { action, address, fields, impact, origin, source } = change;
  const paths = fields.map((field) => markdownCell(cut(field.path.replace(/^spec\./, ""), 80)));
  const cells = [
    `${markdownCell(actionStyles[action].mark)} ${action}${origin === "drift" ? " (changed live)" : ""}`,
    markdownCell(address),
    impactBadges[impact],
    listFew(paths, 4),
    source === null ? "" : markdownCell(`${source.file}:${source.line}`),
  ];
  return `| ${cells.join(" | ")} |`;
}

function foldedBlock(changes: readonly Change[], diff: LineDiff): FittingBlock {
  return {
    opening: "### Differences\n",
    share: 0.95,
    omitted: (n) => `… and the differences of ${count(n, "more resource")}, omitted to stay within the size limit.`,
    items: changes.map((change) => ({
      full: () => `${changeFolded(change, diff)}\n`,
      compact: changes.length > 200 ? null : () => `${changeLine(change)}: too long to show here.\n`,
    })),
  };
}

function changeFolded(change: Change, diff: LineDiff): string {
  const { action, address, fields, impact } = change;
  const mark = `<code>${escapeHtmlLine(actionStyles[action].mark)}</code>`;
  const name = `<code>${escapeHtmlLine(address)}</code>`;
  const heading = `${mark} ${action} ${name} · ${impactBadges[impact]} · ${count(fields.length, "field")}`;
  const body = changeBody(change, diff, "with reason");
  return [`<details><summary>${heading}</summary>`, ...body, "</details>"].join("\n\n");
}

/** A change in one line: what, where, why. */
function changeLine({ action, address, id, impact, reason }: Change): string {
  const named = id === null ? "" : ` (${markdownCode(id)})`;
  const why = reason === null ? "" : `: ${markdownText(cut(reason, 500))}`;
  return `**${action}** ${markdownCode(address)}${named} ${impactBadges[impact]}${why}`;
}

const changeLimits: FieldLimits = { ...commentLimits, lines: 300 };

/** The notes and the difference of a change, each a paragraph. */
function changeBody(change: Change, diff: LineDiff, form: "with reason" | "without reason"): readonly string[] {
  const { fields, reason, notes } = changeViews(change, diff, changeLimits);
  const bullets = [...(reason === null || form === "without reason" ? [] : [reason]), ...notes];
  return [
    ...(bullets.length === 0 ? [] : [bullets.map((note) => `- ${markdownText(cut(note, 1000))}`).join("\n")]),
    ...(fields.length === 0 ? [] : [markdownFence(fieldDiffLines(fields), "diff")]),
  ];
}

function orderBlock(plan: Plan): FittingBlock {
  return {
    opening: "### Order\n",
    share: 1,
    omitted: (n) => `… and ${count(n, "more step")}.`,
    items: orderNotes(plan, false).map((note) => ({
      full: () => `- ${markdownCode(note.id)} ${markdownText(note.what)}: ${markdownText(cut(note.why, 1000))}`,
      compact: null,
    })),
  };
}
