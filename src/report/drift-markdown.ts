import type { Drift, Finding } from "../plan/drift-findings.js";
import { cut } from "../text/layout.js";
import { markdownCode, markdownFence, markdownText } from "./escape.js";
import { commentLimits, driftLegend, driftViews } from "./field-view.js";
import type { FittingBlock } from "./fit.js";
import { driftHeadline, findingSentence, findingsByType } from "./headline.js";
import { type LineDiff, lineDiffFor } from "./line-diff.js";
import { type MarkdownOptions, fieldDiffLines, indented, markdownReport, warningBlock } from "./markdown-parts.js";
import { findingStyles, impactBadges } from "./styles.js";

/** Drift as an issue or a comment. */
export async function renderDriftMarkdown(drift: Drift, options: MarkdownOptions = {}): Promise<string> {
  const diff = await lineDiffFor(drift.findings);
  const { impact, headline } = driftHeadline(drift);
  return markdownReport(
    {
      name: "drift",
      stack: drift.stack,
      title: `Edgewise drift of ${drift.stack}`,
      state: drift.clean ? "no drift" : impactBadges[impact],
      summary: [markdownText(headline)],
      blocks: [
        ...findingsByType(drift).map(({ key, items }) => findingsBlock(key, items, diff)),
        warningBlock(drift.warnings),
      ],
      made: drift,
      baseUrl: drift.baseUrl,
      toolVersion: drift.toolVersion,
    },
    options,
  );
}

function findingsBlock(type: Finding["type"], findings: readonly Finding[], diff: LineDiff): FittingBlock {
  const { heading, meaning } = findingStyles[type];
  return {
    opening: `### ${heading} (${findings.length}): ${meaning}\n`,
    share: 0.6,
    omitted: (n) => `… and **${n} more** of this type.`,
    items: findings.map((finding) => ({
      full: () => findingMarkdown(finding, diff),
      compact: () => `- ${markdownCode(cut(finding.address, 200))}`,
    })),
  };
}

function findingMarkdown(finding: Finding, diff: LineDiff): string {
  const { address, fields, impact, source } = finding;
  const id =
    finding.id === null || address.endsWith(`/${finding.id}`) ? "" : ` (${markdownCode(cut(finding.id, 200))})`;
  const place = source === null ? "" : ` ${markdownCode(`${source.file}:${source.line}`)}`;
  const line = `- ${markdownCode(address)}${id} ${impactBadges[impact]}${place}: ${markdownText(cut(findingSentence(finding), 2000))}`;
  if (fields.length === 0) return line;
  const legend = [`# ${driftLegend}`, ...fieldDiffLines(driftViews(fields, diff, commentLimits))];
  return `${line}\n\n${indented(markdownFence(legend, "diff"))}`;
}
