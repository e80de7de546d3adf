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
import { markdownCode, markdownText } from "../../report/escape.js";
import { renderErrorGithub } from "../../report/github-annotations.js";
import { renderPlansGitlab } from "../../report/machine-reports.js";
import { allStacksMarkdown, allStacksText, stackHeading } from "../../report/stacks-report.js";
import type { StackReport } from "./all-stacks.js";
import {
  type CiContext,
  appliedCommits,
  approvalOf,
  ciApply,
  ciPlan,
  commitOf,
  isPartOf,
  keepFile,
} from "./ci-steps.js";
import type { CommandIo } from "./command-io.js";
import { renderFindings } from "./output.js";

export async function logOf(action: string, each: StackReport, { io, run }: CiContext): Promise<string> {
  const { error, exit } = each;
  if (run.system === "github") {
    const heading = stackHeading(each);
    if (error !== null)
      return renderErrorGithub(`edgewise ${action}`, [`${heading}: ${error.message}`, error.remedy ?? ""].join("\n"));
    if (action === "check") return each.text ?? "";
    const annotations = action === "plan" ? await renderFindings(each, { ...io, format: "github" }) : "";
    return `${annotations}${guardRunner(`${heading}: exit ${exit}\n`)}`;
  }
  const next = nextStep(each, run);
  return allStacksText(each, error === null ? await renderFindings(each, { ...io, format: "text" }, { next }) : null);
}

export async function markdownOf(reports: readonly StackReport[], { io, run }: CiContext): Promise<string> {
  if (reports.length === 0) return "This touches no stack.\n";
  const maxChars = Math.max(4_000, Math.floor((longestText - 5_000) / reports.length));
  let text = "";
  for (const [index, each] of reports.entries()) {
    const { error } = each;
    const body =
      error === null
        ? await renderFindings(each, { ...io, format: "markdown" }, { maxChars, next: nextStep(each, run) })
        : `⛔ ${markdownText(error.message)}\n\n${withCode(error.remedy ?? "")}\n`;
    const next = `${allStacksMarkdown(each, body)}\n`;
    if (text.length + next.length > longestText - 300)
      return `${text}${count(reports.length - index, "more stack")} did not fit: the run's log has all.\n`;
    text += next;
  }
  return text;
}

function withCode(text: string): string {
  const parts = text.split("`");
  return parts.map((part, index) => (index % 2 === 0 ? markdownText(part) : markdownCode(part))).join("");
}

function nextStep({ exit, result }: StackReport, run: CiRun): string | undefined {
  const isUnmerged = run.event === "change";
  const again = isUnmerged ? "Comment `/edgewise plan` again" : "Start the whole pipeline again";
  // What was approved is another plan by now.
  if (exit !== 0) return `${again}: it plans what is left to do.`;
  if (!isUnmerged || result?.outcome !== "applied") return undefined;
  return "Merge this: until then, an apply of the default branch takes it back.";
}

export async function keepGitlabReports(
  action: string,
  reports: readonly StackReport[],
  io: CiContext["io"],
): Promise<void> {
  for (const each of reports)
    if (each.drift !== undefined)
      await keepFile(`drift-${each.slug ?? ""}.xml`, await renderFindings(each, { ...io, format: "junit" }), io);
  if (action !== "plan") return;
  await keepFile("changes.gitlab.json", renderPlansGitlab(reports.flatMap(({ plan }) => plan ?? [])), io);
}

export function jsonOf(command: string, exit: number, reports: readonly StackReport[]): string {
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

/** Everything is checked again. */
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
      "The default branch has moved on since the merge, and this would undo it. Start the workflow that applies by hand instead.",
    );
  if (!isMerged && !(await isPartOf(mainOf(context), commit, context.io)))
    throw refusal("Its branch lacks commits of the default branch, and would undo them: update the branch.");
}

export async function commandBody(context: CommentContext, reports: readonly StackReport[]): Promise<string> {
  const plans = await markdownOf(reports, context);
  return shownPlanText(context.command, approvalOf(reports), plans);
}

export async function applyCommandOf(context: CommentContext, api: HostApi): Promise<readonly StackReport[]> {
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
      `Another pull request holds the stack \`${slug ?? ""}\`, or this one before it was rewritten: commit ${applied.slice(0, 12)} was applied and is not part of this. Merge that, or start the workflow that applies by hand to take it back. Then update this branch.`,
    );
  }
  if (plainBody(await commandBody(context, reports)) !== shown)
    throw refusal(
      "The comment doesn't show this plan: something changed, other stacks were named, or the comment was edited. Comment `/edgewise plan`, look at the plan, then apply.",
    );
  return ciApply(context, approvalOf(reports));
}

/** The plan was shown by a job without the manifests' secrets. */
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
