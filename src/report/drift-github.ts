import type { Drift, Finding } from "../plan/drift-findings.js";
import { cut } from "../text.js";
import { driftHeadline } from "./drift-verdict.js";
import { type Annotation, annotationLine } from "./escape-github.js";
import type { AnnotationOptions } from "./plan-github.js";
import { impactRank } from "./rank.js";

/**
 * Drift as annotations of a workflow run, worst first. Impact irreversible or security is an error, as somebody did
 * it behind Git's back; unmanaged resources and what has no impact are notices; the rest are warnings.
 */
export function renderDriftGithub(drift: Drift, options: AnnotationOptions = {}): string {
  const findings = [...drift.findings]
    .sort((a, b) => impactRank(b.impact) - impactRank(a.impact))
    .map(findingAnnotation);
  const warnings = drift.warnings.map((warning) => ({
    level: "warning" as const,
    title: warning.address === undefined ? warning.code : `${warning.code} ${warning.address}`,
    message: cut(warning.message, 4000),
    source: null,
  }));
  const all: readonly Annotation[] = [...findings, ...warnings];
  const nothing: Annotation = {
    level: "notice",
    title: "edgewise drift",
    message: driftHeadline(drift).headline,
    source: null,
  };
  const shown = all.length > 0 ? all : [nothing];
  return `${shown.map((each) => annotationLine(each, options.pathPrefix ?? "")).join("\n")}\n`;
}

function findingAnnotation(finding: Finding): Annotation {
  const paths = finding.fields.slice(0, 10).map((field) => field.path);
  const more = finding.fields.length > 10 ? ` and ${finding.fields.length - 10} more` : "";
  const what = paths.length === 0 ? "" : `\n${paths.join(", ")}${more}`;
  return {
    level: levelOfFinding(finding),
    title: `drift: ${finding.type} ${finding.address}`,
    message: cut(`${finding.message}${what}`, 4000),
    source: finding.source,
  };
}

function levelOfFinding(finding: Finding): Annotation["level"] {
  if (finding.impact === "irreversible" || finding.impact === "security") return "error";
  if (finding.type === "unmanaged") return "notice";
  return finding.impact === "routing" || finding.type !== "modified" ? "warning" : "notice";
}
