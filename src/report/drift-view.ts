import { count } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import { worstOf } from "../kinds/impact.js";
import { type Drift, type Finding, findingTypes, isDrift } from "../plan/drift-findings.js";
import { driftLegend } from "./field-view.js";
import { type Headline, type ReportItem, type ReportView, commitLine, shownId, worstReason } from "./report-view.js";
import { findingStyles } from "./styles.js";

export function driftView(drift: Drift): ReportView {
  const { baseUrl, findings, stack, toolVersion, warnings } = drift;
  const sections = findingTypes.flatMap((type) => {
    const items = findings.filter((finding) => finding.type === type).map(findingItem);
    const { heading, meaning } = findingStyles[type];
    return items.length === 0 ? [] : [{ id: type, title: heading, hint: meaning, open: true, items }];
  });
  return {
    name: "drift",
    title: `Drift of ${stack}`,
    stack,
    baseUrl,
    toolVersion,
    from: commitLine(drift),
    headline: driftHeadline(drift),
    legend: findings.some(({ fields }) => fields.length > 0) ? driftLegend : null,
    sections,
    totals: sections.map(({ id, items }) => ({ count: items.length, label: id, group: id })),
    counts: null,
    refusals: [],
    warnings,
    steps: [],
    closing: [],
    hash: null,
  };
}

function findingItem({ address, fields, id, impact, message, source, type }: Finding): ReportItem {
  const { mark, paint } = findingStyles[type];
  // A heading names the resource.
  const starts = [`${address} (${id ?? ""}) `, `${address}: `, `${address} `];
  const start = starts.find((each) => message.startsWith(each)) ?? "";
  return {
    address,
    id: shownId(address, id),
    impact,
    source,
    group: type,
    mark,
    paint,
    flag: null,
    sentence: message.slice(start.length),
    reason: worstReason(fields, impact),
    isOwnReason: false,
    notes: [],
    fields,
    direction: "drift",
  };
}

function driftHeadline({ findings }: Drift): Headline {
  const found = findings.filter(isDrift);
  const counted = findingTypes.flatMap((type) => {
    const number = findings.filter((finding) => finding.type === type).length;
    return number === 0 ? [] : [{ type, text: `${number} ${type}` }];
  });
  const parts = counted.filter(isDrift).map(({ text }) => text);
  const apart = counted.filter((each) => !isDrift(each)).map(({ text }) => text);
  const worst = worstOf(found);
  if (worst === null) {
    const sentence = apart.length === 0 ? "No drift: live matches the manifests." : `No drift: ${apart.join(", ")}.`;
    return { impact: "none", label: "", sentence, refusal: null };
  }
  const { address, fields, impact } = worst;
  const reason = worstReason(fields, impact);
  const why = reason === null ? "" : ` (${visibleLine(`${address}: ${reason}`)})`;
  const sentence = [
    `${count(found.length, "finding")}: ${parts.join(", ")}`,
    ...apart,
    ...(impact === "none" ? [] : [`the worst is ${impact}${why}`]),
  ].join("; ");
  return { impact, label: "drift", sentence, refusal: null };
}
