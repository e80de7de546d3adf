import { Argument } from "commander";
import { type CiRun, runOutside, tellingHost, whoRuns, longestText } from "../ci/ci-host.js";
import { githubApi, githubEvent, githubHost, githubRun } from "../ci/github.js";
import { gitlabHost, gitlabRun } from "../ci/gitlab.js";
import { type SendRequest, createSendRequest, type HostApi } from "../ci/host-api.js";
import { driftNotice, failureNotice, postNotice, resultNotice } from "../ci/notify.js";
import {
  commandKey,
  type PullCommand,
  commandUsage,
  findShownPlan,
  plainBody,
  readPullCommand,
  refusal,
  shownPlanText,
} from "../ci/pull-command.js";
import { loadConfig } from "../config/load-config.js";
import { misuse, EdgewiseError } from "../core/errors.js";
import { count } from "../core/text.js";
import { guardRunner, safeJson } from "../core/visible.js";
import { markdownCode, markdownText } from "../report/escape.js";
import { renderErrorGithub } from "../report/github-annotations.js";
import { renderPlansGitlab } from "../report/machine-reports.js";
import { allStacksMarkdown, allStacksText, stackHeading } from "../report/stacks-report.js";
import { type StackReport, refuseSelectingVariables, worstExit } from "./support/all-stacks.js";
import {
  type CiContext,
  approvalOf,
  ciApply,
  ciCheck,
  ciDrift,
  ciPlan,
  freshDirectory,
  keepFile,
  appliedCommits,
  commitOf,
  isPartOf,
} from "./support/ci-steps.js";
import type { CommandIo } from "./support/command-io.js";
import { type DefineCommand, type Flags, duration, planHash } from "./support/command-options.js";
import { writeResult, renderFindings } from "./support/output.js";
import { showError } from "./support/show-error.js";

type CiAction = "plan" | "apply" | "drift" | "check" | "comment";

export const define: DefineCommand = (command, run) =>
  command
    .addArgument(new Argument("<action>", "the step").choices(["plan", "apply", "drift", "check", "comment"]))
    .description(
      "Reads the variables of GitHub Actions or GitLab CI, chooses the stacks, and reports there, with GITHUB_TOKEN or GITLAB_TOKEN. `plan` saves plans in edgewise-plans/ and hands their hash on; `apply` applies them if EDGEWISE_APPROVED is that hash; `check` validates without a key; `comment` decides whether a comment on a pull request is a command. Exits with the worst code of the stacks; `plan` with changes exits 0.",
    )
    .optionsGroup("Pipeline:")
    .option("--dry-run", "say what would be reported; contact no CI system, and apply nothing")
    .option("--slug <slug>", "only this stack, as `edgewise stacks -o json` names it")
    .option("--changed-since <ref>", "only stacks that changed since the merge base with this commit")
    .option("--ref <ref>", "plan: roll one stack back to this commit, which was merged")
    .option("--approved <hash>", "apply: what `plan` handed on, instead of EDGEWISE_APPROVED", planHash)
    .option("--expires-within <duration>", "drift: also report certificates that expire within this time", duration)
    .option("--detailed-exitcode", "plan: exit 2 when there are changes")
    .shared(["text", "json"], "guards origin service concurrency")
    .examples([
      ["edgewise ci check", "what a pull request changes, without a key"],
      ["edgewise ci plan", "plan it, and comment on the pull request"],
      ["edgewise ci plan --dry-run --changed-since origin/main", "the same on your own machine"],
    ])
    .action(run(ci));

async function ci(io: CommandIo, action: CiAction, flags: Flags) {
  refuseSelectingVariables(io);
  const isGithub = io.env["GITHUB_ACTIONS"] === "true";
  const event = isGithub ? await githubEvent(io.env) : null;
  const outside = io.env["GITLAB_CI"] === "true" ? gitlabRun(io.env) : runOutside;
  const run = isGithub ? githubRun(io.env, event) : outside;
  io.redactor.addKey(run.token ?? "");
  const send = createSendRequest(io.env, io.redactor);
  // What a fork's job names is empty: it gets no secrets and variables.
  const given = Object.entries(io.env).filter(([, value]) => value !== "" || !run.isFork);
  const own = { ...io, env: Object.fromEntries(given) };
  const context: CiContext = { flags, io: own, run, event, send, host: hostOf(run, flags, io, send) };
  if (run.event === "comment" || action === "comment") return onComment(action, context);
  if (run.isFork && (action === "apply" || action === "drift")) {
    io.log.warning(`a change from another repository gets no ${action}, which needs a key`);
    return 0;
  }
  const actions = { plan: ciPlan, apply: ciApply, drift: ciDrift, check: ciCheck };
  return finish(action, await actions[action](context), context);
}

