import { dirname, resolve } from "node:path";
import { exitCodeOf } from "../../apply/result.js";
import { type CiRun, longestText } from "../../ci/ci-host.js";
import { allStacksMarkdown, allStacksText, stackHeading } from "../../report/stacks-report.js";
import { driftView } from "../../report/drift-view.js";
import { planView } from "../../report/plan-view.js";
import { renderMarkdown } from "../../report/report-markdown.js";
import { renderText } from "../../report/report-text.js";
import { renderResultMarkdown, renderResultText } from "../../report/result-report.js";
import { renderJunit } from "../../report/junit-report.js";
import { renderPlansGitlab } from "../../report/machine-reports.js";
import { markdownCode, markdownText } from "../../report/escape.js";
import { renderErrorGithub, renderGithub } from "../../report/github-annotations.js";
import { count } from "../../core/text.js";
import { safeJson, guardRunner } from "../../core/visible.js";
import { type CiContext, type CiReport, keepFile } from "./ci-context.js";
import { pathPrefix, textStyle } from "./output.js";

/** What the log of the job shows: on GitHub annotations, as its summary has the rest; elsewhere the reports. */
export async function logOf(action: string, each: CiReport, { io, run }: CiContext): Promise<string> {
  const { drift, error, exit, plan, report, result } = each;
  if (run.system === "github") {
    const heading = stackHeading(each);
    if (error !== null)
      return renderErrorGithub(`edgewise ${action}`, [`${heading}: ${error.message}`, error.remedy ?? ""].join("\n"));
    if (action === "check") return report ?? "";
    const prefix = await pathPrefix(resolve(io.cwd, dirname(each.config)));
    const annotations = plan === undefined || action !== "plan" ? "" : renderGithub(planView(plan), prefix);
    return `${annotations}${guardRunner(`${heading}: exit ${exit}\n`)}`;
  }
  const style = textStyle(io);
  if (result !== undefined && plan !== undefined)
    return allStacksText({ ...each, report: renderResultText(result, plan, style, nextStep(result, run)) });
  if (drift !== undefined) return allStacksText({ ...each, report: renderText(driftView(drift), style) });
  return allStacksText(plan === undefined ? each : { ...each, report: renderText(planView(plan), style) });
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

async function bodyOf(each: CiReport, maxChars: number, run: CiRun): Promise<string | null> {
  const { drift, error, plan, report, result } = each;
  if (error !== null) return `⛔ ${markdownText(error.message)}\n\n${withCode(error.remedy ?? "")}\n`;
  if (result !== undefined && plan !== undefined)
    return renderResultMarkdown(result, plan, nextStep(result, run), maxChars);
  if (drift !== undefined) return renderMarkdown(driftView(drift), maxChars);
  return plan === undefined ? report : renderMarkdown(planView(plan), maxChars);
}

/** A sentence as Markdown in which commands can be copied. */
function withCode(text: string): string {
  const parts = text.split("`");
  return parts.map((part, index) => (index % 2 === 0 ? markdownText(part) : markdownCode(part))).join("");
}

/** What to do after an apply, where that is something else than without a pipeline. */
function nextStep(result: NonNullable<CiReport["result"]>, run: CiRun): string | undefined {
  // Before the merge there are commands alone.
  const isUnmerged = run.event === "change";
  const again = isUnmerged ? "Comment `/edgewise plan` again" : "Start the whole pipeline again";
  // What was approved is another plan by now.
  if (exitCodeOf(result) !== 0) return `${again}: it plans what is left to do.`;
  // There is nothing to revert yet.
  if (!isUnmerged || result.outcome !== "applied") return undefined;
  return "Merge this: until then, an apply of the default branch takes it back.";
}

/** Writes what GitLab shows in a merge request: counts of all plans together, and drift as tests. */
export async function keepGitlabReports(
  action: string,
  reports: readonly CiReport[],
  io: CiContext["io"],
): Promise<void> {
  for (const { config, drift, slug } of reports) {
    if (drift === undefined) continue;
    const prefix = await pathPrefix(resolve(io.cwd, dirname(config)));
    await keepFile(`drift-${slug ?? ""}.xml`, renderJunit(driftView(drift), prefix), io);
  }
  if (action !== "plan") return;
  await keepFile("changes.json", renderPlansGitlab(reports.flatMap(({ plan }) => plan ?? [])), io);
}

/** What was done, as JSON (schemas/ci.schema.json). */
export function jsonOf(command: string, exit: number, reports: readonly CiReport[]): string {
  const stacks = reports.map(({ config, environment, error, exit: own, plan, slug }) => {
    return { config, environment, slug, exit: own, hash: plan?.hash ?? null, error };
  });
  return safeJson({ format: "edgewise.ci/v1", command, exit, stacks });
}
