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
import { longestText, runOutside } from "../../ci/ci-host.js";
import { EdgewiseError } from "../../core/errors.js";
import {
  type CiContext,
  type CiReport,
  appliedCommits,
  commitOf,
  hashOfPlans,
  isPartOf,
  plansToApply,
} from "./ci-context.js";
import { markdownOf } from "./ci-reports.js";
import { ciApply, ciPlan } from "./ci-steps.js";
import type { CommandIo } from "./command-io.js";

export interface CommandContext extends CiContext {
  readonly command: PullCommand;
}

/** `ci comment`: decides whether a comment is a command that may be done, and hands that on. */
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

/**
 * The same step as for the pull request itself, or after the merge for its push: of the commit that the command is about,
 * which is checked out. Who commented and the state of the pull request are checked again.
 */
export async function commandContext(
  action: "plan" | "apply",
  context: CiContext,
  api: HostApi,
): Promise<CommandContext> {
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

/** Refuses a commit that would undo what was merged meanwhile. */
async function refuseOutdated({ commit, isMerged }: PullCommand, context: CiContext): Promise<void> {
  if (isMerged && commit !== (await commitOf(mainOf(context), context.io)))
    throw refusal(
      "The default branch has moved on since this pull request was merged. To apply it now would undo what was merged later. Start the workflow that applies by hand instead.",
    );
  if (!isMerged && !(await isPartOf(mainOf(context), commit, context.io)))
    throw refusal("Its branch lacks commits of the default branch, and would undo them: update the branch.");
}

/** The body of the comment that shows what a command planned. */
export async function commandBody({ command, run }: CommandContext, reports: readonly CiReport[]): Promise<string> {
  const plans = await markdownOf(reports, longestText - 1000, run);
  return shownPlanText(command, hashOfPlans(plansToApply(reports)), plans);
}

/** Plans again, and applies that if it is what the comment shows. */
export async function applyCommandOf(context: CommandContext, api: HostApi): Promise<readonly CiReport[]> {
  const { command, io, run } = context;
  const shown = await findShownPlan(command, api);
  const reports = await ciPlan({ ...context, io: withoutSecrets(io) });
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
  return ciApply(context, hashOfPlans(plansToApply(reports)));
}

/** The plan that was shown was made where no secrets of manifests are. */
function withoutSecrets(io: CommandIo): CommandIo {
  const kept = /^(?:PATH|HOME|TMPDIR|SUDO_UID|EDGEWISE_\w+|NODE_EXTRA_CA_CERTS|(?:https?|no)_proxy)$/iu;
  return { ...io, env: Object.fromEntries(Object.entries(io.env).filter(([name]) => kept.test(name))) };
}

/** Answers in the pull request when the work is refused or fails, and goes on with that. */
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