async function onComment(action: CiAction, context: CiContext) {
  const { flags, io, run, send } = context;
  if (run.event !== "comment" || flags.dryRun || action === "drift" || action === "check") {
    const remedy = "On GitHub, `ci comment`, and then `ci plan` or `ci apply`, run for the event issue_comment.";
    throw misuse(`\`ci ${action}\` can't be run like this for this event`, remedy);
  }
  const api = githubApi(run, io.env, send);
  return answering(context, api, async () => {
    if (action === "comment") {
      await ciComment(context, api);
      return 0;
    }
    const own = await commentContext(action, context, api);
    return finish(action, action === "plan" ? await ciPlan(own) : await applyCommandOf(own, api), own);
  });
}

function hostOf(run: CiRun, { dryRun }: Flags, io: CommandIo, send: SendRequest) {
  if (dryRun || run.system === "none") return tellingHost((text) => io.stderr(guardRunner(text)));
  if (run.system === "github") return githubHost(run, io.env, send);
  const warn = (text: string) => io.log.warning(text);
  return gitlabHost(run, io.env, { send, warn, write: (name, text) => keepFile(name, text, io) });
}

type Step = Exclude<CiAction, "comment">;

async function finish(step: Step, reports: readonly StackReport[], context: CiContext | CommentContext) {
  const { flags, io, run } = context;
  const logged = reports.map((each) => logOf(step, each, context));
  if (io.format !== "json") await writeResult(logged.join(""), io);
  let reported = true;
  for (const task of step === "check" || (step === "apply" && flags.dryRun) ? [] : tasksOf(step, reports, context))
    await task().catch(async (error: unknown) => {
      await showError(error, io);
      reported = false;
    });
  if ((step === "apply" || step === "drift") && run.system !== "none" && !flags.dryRun)
    await notifyAll(reports, context);
  const worst = worstExit(reports);
  // 1, 4 and 130 say that nothing was changed.
  const exit = step === "apply" && worst !== 0 && reports.some((each) => each.exit === 0) ? 3 : worst;
  const code = reported || [130, 1, 3].includes(exit) ? exit : step === "apply" ? 3 : 1;
  const shown = code === 2 && step === "plan" && !flags.detailedExitcode ? 0 : code;
  if (io.format === "json") await writeResult(jsonOf(step, shown, reports), io);
  return shown;
}

/** What the CI system is told. One that fails keeps none from the others. */
function tasksOf(step: Step, reports: readonly StackReport[], context: CiContext | CommentContext) {
  const { host, io, run } = context;
  const { change, head } = run;
  const summary = async () => host.summary(markdownOf(reports, context));
  // Its token may only read.
  if (run.isFork) return [summary];
  const tasks: (() => Promise<void>)[] = [];
  if (step === "drift" && run.system === "gitlab") tasks.push(() => freshDirectory(io));
  if (run.system === "gitlab") tasks.push(() => keepGitlabReports(step, reports, io));
  if (step === "plan") {
    const approved = approvalOf(reports);
    tasks.push(() => host.handOn({ changes: String(approved !== ""), approved }));
  }
  tasks.push(summary);
  if (change !== null && step !== "drift") {
    const isShown = step === "plan" && "command" in context;
    const key = isShown ? commandKey : step === "plan" ? "ci" : step;
    tasks.push(async () => {
      const body = isShown ? commandBody(context, reports) : markdownOf(reports, context);
      return host.comment(change, key, body);
    });
  }
  // A push to another branch says nothing about what is applied.
  const records = step === "apply" || (step === "plan" && run.isDefaultBranch && run.event !== "schedule");
  for (const each of reports) {
    const { error, exit, plan, slug } = each;
    if (slug === null || error !== null) continue;
    if (step === "drift" && (exit === 0 || exit === 2)) {
      const title = `Edge drift in ${slug}: live differs from Git`;
      tasks.push(async () => host.issue(slug, title, exit === 2 ? markdownOf([each], context) : null));
    }
    const commit = (plan?.ref === undefined ? null : plan.commit) ?? head;
    if (records && exit === 0 && commit !== null) tasks.push(() => host.recordApplied(slug, commit));
  }
  return tasks;
}

