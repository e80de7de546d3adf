import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { isAtLeast } from "../kinds/impact.js";
import type { Drift, Finding } from "../plan/drift-findings.js";
import type { Change, Plan, Refusal, Warning } from "../plan/plan-format.js";
import { cut, listFew } from "../core/text.js";
import { visible, visibleLine } from "../core/visible.js";
import { driftHeadline, names, otherFields } from "./drift-view.js";
import { planHeadline } from "./plan-view.js";
import { type Made, commitLine, worstFirst } from "./report-view.js";

/** `pathPrefix` goes before every file: the path from the repository's root to the configuration's, ending in `/`. */
interface AnnotationOptions {
  readonly pathPrefix?: string;
}

type Source = { readonly file: string; readonly line: number; readonly column?: number } | null;

/** One annotation of a workflow run, on a line of a file when there is one. */
interface Annotation {
  readonly level: "notice" | "warning" | "error";
  readonly title: string;
  readonly message: string;
  readonly source: Source;
}

/**
 * A plan as annotations of a workflow run, on the manifests' lines, worst first (a runner shows only some of each
 * level). Refusals are errors; changes of impact security or irreversible, and warnings, are warnings; the rest are
 * notices.
 */
export function renderPlanGithub(plan: Plan, options: AnnotationOptions = {}): string {
  const sources = sourcesOf(plan.changes);
  const annotations = [
    ...plan.refusals.map((refusal) => noticeAnnotation(refusal, sources)),
    ...worstFirst(plan.changes).map(changeAnnotation),
    ...plan.warnings.map((warning) => noticeAnnotation(warning, sources)),
  ];
  return reportLines("edgewise plan", planHeadline(plan).sentence, annotations, options, plan);
}

/** Drift as annotations of a workflow run, worst first. */
export function renderDriftGithub(drift: Drift, options: AnnotationOptions = {}): string {
  const sources = sourcesOf(drift.findings);
  const annotations = [
    ...worstFirst(drift.findings).map(findingAnnotation),
    ...drift.warnings.map((warning) => noticeAnnotation(warning, sources)),
  ];
  return reportLines("edgewise drift", driftHeadline(drift).sentence, annotations, options, drift);
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
      message: remedy === null ? message : `${message}\n${remedy}`,
      source: { file, line, column },
    }),
  );
  return annotationLines(annotations, options, made);
}

/** One error that belongs to no file. */
export function renderErrorGithub(title: string, message: string): string {
  return annotationLines([{ level: "error", title, message, source: null }], {}, {});
}

function reportLines(
  title: string,
  nothing: string,
  annotations: readonly Annotation[],
  options: AnnotationOptions,
  made: Made & { readonly stack: string },
): string {
  const none: Annotation = { level: "notice", title, message: nothing, source: null };
  return annotationLines(annotations.length > 0 ? annotations : [none], options, made);
}

function sourcesOf(resources: readonly (Change | Finding)[]): ReadonlyMap<string | undefined, Source> {
  return new Map(resources.map(({ address, source }) => [address, source]));
}

/** A refusal or a warning, at the manifest of its resource. */
function noticeAnnotation(notice: Refusal | Warning, sources: ReadonlyMap<string | undefined, Source>): Annotation {
  const { address, code, message } = notice;
  const source = sources.get(address) ?? null;
  if (!("remedy" in notice)) return { level: "warning", title: titleOf(code, address, message), message, source };
  const title = titleOf(`refused: ${code}`, address, message);
  return { level: "error", title, message: `${message}\n${notice.remedy}`, source };
}

function changeAnnotation({ action, address, fields, impact, reason, source }: Change): Annotation {
  const paths = fields.map((field) => field.path);
  const lines = [
    paths.length === 0 ? wholeResource[action] : listFew(paths, 10),
    ...(reason === null ? [] : [`${impact}: ${reason}`]),
    ...fields.flatMap(({ note }) => note ?? []),
  ];
  const level = isAtLeast(impact, "security") ? "warning" : "notice";
  return { level, title: `${action} ${address}`, message: lines.join("\n"), source };
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
  const title = titleOf(`drift: ${type}`, address, message);
  return { level: levelOf(finding), title, message: `${message}${otherFields(finding)}`, source };
}

/**
 * How serious a finding is: impact irreversible or security is an error, as somebody did it behind Git's back; pending
 * findings, unmanaged resources and changes without an effect on traffic are notices.
 */
function levelOf({ impact, type }: Finding): Annotation["level"] {
  if (type === "pending") return "notice";
  if (isAtLeast(impact, "security")) return "error";
  if (type === "unmanaged") return "notice";
  return type === "modified" && impact !== "routing" ? "notice" : "warning";
}

/** The code, and the resource unless the message below the title names it. */
function titleOf(code: string, address: string | null | undefined, message: string): string {
  return address === undefined || address === null || names(message, address) ? code : `${code} ${address}`;
}

/** GitHub refuses annotations with a title of more than 255 characters; some of these become longer when escaped. */
const longestTitle = 200;

/**
 * Annotations as a workflow runner reads them, one on each line; nothing in one can begin another command. Each names the
 * commit, as its line may be another one in the checkout; without a file, it names the stack, as `--all` writes those of
 * many stacks.
 */
function annotationLines(
  annotations: readonly Annotation[],
  { pathPrefix = "" }: AnnotationOptions,
  made: Made & { readonly stack?: string },
): string {
  const line = commitLine(made);
  const ending = line === null ? "" : `\n${line}`;
  const ofStack = made.stack === undefined ? "" : ` (stack ${cut(made.stack, longestTitle / 4)})`;
  return annotations
    .map(({ level, title, message, source }) => {
      const properties = [
        ...(source === null ? [] : [`file=${escapeProperty(pathPrefix + source.file)}`, `line=${source.line}`]),
        ...(source?.column === undefined ? [] : [`col=${source.column}`]),
        `title=${escapeProperty(cut(title, longestTitle - ofStack.length) + (source === null ? ofStack : ""))}`,
      ];
      return `::${level} ${properties.join(",")}::${escapeMessage(visible(cut(message, 4000) + ending))}\n`;
    })
    .join("");
}

function escapeProperty(text: string): string {
  return escapeMessage(visibleLine(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function escapeMessage(text: string): string {
  return text
    .replaceAll("%", "%25")
    .replaceAll("\r", "%0D")
    .replaceAll("\n", "%0A")
    .replaceAll(/#(?=#\w{0,64}\[)/gu, "\\u0023");
}
