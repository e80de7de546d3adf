import { type Plan, type Refusal, type ShownCommit, type Warning, shownCommit } from "../plan/plan-format.js";
import { count, cut } from "../text/layout.js";
import { markdownCode, markdownMarker, markdownText } from "./escape.js";
import type { FieldView } from "./field-view.js";
import type { DiffLine } from "./line-diff.js";
import { type FittingBlock, fitDocument } from "./fit.js";
import { distinctWarnings } from "./text-parts.js";

/** `maxChars` (default 65,000, at least 4,000) keeps the text below the limit of forges. */
export interface MarkdownOptions {
  readonly commit?: string;
  readonly maxChars?: number;
  readonly title?: string;
}

/** A report as Markdown. */
export interface MarkdownReport {
  /** Names the report in its marker. */
  readonly name: "plan" | "drift" | "apply";
  readonly stack: string;
  /** Unless the options give another. */
  readonly title: string;
  /** Follows the title: `no changes`. Markdown, as are `summary` and `closing`. */
  readonly state: string;
  readonly summary: readonly string[];
  readonly blocks: readonly FittingBlock[];
  readonly closing?: string;
  /** What the report was made from; names the commit of `--ref`. */
  readonly made?: Partial<Pick<Plan, "commit" | "ref">>;
  readonly planHash?: string;
  readonly baseUrl?: string;
  readonly toolVersion: string;
}

/** Puts a report together. Its first line is a hidden marker by which a later run finds the comment. */
export function markdownReport(report: MarkdownReport, options: MarkdownOptions): string {
  const {
    name,
    stack,
    title,
    state,
    summary,
    blocks,
    closing = "",
    made = {},
    planHash,
    baseUrl,
    toolVersion,
  } = report;
  const shown = shownCommit(made);
  const { commit, maxChars = 65_000 } = options;
  const head = [
    markdownMarker(name, stack),
    `## ${markdownText(cut(options.title ?? title, 200))}: ${state}`,
    "",
    ...(shown === null ? [] : [commitMarkdown(shown), ""]),
    ...summary,
  ].join("\n");
  const parts = [
    ...(planHash === undefined ? [] : [`Plan ${markdownCode(cut(planHash, 100))}`]),
    ...(commit === undefined ? [] : [`commit ${markdownCode(cut(commit, 100))}`]),
    ...(baseUrl === undefined ? [] : [markdownCode(cut(baseUrl, 300))]),
    `edgewise ${markdownCode(cut(toolVersion, 50))}`,
  ];
  return fitDocument(head, blocks, `\n---\n${closing}${parts.join(" · ")}`, Math.max(4000, maxChars));
}

/** As code, because forges would make links of ids. */
function commitMarkdown({ commit, ref }: ShownCommit): string {
  return `Manifests of commit ${markdownCode(commit.slice(0, 12))} (${markdownCode(cut(ref, 200))}).`;
}

/** Fields as lines for a `diff` fence: marks in the first column, everything else indented. */
export function fieldDiffLines(views: readonly FieldView[]): readonly string[] {
  // A resource that is gone has one reason for all of its fields.
  const given = new Set<string>();
  return views.flatMap((view) => {
    const tags = view.tags.map((tag) => ` (${tag})`).join("");
    const reason = view.reason === null ? "" : `# ${view.impact}: ${view.reason}`;
    const isNew = reason !== "" && !given.has(reason);
    given.add(reason);
    return [...(isNew ? [reason] : []), ...valueLines(view, tags)];
  });
}

function valueLines(view: FieldView, tags: string): readonly string[] {
  if (view.lines !== null) {
    return [`@@ ${view.path}${tags} @@`, ...view.lines.map(diffLine)];
  }
  if (view.sign === "~" && (view.before === null || view.after === null)) {
    return [`! ${view.path}: ${view.after ?? view.before ?? "(none)"}${tags}`];
  }
  return [
    ...(view.before === null ? [] : [`- ${view.path}: ${view.before}`]),
    ...(view.after === null ? [] : [`+ ${view.path}: ${view.after}${tags}`]),
  ];
}

function diffLine({ mark, text }: DiffLine): string {
  return mark === "gap" ? `  ⋮ ${text}` : `${mark} ${text}`;
}

/** Markdown as the continuation of a list item. */
export function indented(markdown: string): string {
  return markdown.replace(/^(?=.)/gm, "  ");
}

/** Refusals with their remedies as a part of a comment. */
export function refusalBlock(refusals: readonly Refusal[]): FittingBlock {
  return {
    opening: "### ⛔ Refusals\n",
    share: 0.4,
    omitted: (n) => `… and **${count(n, "more refusal")}**.`,
    items: refusals.map((refusal) => ({
      full: () => refusalItem(refusal),
      compact: () => `- ${noticeTitle(refusal)}`,
    })),
  };
}

function refusalItem(refusal: Refusal): string {
  const message = markdownText(cut(refusal.message, 2000));
  return `- ${noticeTitle(refusal)}: ${message}\n  **To do:** ${markdownText(cut(refusal.remedy, 2000))}`;
}

/** Warnings as a part of a comment. */
export function warningBlock(warnings: readonly Warning[]): FittingBlock {
  return {
    opening: "### ⚠️ Warnings\n",
    share: 0.3,
    omitted: (n) => `… and ${count(n, "more warning")}.`,
    items: distinctWarnings(warnings).map((warning) => ({
      full: () => `- ${noticeTitle(warning)}: ${markdownText(cut(warning.message, 2000))}`,
      compact: null,
    })),
  };
}

function noticeTitle({ code, address }: Refusal | Warning): string {
  const subject = address === undefined ? "" : ` ${markdownCode(cut(address, 200))}`;
  return `**${markdownText(cut(code, 100))}**${subject}`;
}
