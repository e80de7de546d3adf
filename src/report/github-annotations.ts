import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { impactRank } from "../kinds/impact.js";
import type { Drift, Finding } from "../plan/drift-findings.js";
import type { Change, Plan, Refusal } from "../plan/plan-format.js";
import { cut } from "../text/layout.js";
import { visible, visibleLine } from "../text/visible.js";
import { driftHeadline, planHeadline } from "./headline.js";

export type AnnotationLevel = "notice" | "warning" | "error";

/** One annotation of a workflow run, on a line of a file when there is one. */
export interface Annotation {
  readonly level: AnnotationLevel;
  readonly title: string;
  readonly message: string;
  readonly source: { readonly file: string; readonly line: number; readonly column?: number } | null;
}

/** An annotation as the one line that a workflow runner reads; nothing in it can begin another command. */
export function annotationLine(annotation: Annotation, pathPrefix: string): string {
  const { source } = annotation;
  const properties = [
    ...(source === null
      ? []
      : [`file=${escapeProperty(pathPrefix + source.file)}`, `line=${escapeProperty(String(source.line))}`]),
    ...(source?.column === undefined ? [] : [`col=${escapeProperty(String(source.column))}`]),
    `title=${escapeProperty(annotation.title)}`,
  ];
  return `::${annotation.level} ${properties.join(",")}::${escapeMessage(visible(annotation.message))}`;
}

function escapeProperty(text: string): string {
  return escapeMessage(visibleLine(text)).replace(/:/g, "%3A").replace(/,/g, "%2C");
}

function escapeMessage(text: string): string {
  return text
    .replace(/%/g, "%25")
    .replace(/\r/g, "%0D")
    .replace(/\n/g, "%0A")
    .replace(/#(?=#\w{0,64}\[)/g, "%23");
}

/** `pathPrefix` goes before every file: the way from the repository's root to the configuration's, ending in `/`. */
export interface AnnotationOptions {
  readonly pathPrefix?: string;
}

/**
 * A plan as annotations of a workflow run, on the manifests' lines, worst first (a runner shows only some of each
 * level). Refusals are errors; changes of impact security or irreversible, and warnings, are warnings; the rest are
 * notices.
 */
export function renderPlanGithub(plan: Plan, options: AnnotationOptions = {}): string {
  const sources = new Map(plan.changes.map((change) => [change.address as string, change.source]));
  const place = (address: string | undefined): Annotation["source"] =>
    address === undefined ? null : (sources.get(address) ?? null);
  const annotations: readonly Annotation[] = [
    ...plan.refusals.map((refusal) => refusalAnnotation(refusal, place(refusal.address))),
    ...[...plan.changes].sort((a, b) => impactRank(b.impact) - impactRank(a.impact)).map(changeAnnotation),
    ...plan.warnings.map((warning) => ({
      level: "warning" as const,
      title: titleWithAddress(warning.code, warning.address),
      message: cut(warning.message, 4000),
      source: place(warning.address),
    })),
  ];
  const shown = annotations.length > 0 ? annotations : [noChangesAnnotation(plan)];
  return `${shown.map((each) => annotationLine(each, options.pathPrefix ?? "")).join("\n")}\n`;
}

function refusalAnnotation(refusal: Refusal, source: Annotation["source"]): Annotation {
  return {
    level: "error",
    title: titleWithAddress(`refused: ${refusal.code}`, refusal.address),
    message: cut(`${refusal.message}\n${refusal.remedy}`, 4000),
    source,
  };
}

function changeAnnotation(change: Change): Annotation {
  const fields = change.fields.slice(0, 10).map((field) => field.path);
  const more = change.fields.length > 10 ? ` and ${change.fields.length - 10} more` : "";
  const what = fields.length === 0 ? "" : `: ${fields.join(", ")}${more}`;
  const reason = change.reason === null ? "" : `\n${change.impact}: ${change.reason}`;
  return {
    level: levelOfChange(change),
    title: `${change.action} ${change.address}`,
    message: cut(`${change.action} ${change.address}${what}${reason}`, 4000),
    source: change.source,
  };
}

function levelOfChange(change: Change): AnnotationLevel {
  return change.impact === "security" || change.impact === "irreversible" ? "warning" : "notice";
}

function titleWithAddress(code: string, address: string | undefined): string {
  return address === undefined ? code : `${code} ${address}`;
}

function noChangesAnnotation(plan: Plan): Annotation {
  return { level: "notice", title: "edgewise plan", message: planHeadline(plan).headline, source: null };
}

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

/** Diagnostics as annotations of a workflow run, each at its line and column. Nothing for no diagnostics. */
export function renderDiagnosticsGithub(diagnostics: readonly Diagnostic[], options: AnnotationOptions = {}): string {
  return diagnostics
    .map(({ address, code, column, file, line, message, remedy, severity }) => {
      const annotation = annotationLine(
        {
          level: severity,
          title: `${code}${address === null ? "" : ` ${address}`}`,
          message: cut(remedy === null ? message : `${message}\n${remedy}`, 4000),
          source: { file, line, column },
        },
        options.pathPrefix ?? "",
      );
      return `${annotation}\n`;
    })
    .join("");
}
