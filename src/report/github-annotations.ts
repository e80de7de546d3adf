import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { impactRank, isAtLeast } from "../kinds/impact.js";
import type { Drift, Finding } from "../plan/drift-findings.js";
import type { Change, Plan, Refusal, Warning } from "../plan/plan-format.js";
import { cut, listFew } from "../text/layout.js";
import { visible, visibleLine } from "../text/visible.js";
import { type ReportedResource, commitLine, driftHeadline, planHeadline } from "./headline.js";
import { levelOfFinding } from "./styles.js";

/** `pathPrefix` goes before every file: the path from the repository's root to the configuration's, ending in `/`. */
export interface AnnotationOptions {
  readonly pathPrefix?: string;
}

/** What annotations are of: a commit that was named, or the files on disk. */
type Made = Parameters<typeof commitLine>[0];

/** One annotation of a workflow run, on a line of a file when there is one. */
interface Annotation {
  readonly level: "notice" | "warning" | "error";
  readonly title: string;
  readonly message: string;
  readonly source: { readonly file: string; readonly line: number; readonly column?: number } | null;
}

/**
 * A plan as annotations of a workflow run, on the manifests' lines, worst first (a runner shows only some of each
 * level). Refusals are errors; changes of impact security or irreversible, and warnings, are warnings; the rest are
 * notices.
 */
export function renderPlanGithub(plan: Plan, options: AnnotationOptions = {}): string {
  const sources = new Map<string | undefined, Annotation["source"]>(
    plan.changes.map((change) => [change.address, change.source]),
  );
  const annotations: readonly Annotation[] = [
    ...plan.refusals.map((refusal) => refusalAnnotation(refusal, sources.get(refusal.address) ?? null)),
    ...worstFirst(plan.changes).map(changeAnnotation),
    ...plan.warnings.map((warning) => warningAnnotation(warning, sources.get(warning.address) ?? null)),
  ];
  const nothing: Annotation = {
    level: "notice",
    title: "edgewise plan",
    message: planHeadline(plan).headline,
    source: null,
  };
  return annotationLines(annotations.length > 0 ? annotations : [nothing], options, plan);
}

/** Drift as annotations of a workflow run, worst first. */
export function renderDriftGithub(drift: Drift, options: AnnotationOptions = {}): string {
  const annotations: readonly Annotation[] = [
    ...worstFirst(drift.findings).map(findingAnnotation),
    ...drift.warnings.map((warning) => warningAnnotation(warning, null)),
  ];
  const nothing: Annotation = {
    level: "notice",
    title: "edgewise drift",
    message: driftHeadline(drift).headline,
    source: null,
  };
  return annotationLines(annotations.length > 0 ? annotations : [nothing], options, drift);
}

/** Diagnostics as annotations of a workflow run, each at its line and column. Nothing for no diagnostics. */
export function renderDiagnosticsGithub(
  diagnostics: readonly Diagnostic[],
  options: AnnotationOptions = {},
  made: Made = {},
): string {
  const annotations = diagnostics.map(
    ({ address, code, column, file, line, message, remedy, severity }): Annotation => ({
      level: severity,
      title: titleWithAddress(code, address),
      message: cut(remedy === null ? message : `${message}\n${remedy}`, 4000),
      source: { file, line, column },
    }),
  );
  return annotationLines(annotations, options, made);
}

function worstFirst<T extends ReportedResource>(resources: readonly T[]): readonly T[] {
  return resources.toSorted((a, b) => impactRank(b.impact) - impactRank(a.impact));
}

function refusalAnnotation(refusal: Refusal, source: Annotation["source"]): Annotation {
  return {
    level: "error",
    title: titleWithAddress(`refused: ${refusal.code}`, refusal.address),
    message: cut(`${refusal.message}\n${refusal.remedy}`, 4000),
    source,
  };
}

function changeAnnotation({ action, address, fields, impact, reason, source }: Change): Annotation {
  const paths = fields.length === 0 ? "" : `: ${listPaths(fields)}`;
  const why = reason === null ? "" : `\n${impact}: ${reason}`;
  const notes = fields.map(({ note }) => (note === undefined ? "" : `\n${note}`)).join("");
  return {
    level: isAtLeast(impact, "security") ? "warning" : "notice",
    title: `${action} ${address}`,
    message: cut(`${action} ${address}${paths}${why}${notes}`, 4000),
    source,
  };
}

function findingAnnotation(finding: Finding): Annotation {
  const { address, fields, message, source, type } = finding;
  const paths = fields.length === 0 ? "" : `\n${listPaths(fields)}`;
  return {
    level: levelOfFinding(finding),
    title: `drift: ${type} ${address}`,
    message: cut(`${message}${paths}`, 4000),
    source,
  };
}

function warningAnnotation({ code, address, message }: Warning, source: Annotation["source"]): Annotation {
  return { level: "warning", title: titleWithAddress(code, address), message: cut(message, 4000), source };
}

function titleWithAddress(code: string, address: string | null | undefined): string {
  return address === undefined || address === null ? code : `${code} ${address}`;
}

function listPaths(fields: Change["fields"]): string {
  return listFew(
    fields.map((field) => field.path),
    10,
  );
}

/**
 * Annotations as a workflow runner reads them, one on each line; nothing in one can begin another command. Each names the
 * commit, as its line may be another one in the checkout.
 */
function annotationLines(
  annotations: readonly Annotation[],
  { pathPrefix = "" }: AnnotationOptions,
  made: Made,
): string {
  const line = commitLine(made);
  const ending = line === null ? "" : `\n${line}`;
  return annotations
    .map(({ level, title, message, source }) => {
      const properties = [
        ...(source === null
          ? []
          : [`file=${escapeProperty(pathPrefix + source.file)}`, `line=${escapeProperty(String(source.line))}`]),
        ...(source?.column === undefined ? [] : [`col=${escapeProperty(String(source.column))}`]),
        `title=${escapeProperty(title)}`,
      ];
      return `::${level} ${properties.join(",")}::${escapeMessage(visible(message + ending))}\n`;
    })
    .join("");
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
