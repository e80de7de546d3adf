import { type Impact, worstOf } from "../kinds/impact.js";
import { type Drift, type Finding, type FindingType, findingTypes } from "../plan/drift-findings.js";
import { count, listFew } from "../core/text.js";
import { driftLegend } from "./field-view.js";
import { type Headline, type ReportItem, type ReportView, worstReason } from "./report-view.js";
import { findingStyles } from "./styles.js";

/** What drift says: findings by type. */
export function driftView(drift: Drift): ReportView {
  const { baseUrl, findings, stack, toolVersion, warnings } = drift;
  const sections = findingTypes
    .map((type) => ({
      id: type,
      title: findingStyles[type].heading,
      hint: findingStyles[type].meaning,
      items: findings.filter((finding) => finding.type === type).map(findingItem),
    }))
    .filter(({ items }) => items.length > 0);
  return {
    name: "drift",
    title: `Drift of ${stack}`,
    stack,
    baseUrl,
    toolVersion,
    made: drift,
    headline: driftHeadline(drift),
    legend: findings.some(({ fields }) => fields.length > 0) ? driftLegend : null,
    sections,
    totals: sections.map(({ id, items }) => ({ count: items.length, label: id, group: id })),
    refusals: [],
    warnings,
  };
}

/** A finding as a report shows it. */
export function findingItem(finding: Finding): ReportItem {
  const { address, fields, id, impact, source, type } = finding;
  return {
    address,
    id,
    impact,
    source,
    group: type,
    mark: findingStyles[type].mark,
    paint: findingStyles[type].paint,
    flag: null,
    sentence: findingSentence(finding),
    reason: worstReason(fields, impact),
    isOwnReason: false,
    notes: [],
    fields,
    direction: "drift",
  };
}

/** The worst of the findings; pending ones are counted apart. */
export function driftHeadline({ findings }: Drift): Headline {
  const found = findings.filter(({ type }) => type !== "pending");
  const pending = findings.length - found.length;
  const worst = worstOf(found);
  if (worst === null) {
    const sentence = pending === 0 ? "No drift: live matches the manifests." : `No drift: ${pending} pending.`;
    return { impact: "none", label: "", sentence, why: null, refusal: null };
  }
  const impact: Impact = worst.impact;
  const reason = impact === "none" ? null : worstReason(worst.fields, impact);
  const parts = findingTypes.flatMap((type) => {
    const number = found.filter((finding) => finding.type === type).length;
    return number === 0 ? [] : [`${number} ${type}`];
  });
  return {
    impact,
    label: impact === "none" ? "drift" : impact,
    sentence: `${count(found.length, "finding")}: ${parts.join(", ")}${pending === 0 ? "" : `; ${pending} pending`}`,
    why: reason === null ? null : `${worst.address}: ${reason}`,
    refusal: null,
  };
}

/** A finding's message for a report that names its resource just before: `differs from its manifest in spec.body`. */
export function findingSentence({ address, id, message }: Finding): string {
  const starts = [...(id === null ? [] : [`${address} (${id}) `]), `${address}: `, `${address} `];
  const start = starts.find((each) => message.startsWith(each)) ?? "";
  return message.slice(start.length);
}

/**
 * The fields of a finding that its message doesn't name: ` (spec.body, spec.headers)`. "" when it names all of them, and
 * when the whole resource is missing or unexpected.
 */
export function otherFields({ fields, message, type }: Finding): string {
  if (type === "missing" || type === "unexpected") return "";
  const unnamed = fields.map(({ path }) => path).filter((path) => !names(message, path));
  return unnamed.length === 0 ? "" : ` (${listFew(unnamed, 10)})`;
}

/** Whether a text names something as a word of its own: `TLSEdge/api` isn't named by `TLSEdge/api-2`. */
export function names(text: string, name: string): boolean {
  if (name === "") return false;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const after = text.slice(at + name.length, at + name.length + 2);
    if (!/[\w/.-]/u.test(text.charAt(at - 1)) && !/^(?:[\w[-]|[./]\w)/u.test(after)) return true;
  }
  return false;
}

/** What helps against findings of some types, in the order in which it is tried. */
export function nextSteps({ findings }: Drift): readonly { readonly command: string; readonly does: string }[] {
  const types = new Set<FindingType>(findings.map(({ type }) => type));
  return steps.flatMap(([against, command, does]) =>
    against.some((type) => types.has(type)) ? [{ command, does }] : [],
  );
}

const steps: readonly (readonly [against: readonly FindingType[], command: string, does: string])[] = [
  [
    ["missing", "modified", "unexpected"],
    "edgewise plan",
    "Shows what would be sent to make live match the manifests again. edgewise apply sends it.",
  ],
  [
    ["modified"],
    "edgewise pull",
    "Where live is right: writes it into the manifests, for you to commit. It is no longer drift then.",
  ],
  [
    ["unexpected"],
    "edgewise export --owned",
    "Where an unexpected resource should stay: writes its manifest. Otherwise an apply deletes it.",
  ],
  [
    ["unmanaged"],
    "edgewise export --out-dir edge",
    "Writes manifests for what is live, with which the next plan adopts it. Delete by hand what nobody needs.",
  ],
  [
    ["expiring"],
    "edgewise plan",
    "Shows that a certificate that expires is replaced, once the manifest names the renewed one.",
  ],
  [
    ["dangling"],
    "edgewise plan",
    "Shows that a dangling reference is replaced, once the manifest refers to something that exists.",
  ],
  [["pending"], "edgewise apply", "Applies what is merged and still pending, which is not drift."],
];
