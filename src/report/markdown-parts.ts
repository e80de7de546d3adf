import { type Refusal, type Warning, shownCommit } from "../plan/plan-format.js";
import { count, cut } from "../core/text.js";
import { markdownCode, markdownMarker, markdownText } from "./escape.js";
import type { FieldView } from "./field-view.js";
import { type FittingBlock, fitDocument } from "./fit.js";
import { type Made, distinctWarnings, offlineLine } from "./report-view.js";

/** `maxChars` (default 65,000, at least 4,000) keeps the text below the limit of forges. */
export interface MarkdownOptions {
  readonly commit?: string;
  readonly maxChars?: number;
  readonly title?: string;
}

/** A report as Markdown. */
interface MarkdownReport {
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
  /** What the report was made from. */
  readonly made: Made;
  readonly planHash?: string;
  readonly baseUrl?: string;
  readonly toolVersion: string;
}

/** Puts a report together. Its first line is a hidden marker by which a later run finds the comment. */
export function markdownReport(report: MarkdownReport, options: MarkdownOptions): string {
  const { baseUrl, blocks, closing = "", made, name, planHash, stack, state, summary, title, toolVersion } = report;
  const { commit, maxChars = 65_000 } = options;
  const [shown, offline] = [shownCommit(made), offlineLine(made)];
  const head = [
    markdownMarker(name, stack),
    `## ${markdownText(cut(options.title ?? title, 200))}: ${state}`,
    "",
    ...(offline === null ? [] : [`${markdownText(offline)}.`, ""]),
    // As code, because forges would make links of ids.
    ...(shown === null ? [] : [`Manifests of commit ${code(shown.commit.slice(0, 12))} (${code(shown.ref)}).`, ""]),
    ...summary,
  ].join("\n");
  const parts = [
    ...(planHash === undefined ? [] : [`Plan ${code(planHash)}`]),
    ...(commit === undefined ? [] : [`commit ${code(commit)}`]),
    ...(baseUrl === undefined ? [] : [code(baseUrl)]),
    `edgewise ${code(toolVersion)}`,
  ];
  return fitDocument(head, blocks, `\n---\n${closing}${parts.join(" · ")}`, Math.max(4000, maxChars));
}

/** A name as code. */
export function code(text: string): string {
  return markdownCode(cut(text, 300));
}

/** Sentences on one line. */
export function prose(text: string): string {
  return markdownText(cut(text, 1000));
}

/** Fields as lines for a `diff` fence: marks in the first column, everything else indented. */
export function fieldDiffLines(views: readonly FieldView[]): readonly string[] {
  // A resource that is gone has one reason for all of its fields.
  const given = new Set<string>();
  return views.flatMap((view) => {
    const reason = view.reason === null ? "" : `# ${view.impact}: ${view.reason}`;
    const isNew = reason !== "" && !given.has(reason);
    given.add(reason);
    return [...(isNew ? [reason] : []), ...valueLines(view)];
  });
}

function valueLines({ after, before, lines, path, sign, tags: words }: FieldView): readonly string[] {
  const tags = words.map((tag) => ` (${tag})`).join("");
  if (lines !== null)
    return [
      `@@ ${path}${tags} @@`,
      ...lines.map(({ mark, text }) => (mark === "gap" ? `  ⋮ ${text}` : `${mark} ${text}`)),
    ];
  if (sign === "~" && (before === null || after === null)) return [`! ${path}: ${after ?? before ?? "(none)"}${tags}`];
  return [
    ...(before === null ? [] : [`- ${path}: ${before}`]),
    ...(after === null ? [] : [`+ ${path}: ${after}${tags}`]),
  ];
}

/** Markdown as the continuation of a list item. */
export function indented(markdown: string): string {
  return markdown.replaceAll(/^(?=.)/gmu, "  ");
}

/** Refusals with their remedies as a part of a comment. */
export function refusalBlock(refusals: readonly Refusal[]): FittingBlock {
  return {
    opening: "### ⛔ Refusals\n",
    share: 0.4,
    omitted: (n) => `… and **${count(n, "more refusal")}**.`,
    items: refusals.map((refusal) => ({
      full: () => `- ${noticeTitle(refusal)}: ${prose(refusal.message)}\n  **To do:** ${prose(refusal.remedy)}`,
      compact: () => `- ${noticeTitle(refusal)}`,
    })),
  };
}

/** Warnings as a part of a comment. */
export function warningBlock(warnings: readonly Warning[]): FittingBlock {
  return {
    opening: "### ⚠️ Warnings\n",
    share: 0.3,
    omitted: (n) => `… and ${count(n, "more warning")}.`,
    items: distinctWarnings(warnings).map((warning) => ({
      full: () => `- ${noticeTitle(warning)}: ${prose(warning.message)}`,
      compact: null,
    })),
  };
}

function noticeTitle({ address, code: name }: Refusal | Warning): string {
  return `**${markdownText(cut(name, 100))}**${address === undefined ? "" : ` ${code(address)}`}`;
}
