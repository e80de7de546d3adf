import type { Change, Plan, Refusal } from "../plan/plan-format.js";
import { cut } from "../text.js";
import { type Annotation, type AnnotationLevel, annotationLine } from "./escape-github.js";
import { impactRank } from "./rank.js";
import { planHeadline } from "./verdict.js";

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
