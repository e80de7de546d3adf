import { dirname, resolve } from "node:path";
import { exitCodeOf } from "../../apply/result.js";
import { type CiRun, longestText, runOutside } from "../../ci/ci-host.js";
import type { HostApi } from "../../ci/host-api.js";
import {
  type PullCommand,
  commandUsage,
  findShownPlan,
  plainBody,
  readPullCommand,
  refusal,
  shownPlanText,
} from "../../ci/pull-command.js";
import { EdgewiseError } from "../../core/errors.js";
import { count } from "../../core/text.js";
import { guardRunner, safeJson } from "../../core/visible.js";
import { driftView } from "../../report/drift-view.js";
import { markdownCode, markdownText } from "../../report/escape.js";
import { renderErrorGithub, renderGithub } from "../../report/github-annotations.js";
import { renderJunit } from "../../report/junit-report.js";
import { renderPlansGitlab } from "../../report/machine-reports.js";
import { planView } from "../../report/plan-view.js";
import { renderMarkdown } from "../../report/report-markdown.js";
import { renderText } from "../../report/report-text.js";
import { renderResultMarkdown, renderResultText } from "../../report/result-report.js";
import { allStacksMarkdown, allStacksText, stackHeading } from "../../report/stacks-report.js";
import {
  type CiContext,
  type CiReport,
  appliedCommits,
  approvalOf,
  ciApply,
  ciPlan,
  commitOf,
  isPartOf,
  keepFile,
} from "./ci-steps.js";
import type { CommandIo } from "./command-io.js";
import { pathPrefix, textStyle } from "./output.js";

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

/** Commands can be copied. */
function withCode(text: string): string {
  const parts = text.split("`");
  return parts.map((part, index) => (index % 2 === 0 ? markdownText(part) : markdownCode(part))).join("");
}

/** Absent = the same as without a pipeline. */
function nextStep(result: NonNullable<CiReport["result"]>, run: CiRun): string | undefined {
  const isUnmerged = run.event === "change";
  const again = isUnmerged ? "Comment `/edgewise plan` again" : "Start the whole pipeline again";
  // What was approved is another plan by now.
  if (exitCodeOf(result) !== 0) return `${again}: it plans what is left to do.`;
  if (!isUnmerged || result.outcome !== "applied") return undefined;
  return "Merge this: until then, an apply of the default branch takes it back.";
}

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
  // No slug has a dot: this is no stack's plan.
  await keepFile("changes.gitlab.json", renderPlansGitlab(reports.flatMap(({ plan }) => plan ?? [])), io);
}

export function jsonOf(command: string, exit: number, reports: readonly CiReport[]): string {
  const stacks = reports.map(({ config, environment, error, exit: own, plan, slug }) => {
    return { config, environment, slug, exit: own, hash: plan?.hash ?? null, error };
  });
  return safeJson({ format: "edgewise.ci/v1", command, exit, stacks });
}

export interface CommentContext extends CiContext {
  readonly command: PullCommand;
}

export async function ciComment(context: CiContext, api: HostApi): Promise<void> {
  const { event, host, io } = context;
  const command = await readPullCommand(event, api, io.env);
  if (command === "help") await api.send("POST", `issues/${context.run.change ?? 0}/comments`, { body: commandUsage });
  if (command === null || command === "help") {
    io.log.info("There is nothing to do for this comment.");
    return host.handOn({ command: "", commit: "" });
  }
  await refuseOutdated(command, context);
  if (command.action === "apply") await findShownPlan(command, api);
  return host.handOn({ command: command.action, commit: command.commit });
}

/** The step of a command as that of its pull request, or after the merge of a push. Everything is checked again. */
export async function commentContext(
  action: "plan" | "apply",
  context: CiContext,
  api: HostApi,
): Promise<CommentContext> {
  const { io, run } = context;
  const command = await readPullCommand(context.event, api, io.env);
  if (command === null || command === "help" || command.action !== action)
    throw refusal(`This comment is no command to ${action}.`);
  const { commit, isMerged, slugs } = command;
  if ((await commitOf("HEAD", io)) !== commit) throw refusal("The pull request has changed meanwhile. Comment again.");
  await refuseOutdated(command, context);
  const base = isMerged ? null : mainOf(context);
  const event = isMerged ? "push" : "change";
  const asked = { ...runOutside.asked, slugs };
  return { ...context, command, run: { ...run, asked, base, event, head: commit, isDefaultBranch: isMerged } };
}

function mainOf({ run }: CiContext): string {
  return `refs/remotes/origin/${run.defaultBranch ?? ""}`;
}

async function refuseOutdated({ commit, isMerged }: PullCommand, context: CiContext): Promise<void> {
  if (isMerged && commit !== (await commitOf(mainOf(context), context.io)))
    throw refusal(
      "The default branch has moved on since this pull request was merged. To apply it now would undo what was merged later. Start the workflow that applies by hand instead.",
    );
  if (!isMerged && !(await isPartOf(mainOf(context), commit, context.io)))
    throw refusal("Its branch lacks commits of the default branch, and would undo them: update the branch.");
}

export async function commandBody({ command, run }: CommentContext, reports: readonly CiReport[]): Promise<string> {
  const plans = await markdownOf(reports, longestText - 1000, run);
  return shownPlanText(command, approvalOf(reports), plans);
}

export async function applyCommandOf(context: CommentContext, api: HostApi): Promise<readonly CiReport[]> {
  const { command, io, run } = context;
  const shown = await findShownPlan(command, api);
  const reports = await ciPlan({ ...context, io: withoutSecrets(io) });
  if (reports.some(({ exit }) => exit !== 0 && exit !== 2))
    throw refusal("Not every stack can be applied: the plan says why.");
  const appliedNow = await appliedCommits(run, io);
  for (const { slug } of reports) {
    const applied = appliedNow.get(slug ?? "");
    if (applied === undefined || (await isPartOf(applied, command.commit, io))) continue;
    throw refusal(
      `Another pull request holds the stack \`${slug ?? ""}\`, or this one before its branch was rewritten: commit ${applied.slice(0, 12)} was applied before its merge, and is not part of this one. Merge that first, or start the workflow that applies by hand to take it back. Then update this branch.`,
    );
  }
  if (plainBody(await commandBody(context, reports)) !== shown)
    throw refusal(
      "The comment doesn't show this plan: live or the program changed, other stacks were named, or somebody has edited the comment. Comment `/edgewise plan`, look at the plan, then apply.",
    );
  return ciApply(context, approvalOf(reports));
}

/** The plan that was shown was made where no secrets of manifests are. */
function withoutSecrets(io: CommandIo): CommandIo {
  const kept = /^(?:PATH|HOME|TMPDIR|SUDO_UID|EDGEWISE_\w+|NODE_EXTRA_CA_CERTS|(?:https?|no)_proxy)$/iu;
  return { ...io, env: Object.fromEntries(Object.entries(io.env).filter(([name]) => kept.test(name))) };
}

export async function answering<T>({ run }: CiContext, api: HostApi, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isForPeople = error instanceof EdgewiseError && ["refused", "usage"].includes(error.code);
    const why = isForPeople ? error.message : "This could not be done.";
    const body = `${why} [The run](${run.runUrl ?? ""}) has the details.\n`;
    await api.send("POST", `issues/${run.change ?? 0}/comments`, { body });
    throw error;
  }
}
