import { renderResultText, renderResultMarkdown } from "../../report/result-report.js";
import { type TextOptions, renderText } from "../../report/report-text.js";
import { renderHtml } from "../../report/report-html.js";
import { renderJunit } from "../../report/junit-report.js";
import { renderMarkdown } from "../../report/report-markdown.js";
import type { ReportView } from "../../report/report-view.js";
import { planView } from "../../report/plan-view.js";
import { safeJson } from "../../core/visible.js";
import { renderPlansGitlab } from "../../report/machine-reports.js";
import { renderGithub } from "../../report/github-annotations.js";
import { shownPlan } from "../../plan/plan-secrets.js";
import { dirname, join, relative, sep } from "node:path";
import type { Result } from "../../apply/result.js";
import type { Plan } from "../../plan/plan-format.js";
import type { CommonFlags, PlanFlags } from "./command-options.js";
import type { GuardedIo, Io } from "./io.js";
import { exists, writeOutput } from "./output-files.js";

/**
 * Writes a command's result to stdout, or to the `--output-file`: in one step, so that no reader sees half of it, and
 * readable by its owner only. Adds a missing newline at the end.
 * @throws EdgewiseError `io` when the file can't be written
 */
export async function writeResult(text: string, flags: Pick<CommonFlags, "outputFile">, io: GuardedIo): Promise<void> {
  const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  if (flags.outputFile === undefined) return io.stdout(whole);
  await writeOutput(flags.outputFile, whole, io);
}

/** Writes a plan in the format that the flags ask for, where they ask for it. @throws EdgewiseError `io` */
export async function writePlan(plan: Plan, flags: PlanOutputFlags, io: GuardedIo, root: string): Promise<void> {
  const shown = shownPlan(plan, (text) => io.redactor.redact(text));
  await writeResult(await renderPlan(shown, flags, io, root), flags, io);
}

type PlanOutputFlags = CommonFlags & Pick<PlanFlags, "compact">;

/**
 * A plan in the format that the flags ask for.
 * @param root the directory that the plan's sources are relative to
 */
export async function renderPlan(plan: Plan, flags: PlanOutputFlags, io: Io, root: string): Promise<string> {
  if (flags.output === "json") return safeJson(plan);
  if (flags.output === "gitlab") return renderPlansGitlab([plan]);
  return renderView(planView(plan, flags.compact === true && (flags.output ?? "text") === "text"), flags, io, root);
}

/** A plan or drift in one of the formats for people and for forges. */
export async function renderView(view: ReportView, flags: PlanOutputFlags, io: Io, root: string): Promise<string> {
  switch (flags.output) {
    case "markdown":
      return renderMarkdown(view);
    case "html":
      return renderHtml(view);
    case "github":
      return renderGithub(view, await pathPrefix(root));
    case "junit":
      return renderJunit(view, await pathPrefix(root));
    default:
      return renderText(view, { ...textStyle(flags, io), compact: flags.compact === true });
  }
}

/** The result of an apply, in the format that the flags ask for. */
export function renderResult(result: Result, plan: Plan, flags: CommonFlags, io: Io): string {
  switch (flags.output ?? "text") {
    case "json":
      return safeJson(result);
    case "markdown":
      return renderResultMarkdown(result, plan);
    default:
      return renderResultText(result, plan, textStyle(flags, io));
  }
}

/** Whether the result is coloured; never in a file. */
export function isColored(flags: Pick<CommonFlags, "outputFile">, io: Io): boolean {
  return io.color && flags.outputFile === undefined;
}

/** How text reports of plans, results and drift look. */
export function textStyle(flags: CommonFlags, io: Io): TextOptions {
  return {
    color: isColored(flags, io),
    verbose: flags.verbose === true,
    ...(io.columns === undefined ? {} : { width: Math.min(io.columns, 140) }),
  };
}

/**
 * The path from the repository's root to a directory in it, ending in `/` ("" at the root and outside of repositories).
 * Forges name files from the repository's root; edgewise names manifests from the configuration's directory.
 * @param directory absolute
 */
export async function pathPrefix(directory: string): Promise<string> {
  for (let above = directory; ; above = dirname(above)) {
    // A file in worktrees and submodules, a directory elsewhere.
    if (await exists(join(above, ".git"))) {
      const path = relative(above, directory).split(sep).join("/");
      return path === "" ? "" : `${path}/`;
    }
    if (dirname(above) === above) return "";
  }
}
