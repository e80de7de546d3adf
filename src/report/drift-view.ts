import { count } from "../core/text.js";
import { visibleLine } from "../core/visible.js";
import { worstOf } from "../kinds/impact.js";
import { type Drift, type Finding, type FindingType, findingTypes, isDrift } from "../plan/drift-findings.js";
import { driftLegend } from "./field-view.js";
import {
  type ReportItem,
  type ReportView,
  commitLine,
  impactNotes,
  shownId,
  titleOf,
  worstReason,
} from "./report-view.js";

const styles = {
  missing: { mark: "-", title: "Missing: in a manifest, but not live", paint: "remove" },
  modified: { mark: "~", title: "Modified: live differs from the manifest", paint: "change" },
  unexpected: { mark: "+", title: "Unexpected: owned by this stack, but in no manifest", paint: "add" },
  unmanaged: { mark: "?", title: "Unmanaged: live, but owned by no stack", paint: "dim" },
  expiring: { mark: "!", title: "Expiring: a certificate expires soon", paint: "change" },
  dangling: { mark: "!", title: "Dangling: refers to something that is gone", paint: "remove" },
  tolerated: { mark: "=", title: "Tolerated: the configuration accepts it: not counted", paint: "dim" },
  pending: { mark: "*", title: "Pending: merged and not yet applied: not drift", paint: "dim" },
} as const satisfies {
  readonly [T in FindingType]: Pick<ReportItem, "mark" | "paint"> & Readonly<{ title: string }>;
};

export function driftView(drift: Drift): ReportView {
  const { baseUrl, findings, stack, toolVersion, warnings } = drift;
  const sections = findingTypes.flatMap((type) => {
    const items = findings.filter((finding) => finding.type === type).map(findingItem);
    return items.length === 0 ? [] : [{ type, title: titleOf(styles[type].title, items), open: true, items }];
  });
  return {
    name: "drift",
    title: `Drift of ${stack}`,
    stack,
    baseUrl,
    toolVersion,
    from: commitLine(drift),
    headline: driftHeadline(drift),
    legend: findings.some(({ fields }) => fields.length > 0) ? driftLegend : "",
    sections,
    totals: sections.map(({ items, type }) => `${items.length} ${type}`),
    counts: "",
    refusals: [],
    warnings,
    steps: [],
    closing: [],
    hash: "",
  };
}

function findingItem({ address, fields, id, impact, message, source, type }: Finding): ReportItem {
  const { mark, paint } = styles[type];
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
    flag: "",
    sentence: message.slice(start.length),
    reason: worstReason(fields, impact),
    notes: impactNotes(fields),
    fields,
    direction: "drift",
  };
}

function driftHeadline({ findings }: Drift): ReportView["headline"] {
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
    return { impact: "none", label: "", sentence, refusal: "" };
  }
  const { address, fields, impact } = worst;
  const reason = worstReason(fields, impact);
  const why = reason === "" ? "" : ` (${visibleLine(`${address}: ${reason}`)})`;
  const sentence = [
    `${count(found.length, "finding")}: ${parts.join(", ")}`,
    ...apart,
    ...(impact === "none" ? [] : [`the worst is ${impact}${why}`]),
  ].join("; ");
  return { impact, label: "drift", sentence, refusal: "" };
}
