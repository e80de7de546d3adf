import type { Drift } from "../plan/drift-findings.js";
import type { Plan } from "../plan/plan-format.js";
import { count, cut, listFew } from "../core/text.js";
import { driftView } from "./drift-view.js";
import { escapeHtmlLine, markdownCell, markdownFence, markdownText } from "./escape.js";
import { type FieldLimits, commentLimits } from "./field-view.js";
import type { FittingBlock } from "./fit.js";
import {
  type MarkdownOptions,
  code,
  fieldDiffLines,
  indented,
  markdownReport,
  prose,
  refusalBlock,
  warningBlock,
} from "./markdown-parts.js";
import { orderNotes, planItem, planView, rehearsalLine, relaxationsLine, summaryLine } from "./plan-view.js";
import { type ReportItem, type ReportSection, itemFields, placeOf, shownId } from "./report-view.js";
import { actionOrder, impactBadges } from "./styles.js";

/**
 * A plan as the comment of a pull request. Changes that can do harm are never folded and never omitted without being
 * counted; where there is no room, whole resources lose their folded differences.
 */
export function renderPlanMarkdown(plan: Plan, options: MarkdownOptions = {}): string {
  const view = planView(plan);
  const { impact, label, refusal, sentence } = view.headline;
  const overwritten = view.sections.find(({ id }) => id === "overwritten")?.items ?? [];
  const branch = view.sections.filter(({ id }) => id !== "overwritten").flatMap(({ items }) => items);
  const all = actionOrder.flatMap((action) => plan.changes.filter((change) => change.action === action));
  const word = label === "" ? "" : `**${label === "changes" ? "Changes" : label}:** `;
  const closing = [relaxationsLine(plan), rehearsalLine(plan)].filter((line) => line !== null);
  return markdownReport(
    {
      name: "plan",
      stack: plan.stack,
      title: `Edgewise plan for ${plan.stack}`,
      state: label === "" ? (refusal === null ? "no changes" : "⛔ refused") : impactBadges[impact],
      summary: [
        ...(refusal === null ? [] : [`> ⛔ **Refused:** ${markdownText(refusal)}`, ">"]),
        `> ${word}${prose(sentence)}`,
        ...(label === "" ? [] : ["", markdownText(summaryLine(plan.summary))]),
      ],
      blocks: [
        refusalBlock(plan.refusals),
        openBlock("### Deletes and replacements", branch.filter(isLoss), 0.5, (n) =>
          count(n, "more delete or replacement", "more deletes or replacements"),
        ),
        openBlock("### Drift that would be overwritten", overwritten, 0.4, (n) =>
          count(n, "more change made live", "more changes made live"),
        ),
        warningBlock(plan.warnings),
        tableBlock(all.map(planItem)),
        foldedBlock(branch.filter((item) => !isLoss(item) && item.fields.length > 0)),
        orderBlock(plan),
      ],
      closing: closing.map((line) => `${prose(line)}\n\n`).join(""),
      made: plan,
      planHash: plan.hash,
      baseUrl: plan.baseUrl,
      toolVersion: plan.toolVersion,
    },
    options,
  );
}

/** Drift as an issue or a comment. */
export function renderDriftMarkdown(drift: Drift, options: MarkdownOptions = {}): string {
  const { headline, legend, sections } = driftView(drift);
  return markdownReport(
    {
      name: "drift",
      stack: drift.stack,
      title: `Edgewise drift of ${drift.stack}`,
      state: drift.clean ? "no drift" : impactBadges[headline.impact],
      summary: [markdownText(headline.sentence)],
      blocks: [...sections.map((section) => findingsBlock(section, legend)), warningBlock(drift.warnings)],
      made: drift,
      baseUrl: drift.baseUrl,
      toolVersion: drift.toolVersion,
    },
    options,
  );
}

function isLoss({ group }: ReportItem): boolean {
  return group === "delete" || group === "replace";
}

/** Changes that are not folded: a bullet with the reason, the difference below. */
function openBlock(
  heading: string,
  items: readonly ReportItem[],
  share: number,
  rest: (n: number) => string,
): FittingBlock {
  return {
    opening: `${heading}\n`,
    share,
    omitted: (n) => `… and **${rest(n)}** omitted to stay within the size limit.`,
    items: items.map((item) => ({
      full: () => [`- ${changeLine(item)}`, ...changeBody({ ...item, isOwnReason: false }).map(indented)].join("\n\n"),
      compact: () => `- ${item.group} ${code(item.address)}`,
    })),
  };
}

