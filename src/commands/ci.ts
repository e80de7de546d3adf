import { Argument } from "commander";
import { readFile } from "node:fs/promises";
import { type CiHost, longestText, tellingHost } from "../ci/ci-host.js";
import { type CiRun, runOutside } from "../ci/ci-run.js";
import { githubApi, githubHost, githubRun } from "../ci/github.js";
import { gitlabHost, gitlabRun } from "../ci/gitlab.js";
import { type SendRequest, createSendRequest } from "../ci/host-api.js";
import { commandKey } from "../ci/pull-command.js";
import { EdgewiseError } from "../core/errors.js";
import { parseJson } from "../core/parse-json.js";
import { guardRunner } from "../text/visible.js";
import { driftCommand } from "./drift.js";
import { refuseSelection } from "./support/all-flags.js";
import { ciApply } from "./support/ci-apply.js";
import {
  type CommandContext,
  answering,
  applyCommandOf,
  ciComment,
  commandBody,
  commandContext,
} from "./support/ci-comment.js";
import { ciCheck } from "./support/ci-check.js";
import {
  type CiContext,
  type CiFlags,
  type CiReport,
  hashOfPlans,
  runStacks,
  writeFile,
} from "./support/ci-context.js";
import { notifyAll } from "./support/ci-notify.js";
import { ciPlan, freshDirectory, plansToApply } from "./support/ci-plan.js";
import { jsonOf, junitOf, logOf, markdownOf } from "./support/ci-reports.js";
import { appliedRef, selectStacks } from "./support/ci-stacks.js";
import type { GuardedIo } from "./support/io.js";
import { type Log, createLog } from "./support/log.js";
import { writeResult } from "./support/output.js";
import { showError } from "./support/show-error.js";
import {
  addConcurrencyOption,
  addExamples,
  addOriginOption,
  addOutputOptions,
  addRareOptions,
  addServiceOptions,
  type DefineCommand,
} from "./support/command-options.js";
import { collectAddress, countOrPercent, duration, planHash } from "./support/parsers.js";

/** The most characters of a summary: GitHub refuses more than a megabyte. */
const longestSummary = 250_000;

export type CiAction = "plan" | "apply" | "drift" | "check" | "comment";

export const define: DefineCommand = (command, run) => {
  command.addArgument(new Argument("<action>", "the step").choices(["plan", "apply", "drift", "check", "comment"]));
  command.description(
    "Runs a step of a pipeline in one command: it reads the variables of GitHub Actions or GitLab CI, chooses the stacks, and reports where that expects it, with GITHUB_TOKEN or GITLAB_TOKEN. `plan` saves plans in edgewise-plans/ and hands their hash on; `apply` applies them if EDGEWISE_APPROVED is that hash; `check` validates without a key; `comment` decides whether a comment on a pull request is a command. Exits with the worst code of the stacks; `plan` with changes exits 0.",
  );
  command
    .optionsGroup("Pipeline:")
    .option("--dry-run", "say what would be reported; contact no CI system, and apply nothing")
    .option("--slug <slug>", "only this stack, as `edgewise stacks -o json` names it")
    .option("--changed-since <ref>", "only stacks that changed since the merge base with this commit")
    .option("--ref <ref>", "plan: roll one stack back to this commit, which was merged")
    .option("--approved <hash>", "apply: what `plan` handed on, instead of EDGEWISE_APPROVED", planHash)
    .option("--allow <address>", "plan: lift the guards for this resource (repeatable)", collectAddress)
    .option("--max-deletes <number>", "plan: how many resources a plan may delete, like 5 or 25%", countOrPercent)
    .option("--expires-within <duration>", "drift: also report certificates that expire within this time", duration)
    .option("--detailed-exitcode", "plan: exit 2 when there are changes");
  addOriginOption(command);
  addOutputOptions(command, ["text", "json"]);
  addConcurrencyOption(addServiceOptions(command));
  addRareOptions(command, "service");
  addExamples(command, [
    ["edgewise ci check", "what a pull request changes, without a key"],
    ["edgewise ci plan", "plan it, and comment on the pull request"],
    ["edgewise ci plan --dry-run --changed-since origin/main", "the same on your own machine"],
  ]);
  command.action((action: CiAction, flags: CiFlags) => run(flags, async (io) => ciCommand(action, flags, io)));
};

/** `ci`: a step of a pipeline, told by the variables of its CI system. Returns the worst exit code of the stacks. */
export async function ciCommand(action: CiAction, flags: CiFlags, io: GuardedIo): Promise<number> {
  const { ref: _ref, ...selecting } = flags;
  refuseSelection(selecting, io);
  const log = createLog(flags, io);
  const event = await eventOf(io);
  const run = runOf(io, event);
  io.redactor.addKey(run.token ?? "");
  const send = createSendRequest(io.env, io.redactor);
  const host = hostOf(run, flags, io, send, log);
  const context: CiContext = { flags, io, log, run, event, host };
  if (run.event === "comment" || action === "comment") return onComment(action, context, send);
  if (run.isFork && action !== "check") {
    log.warning(
      `a change from another repository gets no ${action}, which needs a key: \`edgewise ci check\` checks it`,
    );
    return 0;
  }
  const actions = { plan: ciPlan, apply: ciApply, drift: ciDrift, check: ciCheck };
  return finish(action, await actions[action](context), context, send);
}

