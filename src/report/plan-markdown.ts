import type { Change, Plan } from "../plan/plan-format.js";
import { count, cut } from "../text/layout.js";
import { visibleLine } from "../text/visible.js";
import { escapeHtml, markdownCell, markdownCode, markdownFence, markdownMarker, markdownText } from "./escape.js";
import type { FieldLimits } from "./field-view.js";
import { type FittingBlock, fitDocument } from "./fit.js";
import { groupBy, planHeadline, rehearsalLine, relaxationsLine, summaryLine } from "./headline.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { fieldDiffLines, refusalBlock, warningBlock } from "./markdown-parts.js";
import { changeViews, orderNotes, splitDrift } from "./plan-sections.js";
import { actionOrder, actionStyles, impactBadge } from "./styles.js";

/** `maxChars` (default 65,000, at least 4,000) keeps the comment below what forges take. */
export interface PlanMarkdownOptions {
  readonly commit?: string;
  readonly maxChars?: number;
  readonly title?: string;
}

/**
 * A plan as the comment of a pull request. The first line is a hidden marker by which a later run finds the comment.
 * What can hurt is never folded and never left out without being counted; folded differences are cut by whole
 * resources when there is no room.
 */
export async function renderPlanMarkdown(plan: Plan, options: PlanMarkdownOptions = {}): Promise<string> {
  const diff = await lineDiffFor(plan.changes);
  const { branch, overwritten } = splitDrift(plan.changes);
  const sorted = groupBy(branch, actionOrder, (change) => change.action).flatMap((group) => group.items);
  const gone = sorted.filter(isLoss);
  const blocks: readonly FittingBlock[] = [
    refusalBlock(plan.refusals),
    openBlock("### Deletes and replacements", gone, diff, 0.5, "delete or replacement", "deletes or replacements"),
    openBlock("### Drift that would be overwritten", overwritten, diff, 0.4, "change made live", "changes made live"),
    warningBlock(plan.warnings),
    tableBlock(groupBy(plan.changes, actionOrder, (change) => change.action).flatMap((group) => group.items)),
    foldedBlock(
      sorted.filter((change) => !isLoss(change) && change.fields.length > 0),
      diff,
    ),
    orderBlock(plan),
  ];
  return fitDocument(
    head(plan, options.title),
    blocks,
    foot(plan, options.commit),
    Math.max(4000, options.maxChars ?? 65_000),
  );
}

function isLoss(change: Change): boolean {
  return change.action === "delete" || change.action === "replace";
}

function head(plan: Plan, title: string | undefined): string {
  const { impact, empty, headline, refusal } = planHeadline(plan);
  const name = markdownText(cut(title ?? `Edgewise plan for ${plan.stack}`, 200));
  const state = empty ? (refusal === null ? "no changes" : "⛔ refused") : impactBadge(impact);
  return [
    markdownMarker("plan", plan.stack),
    `## ${name}: ${state}`,
    "",
    ...(refusal === null ? [] : [`> ⛔ **Refused:** ${markdownText(refusal)}`, ">"]),
    `> ${empty ? "" : `**${impact === "none" || impact === "cosmetic" ? "Changes" : impact}:** `}${markdownText(cut(headline, 700))}`,
    ...(empty ? [] : ["", markdownText(summaryLine(plan.summary))]),
  ].join("\n");
}

function foot(plan: Plan, commit: string | undefined): string {
  const lines = [relaxationsLine(plan), rehearsalLine(plan)].filter((line) => line !== null);
  const parts = [
    `Plan ${markdownCode(cut(plan.hash, 100))}`,
    ...(commit === undefined ? [] : [`commit ${markdownCode(cut(commit, 100))}`]),
    markdownCode(cut(plan.baseUrl, 300)),
    `edgewise ${markdownCode(cut(plan.toolVersion, 50))}`,
  ];
  return `\n---\n${lines.map((line) => `${markdownText(cut(line, 700))}\n\n`).join("")}${parts.join(" · ")}`;
}

function openBlock(
  opening: string,
  changes: readonly Change[],
  diff: LineDiff,
  share: number,
  one: string,
  many: string,
): FittingBlock {
  return {
    opening: `${opening}\n`,
    share,
    omitted: (n) => `… and **${n} more ${n === 1 ? one : many}** not listed here for want of room.`,
    items: changes.map((change) => ({
      full: () => changeOpen(change, diff),
      compact: () => `- ${change.action} ${markdownCode(cut(change.address, 200))}`,
    })),
  };
}

function tableBlock(changes: readonly Change[]): FittingBlock {
  return {
    opening: "### Changes\n\n| | Resource | Impact | Fields | Manifest |\n|---|---|---|---|---|",
    share: 0.5,
    omitted: (n) => `… and ${count(n, "more change")} not in this table.`,
    items: changes.map((change) => ({ full: () => changeRow(change), compact: null })),
  };
}

function foldedBlock(changes: readonly Change[], diff: LineDiff): FittingBlock {
  return {
    opening: "### Differences\n",
    share: 0.95,
    omitted: (n) => `… and the differences of ${count(n, "more resource")}, left out for want of room.`,
    items: changes.map((change) => ({
      full: () => `${changeFolded(change, diff)}\n`,
      compact: changes.length > 200 ? null : () => `${changeLine(change)}: too long to show here.\n`,
    })),
  };
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