function tableBlock(items: readonly ReportItem[]): FittingBlock {
  return {
    opening: "### Changes\n\n| | Resource | Impact | Fields | Manifest |\n|---|---|---|---|---|",
    share: 0.5,
    omitted: (n) => `… and ${count(n, "more change")} not in this table.`,
    items: items.map((item) => ({ full: () => changeRow(item), compact: null })),
  };
}

function changeRow(item: ReportItem): string {
  const { address, fields, flag, group, impact, mark } = item;
  const paths = fields.map(({ path }) => markdownCell(cut(path.replace(/^spec\./u, ""), 80)));
  const place = placeOf(item);
  const cells = [
    `${markdownCell(mark)} ${group}${flag?.text === "changed live" ? " (changed live)" : ""}`,
    markdownCell(address),
    impactBadges[impact],
    listFew(paths, 4),
    place === null ? "" : markdownCell(place),
  ];
  return `| ${cells.join(" | ")} |`;
}

function foldedBlock(items: readonly ReportItem[]): FittingBlock {
  return {
    opening: "### Differences\n",
    share: 0.95,
    omitted: (n) => `… and the differences of ${count(n, "more resource")}, omitted to stay within the size limit.`,
    items: items.map((item) => ({
      full: () => `${changeFolded(item)}\n`,
      compact: items.length > 200 ? null : () => `${changeLine(item)}: too long to show here.\n`,
    })),
  };
}

function changeFolded(item: ReportItem): string {
  const { address, fields, group, impact, mark } = item;
  const what = `<code>${escapeHtmlLine(mark)}</code> ${group} <code>${escapeHtmlLine(address)}</code>`;
  const heading = `${what} · ${impactBadges[impact]} · ${count(fields.length, "field")}`;
  return [`<details><summary>${heading}</summary>`, ...changeBody(item), "</details>"].join("\n\n");
}

/** A change in one line: what, where, why. */
function changeLine(item: ReportItem): string {
  const { address, group, id, impact, reason } = item;
  const named = id === null ? "" : ` (${code(id)})`;
  return `**${group}** ${code(address)}${named} ${impactBadges[impact]}${reason === null ? "" : `: ${prose(reason)}`}`;
}

const changeLimits: FieldLimits = { ...commentLimits, lines: 300 };

/** The notes and the difference of a change, each a paragraph. */
function changeBody(item: ReportItem): readonly string[] {
  const { fields, impact, isOwnReason, notes, reason } = item;
  const bullets = [...(isOwnReason && reason !== null ? [`${impact}: ${reason}`] : []), ...notes];
  return [
    ...(bullets.length === 0 ? [] : [bullets.map((note) => `- ${prose(note)}`).join("\n")]),
    ...(fields.length === 0 ? [] : [markdownFence(fieldDiffLines(itemFields(item, changeLimits)), "diff")]),
  ];
}

function orderBlock(plan: Plan): FittingBlock {
  return {
    opening: "### Order\n",
    share: 1,
    omitted: (n) => `… and ${count(n, "more step")}.`,
    items: orderNotes(plan, false).map(({ id, what, why }) => ({
      full: () => `- ${code(id)} ${prose(what)}: ${prose(why)}`,
      compact: null,
    })),
  };
}

function findingsBlock({ hint, items, title }: ReportSection, legend: string | null): FittingBlock {
  return {
    opening: `### ${title} (${items.length}): ${hint}\n`,
    share: 0.6,
    omitted: (n) => `… and **${n} more** of this type.`,
    items: items.map((item) => ({
      full: () => findingMarkdown(item, legend),
      compact: () => `- ${code(item.address)}`,
    })),
  };
}

function findingMarkdown(item: ReportItem, legend: string | null): string {
  const { address, fields, impact, sentence } = item;
  const [id, place] = [shownId(item), placeOf(item)];
  const named = `${code(address)}${id === null ? "" : ` (${code(id)})`} ${impactBadges[impact]}`;
  const line = `- ${named}${place === null ? "" : ` ${code(place)}`}: ${prose(sentence)}`;
  if (fields.length === 0) return line;
  const lines = [`# ${legend}`, ...fieldDiffLines(itemFields(item, commentLimits))];
  return `${line}\n\n${indented(markdownFence(lines, "diff"))}`;
}