/** Does what a comment on a pull request asks for, and answers there. */
async function onComment(action: CiAction, context: CiContext, send: SendRequest): Promise<number> {
  const { io, run } = context;
  if (run.event !== "comment" || context.flags.dryRun === true || action === "drift" || action === "check") {
    throw new EdgewiseError("usage", `\`ci ${action}\` can't be run like this for this event`, {
      remedy: "On GitHub, `ci comment`, and then `ci plan` or `ci apply`, run for the event issue_comment.",
    });
  }
  const api = githubApi(run, io.env, send);
  return answering(context, api, async () => {
    if (action === "comment") {
      await ciComment(context, api);
      return 0;
    }
    const own = await commandContext(action, context, api);
    return finish(action, action === "plan" ? await ciPlan(own) : await applyCommandOf(own, api), own, send);
  });
}

/** Reports, and returns the exit code. */
async function finish(
  action: Exclude<CiAction, "comment">,
  reports: readonly CiReport[],
  context: CiContext | CommandContext,
  send: SendRequest,
): Promise<number> {
  const { flags, io, run } = context;
  const reported = await report(action, reports, context);
  if ((action === "apply" || action === "drift") && run.system !== "none" && flags.dryRun !== true)
    await notifyAll(reports, context, send);
  const exits = reports.map(({ exit }) => exit);
  const worst = [130, 1, 3, 4, 2].find((each) => exits.includes(each)) ?? 0;
  // 1, 4 and 130 say that nothing was changed: not when another stack was applied.
  const exit = action === "apply" && worst !== 0 && exits.includes(0) ? 3 : worst;
  // After an apply something was changed, whatever else failed.
  const failed = action === "apply" ? 3 : 1;
  const code = reported ? exit : ([130, 1, 3].find((each) => each === exit) ?? failed);
  const shown = code === 2 && action === "plan" && flags.detailedExitcode !== true ? 0 : code;
  if (flags.output === "json") await writeResult(jsonOf(action, shown, reports), flags, io);
  return shown;
}

function runOf({ env }: GuardedIo, event: unknown): CiRun {
  if (env["GITHUB_ACTIONS"] === "true") return githubRun(env, event);
  return env["GITLAB_CI"] === "true" ? gitlabRun(env) : runOutside;
}

function hostOf(run: CiRun, { dryRun }: CiFlags, io: GuardedIo, send: SendRequest, log: Log): CiHost {
  if (dryRun === true || run.system === "none") return tellingHost((text) => io.stderr(guardRunner(text)));
  if (run.system === "github") return githubHost(run, io.env, send);
  const warn = (text: string): void => log.warning(text);
  return gitlabHost(run, io.env, { send, warn, write: (name, text) => writeFile(name, text, io) });
}

async function ciDrift(context: CiContext): Promise<readonly CiReport[]> {
  const { broken, stacks } = await selectStacks(context);
  const reports = await runStacks([...broken, ...stacks], context, async (own, stackIo, account, { slug }) => {
    const base = await appliedRef(slug, context.run, context.io);
    return driftCommand({ ...own, ...(base === null ? {} : { base }) }, stackIo, account);
  });
  return reports.map((each) => (each.report === null ? each : { ...each, drift: JSON.parse(each.report) }));
}

/** Tells the CI system. False = part of it failed, which is shown. */
async function report(
  action: CiAction,
  reports: readonly CiReport[],
  context: CiContext | CommandContext,
): Promise<boolean> {
  const { flags, host, io, run } = context;
  const logged = await Promise.all(reports.map(async (each) => logOf(action, each, context)));
  if (flags.output !== "json") await writeResult(logged.join(""), flags, io);
  if (action === "check" || (action === "apply" && flags.dryRun === true)) return true;
  let done = true;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await showError(error, flags, io);
      done = false;
    }
  };
  if (action === "plan") {
    const toApply = plansToApply(reports);
    const approved = toApply.length === 0 ? "" : hashOfPlans(toApply);
    await attempt(() => host.handOn({ changes: String(approved !== ""), approved }));
  }
  await attempt(async () => host.summary(await markdownOf(reports, longestSummary, run)));
  const { change } = run;
  if (change !== null && action === "plan" && "command" in context)
    await attempt(async () => host.comment(change, commandKey, await commandBody(context, reports)));
  else if (change !== null && action !== "drift") {
    const key = action === "apply" ? "apply" : "ci";
    await attempt(async () => host.comment(change, key, await markdownOf(reports, longestText, run)));
  }
  if (action === "drift" && run.system === "gitlab") {
    await freshDirectory(context);
    for (const each of reports) {
      const text = await junitOf(each, context);
      if (text !== null) await writeFile(`drift-${each.slug ?? ""}.xml`, text, io);
    }
  }
  // A push to any other branch says nothing about what is applied.
  const isPushToDefault = run.isDefaultBranch && (run.event === "push" || run.event === "manual");
  for (const each of reports) {
    const { exit, plan, slug } = each;
    if (slug === null || each.report === null || ![0, 2].includes(exit)) continue;
    if (action === "drift") {
      const title = `Edge drift in ${slug}: live differs from Git`;
      const body = exit === 2 ? await markdownOf([each], longestText, run) : null;
      await attempt(() => host.issue(slug, title, body));
    } else if (exit === 0 && run.head !== null && (action === "apply" || isPushToDefault)) {
      // A roll back is of another commit.
      const commit = (plan?.ref === undefined ? null : plan.commit) ?? run.head;
      await attempt(() => host.recordApplied(slug, commit));
    }
  }
  return done;
}

async function eventOf({ env }: GuardedIo): Promise<unknown> {
  const file = env["GITHUB_EVENT_PATH"];
  if (env["GITHUB_ACTIONS"] !== "true" || file === undefined) return null;
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new EdgewiseError("config", "the file in GITHUB_EVENT_PATH can't be read", { cause });
  });
  const read = parseJson(text);
  return "value" in read ? read.value : null;
}