async function notifyAll(reports: readonly StackReport[], { flags, io, run, send }: CiContext) {
  const inVain = new Set<string>();
  for (const { config, drift, environment, error, plan, result, slug, stack } of reports) {
    const found = drift === undefined ? null : driftNotice(drift);
    const notice = error !== null ? failureNotice : result === undefined ? found : resultNotice(result);
    if (slug === null || notice === null) continue;
    const place = { config, ...(environment !== null && { environment }) };
    const { notify } = await loadConfig({ cwd: io.cwd, env: io.env, flags: { ...flags, ...place } });
    const by = io.redactor.redact(whoRuns(io.env));
    const origin = { stack: stack ?? slug, commit: plan?.commit ?? run.head, by, run: run.runUrl };
    for (const receiver of notify) {
      if (!receiver.on.includes(notice.event) || inVain.has(receiver.url)) continue;
      const why = await postNotice(notice, origin, receiver, io, send);
      if (why === null) continue;
      inVain.add(receiver.url);
      io.log.warning(`the receiver in ${receiver.url} was not notified: ${why}`);
    }
  }
}

function logOf(action: string, each: StackReport, { io, run }: CiContext): string {
  const { error, exit } = each;
  if (run.system === "github") {
    const heading = stackHeading(each);
    if (error !== null)
      return renderErrorGithub(`edgewise ${action}`, [`${heading}: ${error.message}`, error.remedy ?? ""].join("\n"));
    if (action === "check") return each.text ?? "";
    const annotations = action === "plan" ? renderFindings(each, { ...io, format: "github" }) : "";
    return `${annotations}${guardRunner(`${heading}: exit ${exit}\n`)}`;
  }
  const next = nextStep(each, run);
  return allStacksText(each, error === null ? renderFindings(each, { ...io, format: "text" }, { next }) : null);
}

function markdownOf(reports: readonly StackReport[], { io, run }: CiContext): string {
  if (reports.length === 0) return "This touches no stack.\n";
  const maxChars = Math.max(4_000, Math.floor((longestText - 5_000) / reports.length));
  let text = "";
  for (const [index, each] of reports.entries()) {
    const { error } = each;
    const body =
      error === null
        ? renderFindings(each, { ...io, format: "markdown" }, { maxChars, next: nextStep(each, run) })
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

async function keepGitlabReports(action: string, reports: readonly StackReport[], io: CiContext["io"]): Promise<void> {
  for (const each of reports)
    if (each.drift !== undefined)
      await keepFile(`drift-${each.slug ?? ""}.xml`, renderFindings(each, { ...io, format: "junit" }), io);
  if (action !== "plan") return;
  await keepFile("changes.gitlab.json", renderPlansGitlab(reports.flatMap(({ plan }) => plan ?? [])), io);
}

function jsonOf(command: string, exit: number, reports: readonly StackReport[]): string {
  const stacks = reports.map(({ config, environment, error, exit: own, plan, slug }) => {
    return { config, environment, slug, exit: own, hash: plan?.hash ?? null, error };
  });
  return safeJson({ format: "edgewise.ci/v1", command, exit, stacks });
}

interface CommentContext extends CiContext {
  readonly command: PullCommand;
}

async function ciComment(context: CiContext, api: HostApi): Promise<void> {
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
async function commentContext(action: "plan" | "apply", context: CiContext, api: HostApi): Promise<CommentContext> {
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

function commandBody(context: CommentContext, reports: readonly StackReport[]): string {
  const plans = markdownOf(reports, context);
  return shownPlanText(context.command, approvalOf(reports), plans);
}

async function applyCommandOf(context: CommentContext, api: HostApi): Promise<readonly StackReport[]> {
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
  if (plainBody(commandBody(context, reports)) !== shown)
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

async function answering<T>({ run }: CiContext, api: HostApi, work: () => Promise<T>): Promise<T> {
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
