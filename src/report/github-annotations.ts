import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { impactRank, isAtLeast } from "../kinds/impact.js";
import type { Drift, Finding } from "../plan/drift-findings.js";
import type { Change, Plan, Refusal, Warning } from "../plan/plan-format.js";
import { cut, listFew } from "../text/layout.js";
import { visible, visibleLine } from "../text/visible.js";
import { type ReportedResource, commitLine, driftHeadline, planHeadline } from "./headline.js";
import { names, otherFields } from "./report-entries.js";
import { levelOfFinding } from "./styles.js";

/** `pathPrefix` goes before every file: the path from the repository's root to the configuration's, ending in `/`. */
export interface AnnotationOptions {
  readonly pathPrefix?: string;
}

/** GitHub refuses annotations with a title of more than 255 characters; some of these become longer when escaped. */
const longestTitle = 200;

/** What annotations are of: a commit that was named, or the files on disk; and of which stack. */
type Made = Parameters<typeof commitLine>[0] & { readonly stack?: string };

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
  const sources = new Map<string | undefined, Annotation["source"]>(
    drift.findings.map((finding) => [finding.address, finding.source]),
  );
  const annotations: readonly Annotation[] = [
    ...worstFirst(drift.findings).map(findingAnnotation),
    ...drift.warnings.map((warning) => warningAnnotation(warning, sources.get(warning.address) ?? null)),
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
      title: titleOf(code, address, message),
      message: cut(remedy === null ? message : `${message}\n${remedy}`, 4000),
      source: { file, line, column },
    }),
  );
  return annotationLines(annotations, options, made);
}

/** One error that belongs to no file. */
export function renderErrorGithub(title: string, message: string): string {
  return annotationLines([{ level: "error", title, message: cut(message, 4000), source: null }], {}, {});
}

function worstFirst<T extends ReportedResource>(resources: readonly T[]): readonly T[] {
  return resources.toSorted((a, b) => impactRank(b.impact) - impactRank(a.impact));
}

function refusalAnnotation(refusal: Refusal, source: Annotation["source"]): Annotation {
  return {
    level: "error",
    title: titleOf(`refused: ${refusal.code}`, refusal.address, refusal.message),
    message: cut(`${refusal.message}\n${refusal.remedy}`, 4000),
    source,
  };
}

function changeAnnotation({ action, address, fields, impact, reason, source }: Change): Annotation {
  const lines = [
    ...(fields.length === 0 ? [wholeResource[action]] : [listPaths(fields)]),
    ...(reason === null ? [] : [`${impact}: ${reason}`]),
    ...fields.flatMap(({ note }) => (note === undefined ? [] : [note])),
  ];
  return {
    level: isAtLeast(impact, "security") ? "warning" : "notice",
    title: `${action} ${address}`,
    message: cut(lines.join("\n"), 4000),
    source,
  };
}

/** What an annotation of a change without fields says below its title. */
const wholeResource: { readonly [A in Change["action"]]: string } = {
  create: "It does not exist yet.",
  update: "Its fields stay as they are.",
  replace: "A new one takes its place.",
  delete: "It is deleted from the account.",
  adopt: "It is managed from now on.",
  orphan: "It stays live and is no longer managed.",
};

function findingAnnotation(finding: Finding): Annotation {
  const { address, message, source, type } = finding;
  return {
    level: levelOfFinding(finding),
    title: titleOf(`drift: ${type}`, address, message),
    message: cut(`${message}${otherFields(finding)}`, 4000),
    source,
  };
}

function warningAnnotation({ code, address, message }: Warning, source: Annotation["source"]): Annotation {
  return { level: "warning", title: titleOf(code, address, message), message: cut(message, 4000), source };
}

/** The code, and the resource unless the message below the title names it. */
function titleOf(code: string, address: string | null | undefined, message: string): string {
  return address === undefined || address === null || names(message, address) ? code : `${code} ${address}`;
}

function listPaths(fields: Change["fields"]): string {
  return listFew(
    fields.map((field) => field.path),
    10,
  );
}

/**
 * Annotations as a workflow runner reads them, one on each line; nothing in one can begin another command. Each names the
 * commit, as its line may be another one in the checkout; without a file, it names the stack, as `--all` writes those of
 * many stacks.
 */
function annotationLines(
  annotations: readonly Annotation[],
  { pathPrefix = "" }: AnnotationOptions,
  made: Made,
): string {
  const line = commitLine(made);
  const ending = line === null ? "" : `\n${line}`;
  const ofStack = made.stack === undefined ? "" : ` (stack ${cut(made.stack, longestTitle / 4)})`;
  return annotations
    .map(({ level, title, message, source }) => {
      const properties = [
        ...(source === null
          ? []
          : [`file=${escapeProperty(pathPrefix + source.file)}`, `line=${escapeProperty(String(source.line))}`]),
        ...(source?.column === undefined ? [] : [`col=${escapeProperty(String(source.column))}`]),
        `title=${escapeProperty(cut(title, longestTitle - ofStack.length) + (source === null ? ofStack : ""))}`,
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
    .replace(/#(?=#\w{0,64}\[)/g, "\\u0023");
}
