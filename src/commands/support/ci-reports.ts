import { longestText } from "../../ci/ci-host.js";
import type { CiRun } from "../../ci/ci-run.js";
import { exitCodeOf } from "../../apply/result.js";
import { type StackReport, allStacksMarkdown, allStacksText } from "../../report/all-stacks-report.js";
import { renderDriftJunit } from "../../report/drift-junit.js";
import { renderDriftMarkdown } from "../../report/drift-markdown.js";
import { renderDriftText } from "../../report/drift-text.js";
import { renderErrorGithub, renderPlanGithub } from "../../report/github-annotations.js";
import { renderPlanMarkdown } from "../../report/plan-markdown.js";
import { renderPlanText } from "../../report/plan-text.js";
import { renderResultMarkdown } from "../../report/result-markdown.js";
import { renderResultText } from "../../report/result-text.js";
import { markdownCode, markdownText } from "../../report/escape.js";
import { stackHeading } from "../../report/stacks-text.js";
import { count } from "../../text/layout.js";
import { safeJson } from "../../text/safe-json.js";
import { guardRunner } from "../../text/visible.js";
import { type CiContext, type CiReport, rootOf } from "./ci-context.js";
import { pathPrefix, textStyle } from "./output.js";

/** What the log of the job shows: annotations, or the reports where nothing else shows them. */
export async function logOf(action: string, report: CiReport, context: CiContext): Promise<string> {
  const { flags, io, run } = context;
  const prefix = { pathPrefix: await pathPrefix(rootOf(report, io)) };
  if (run.system !== "github") return allStacksText(await withText(report, context));
  if (report.error !== null)
    return renderErrorGithub(`edgewise ${action}`, `${stackHeading(report)}: ${wordsOf(report.error)}`);
  if (action === "check") return report.report ?? "";
  const line = guardRunner(`${stackHeading(report)}: exit ${report.exit}\n`);
  return action === "plan" && report.plan !== undefined && flags.output !== "json"
    ? renderPlanGithub(report.plan, prefix) + line
    : line;
}

async function withText(report: CiReport, { flags, io, run }: CiContext): Promise<StackReport> {
  const style = textStyle(flags, io);
  const { drift, plan, result } = report;
  if (result !== undefined && plan !== undefined)
    return { ...report, report: renderResultText(result, plan, { ...style, ...nextStep(result, run) }) };
  if (drift !== undefined) return { ...report, report: await renderDriftText(drift, style) };
  if (plan !== undefined) return { ...report, report: await renderPlanText(plan, style) };
  return report;
}

/** The reports below each other as Markdown, as many as fit. */
export async function markdownOf(reports: readonly CiReport[], most: number, run: CiRun): Promise<string> {
  if (reports.length === 0) return "This touches no stack.\n";
  // So that there is room for every stack.
  const maxChars = Math.max(4_000, Math.floor((Math.min(most, longestText) - 5_000) / reports.length));
  let text = "";
  for (const [index, each] of reports.entries()) {
    const next = `${allStacksMarkdown({ ...each, report: await bodyOf(each, maxChars, run) })}\n`;
    if (text.length + next.length > most - 300)
      return `${text}${count(reports.length - index, "more stack")} did not fit here: the log of the run has all.\n`;
    text += next;
  }
  return text;
}

async function bodyOf(
  { drift, error, plan, report, result }: CiReport,
  maxChars: number,
  run: CiRun,
): Promise<string | null> {
  if (error !== null) return `⛔ ${markdownText(error.message)}\n\n${withCode(error.remedy ?? "")}\n`;
  if (result !== undefined && plan !== undefined)
    return renderResultMarkdown(result, plan, { maxChars, ...nextStep(result, run) });
  if (drift !== undefined) return renderDriftMarkdown(drift, { maxChars });
  return plan === undefined ? report : renderPlanMarkdown(plan, { maxChars });
}

/** A sentence as Markdown in which commands can be copied. */
function withCode(text: string): string {
  const parts = text.split("`");
  return parts.map((part, index) => (index % 2 === 0 ? markdownText(part) : markdownCode(part))).join("");
}

function wordsOf({ message, remedy }: NonNullable<CiReport["error"]>): string {
  return remedy === null ? message : `${message}\n${remedy}`;
}

/** What to do after an apply, where that is something else than without a pipeline. */
function nextStep(result: NonNullable<CiReport["result"]>, run: CiRun): { readonly next?: string } {
  // What was approved is another plan by now.
  if (exitCodeOf(result) !== 0) return { next: "Start the whole pipeline again: it plans what is left to do." };
  // By a command, before the merge: there is nothing to revert.
  if (run.event === "change" && result.outcome === "applied")
    return { next: "Merge this: until then, an apply of the default branch takes it back." };
  return {};
}

/** Drift as a test report. */
export async function junitOf(report: CiReport, { io }: CiContext): Promise<string | null> {
  if (report.drift === undefined) return null;
  return renderDriftJunit(report.drift, { pathPrefix: await pathPrefix(rootOf(report, io)) });
}

/** What was done, as JSON (schemas/ci.schema.json). */
export function jsonOf(command: string, exit: number, reports: readonly CiReport[]): string {
  const stacks = reports.map(({ config, environment, error, exit: own, plan, slug }) => {
    return { config, environment, slug, exit: own, hash: plan?.hash ?? null, error };
  });
  return safeJson({ format: "edgewise.ci/v1", command, exit, stacks });
}
