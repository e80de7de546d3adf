import type { Change, Plan } from "../plan/plan-format.js";
import { cut } from "../text.js";
import { changeFolded, changeLine, changeOpen, changeRow } from "./change-markdown.js";
import { count } from "./count.js";
import { markdownCode, markdownMarker, markdownText } from "./escape-markdown.js";
import { type FittingBlock, fitDocument } from "./fit-document.js";
import { groupBy } from "./groups.js";
import { impactBadge } from "./impact-badge.js";
import { lineDiffFor } from "./line-diff-for.js";
import type { LineDiff } from "./line-diff.js";
import { actionOrder } from "./marks.js";
import { orderNotes } from "./order-notes.js";
import { refusalBlock } from "./refusal-block.js";
import { rehearsalLine } from "./rehearsal-line.js";
import { relaxationsLine } from "./relaxations-line.js";
import { splitDrift } from "./split-drift.js";
import { summaryLine } from "./summary-line.js";
import { planHeadline } from "./verdict.js";
import { warningBlock } from "./warning-block.js";

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
