import type { Drift, Finding } from "../plan/drift-findings.js";
import { cut } from "../text/layout.js";
import { markdownCode, markdownFence, markdownMarker, markdownText } from "./escape.js";
import { fieldView } from "./field-view.js";
import { type FittingBlock, fitDocument } from "./fit.js";
import { driftHeadline, findingsByType } from "./headline.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { fieldDiffLines, warningBlock } from "./markdown-parts.js";
import { findingStyles, impactBadge } from "./styles.js";

/** `maxChars` (default 65,000, at least 4,000) keeps the text below what forges take. */
export interface DriftMarkdownOptions {
  readonly commit?: string;
  readonly maxChars?: number;
  readonly title?: string;
}

/** Drift as an issue or a comment. The first line is a hidden marker by which a later run finds it. */
export async function renderDriftMarkdown(drift: Drift, options: DriftMarkdownOptions = {}): Promise<string> {
  const diff = await lineDiffFor(drift.findings);
  const { impact, headline } = driftHeadline(drift);
  const title = markdownText(cut(options.title ?? `Edgewise drift of ${drift.stack}`, 200));
  const head = [
    markdownMarker("drift", drift.stack),
    `## ${title}: ${drift.findings.length === 0 ? "none" : impactBadge(impact)}`,
    "",
    markdownText(headline),
  ].join("\n");
  const parts = [
    ...(options.commit === undefined ? [] : [`commit ${markdownCode(cut(options.commit, 100))}`]),
    markdownCode(cut(drift.baseUrl, 300)),
    `edgewise ${markdownCode(cut(drift.toolVersion, 50))}`,
  ];
  const blocks: readonly FittingBlock[] = [
    ...findingsByType(drift).map(({ key, items }) => ({
      opening: `### ${findingStyles[key].heading} (${items.length}): ${findingStyles[key].meaning}\n`,
      share: 0.6,
      omitted: (n: number) => `… and **${n} more** of this type.`,
      items: items.map((finding) => ({
        full: () => findingMarkdown(finding, diff),
        compact: () => `- ${markdownCode(cut(finding.address, 200))}`,
      })),
    })),
    warningBlock(drift.warnings),
  ];
  return fitDocument(head, blocks, `\n---\n${parts.join(" · ")}`, Math.max(4000, options.maxChars ?? 65_000));
}

function findingMarkdown(finding: Finding, diff: LineDiff): string {
  const id = finding.id === null ? "" : ` (${markdownCode(cut(finding.id, 200))})`;
  const place = finding.source === null ? "" : ` ${markdownCode(`${finding.source.file}:${finding.source.line}`)}`;
  const line = `- ${markdownCode(finding.address)}${id} ${impactBadge(finding.impact)}${place}: ${markdownText(cut(finding.message, 2000))}`;
  const views = finding.fields.map((field) => fieldView(field, diff, { inline: 100, line: 500, lines: 200 }));
  if (views.length === 0) return line;
  const legend = ["# - live, + manifest", ...fieldDiffLines(views, "drift")];
  return `${line}\n\n${markdownFence(legend, "diff").replace(/^(?=.)/gm, "  ")}`;
}
