import type { Drift, Finding } from "../plan/drift-findings.js";
import { wrap } from "../text/layout.js";
import { palette } from "../text/palette.js";
import { guardRunner, visibleLine } from "../text/visible.js";
import { fieldView } from "./field-view.js";
import { driftHeadline, findingsByType } from "./headline.js";
import { lineDiffFor } from "./line-diff.js";
import type { ChangeLayout } from "./plan-text.js";
import { findingStyles, paintOfImpact } from "./styles.js";
import { fieldsText, warningsText } from "./text-parts.js";

/** `width` in columns (default 100); `verbose` shows long texts whole. */
export interface DriftTextOptions {
  readonly color: boolean;
  readonly width?: number;
  readonly verbose?: boolean;
}

/** Drift for the terminal: the verdict, then findings by type, each with what live and manifest say. */
export async function renderDriftText(drift: Drift, options: DriftTextOptions): Promise<string> {
  const paint = palette(options.color);
  const width = Math.max(40, options.width ?? 100);
  const limits =
    options.verbose === true
      ? { inline: width, line: 10_000, lines: 100_000 }
      : { inline: width - 40, line: 300, lines: 80 };
  const layout: ChangeLayout = { paint, width, limits, diff: await lineDiffFor(drift.findings) };
  const { impact, headline } = driftHeadline(drift);
  const tone = paintOfImpact(impact, paint);
  const lines = [
    drift.findings.length === 0
      ? paint.bold(headline)
      : `${paint.bold("DRIFT")}  ${headline}; the worst is ${tone(impact)}`,
    paint.dim(`Stack ${visibleLine(drift.stack)} at ${visibleLine(drift.baseUrl)}`),
    ...findingsByType(drift).flatMap(({ key, items }) => [
      "",
      `${paint.bold(`${findingStyles[key].heading} (${items.length})`)}${paint.dim(`: ${findingStyles[key].meaning}`)}`,
      ...items.flatMap((finding) => findingText(finding, layout)),
    ]),
    ...(drift.findings.some((finding) => finding.fields.length > 0)
      ? ["", paint.dim("In differences, - is live and + is the manifest.")]
      : []),
    ...warningsText(drift.warnings, paint, width),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

function findingText(finding: Finding, layout: ChangeLayout): readonly string[] {
  const { paint, width } = layout;
  const style = findingStyles[finding.type];
  const parts = [paint.bold(visibleLine(finding.address))];
  if (finding.id !== null) parts.push(paint.dim(visibleLine(finding.id)));
  if (finding.impact !== "none") parts.push(paintOfImpact(finding.impact, paint)(`[${finding.impact}]`));
  if (finding.source !== null) parts.push(paint.dim(`${visibleLine(finding.source.file)}:${finding.source.line}`));
  const views = finding.fields.map((field) => fieldView(field, layout.diff, layout.limits));
  return [
    `  ${paint[style.paint](style.mark)} ${parts.join("  ")}`,
    ...wrap(visibleLine(finding.message), width, "      ", "      "),
    ...fieldsText(views, { paint, width, indent: "      ", words: "drift" }),
  ];
}
