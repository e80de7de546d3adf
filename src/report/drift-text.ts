import type { Drift, Finding } from "../plan/drift-findings.js";
import { wrap } from "../text/layout.js";
import { guardRunner, visibleLine } from "../text/visible.js";
import { driftLegend, driftViews } from "./field-view.js";
import { driftHeadline, findingSentence, findingsByType } from "./headline.js";
import { lineDiffFor } from "./line-diff.js";
import { findingStyles, paintOfImpact } from "./styles.js";
import {
  type FieldLayout,
  type TextOptions,
  bodyIndent,
  commitText,
  fieldLayout,
  fieldsText,
  headingText,
  resourceHeading,
  warningsText,
} from "./text-parts.js";

/** Drift for the terminal: the headline, then findings by type, each with its live and manifest values. */
export async function renderDriftText(drift: Drift, options: TextOptions): Promise<string> {
  const layout = fieldLayout(options, await lineDiffFor(drift.findings));
  const { paint } = layout;
  const { impact, headline } = driftHeadline(drift);
  const lines = [
    drift.clean
      ? paint.bold(headline)
      : `${paint.bold("DRIFT")}  ${headline}${impact === "none" ? "" : `; the worst is ${paintOfImpact(impact, paint)(impact)}`}`,
    paint.dim(`Stack ${visibleLine(drift.stack)} at ${visibleLine(drift.baseUrl)}`),
    ...commitText(drift, layout),
    ...(drift.findings.some(({ fields }) => fields.length > 0) ? [paint.dim(`${driftLegend}.`)] : []),
    ...findingsByType(drift).flatMap(({ key, items }) => [
      "",
      `${paint.bold(`${findingStyles[key].heading} (${items.length})`)}${paint.dim(`: ${findingStyles[key].meaning}`)}`,
      ...items.flatMap((finding) => findingText(finding, layout)),
    ]),
    ...warningsText(drift.warnings, layout),
  ];
  return guardRunner(`${lines.join("\n")}\n`);
}

function findingText(finding: Finding, layout: FieldLayout): readonly string[] {
  const { paint, width, diff, limits } = layout;
  const { mark, paint: tone } = findingStyles[finding.type];
  return [
    ...headingText(`  ${paint[tone](mark)} `, resourceHeading(finding, paint), layout),
    ...wrap(visibleLine(findingSentence(finding)), width, bodyIndent, bodyIndent),
    ...fieldsText(driftViews(finding.fields, diff, limits), layout),
  ];
}
