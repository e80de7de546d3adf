import { Argument } from "commander";
import { readFile } from "node:fs/promises";
import { type CiHost, longestText, tellingHost } from "../ci/ci-host.js";
import { type CiRun, runOutside } from "../ci/ci-run.js";
import { githubHost, githubRun } from "../ci/github.js";
import { gitlabHost, gitlabRun } from "../ci/gitlab.js";
import { createSendRequest } from "../ci/host-api.js";
import { EdgewiseError } from "../core/errors.js";
import { parseJson } from "../core/parse-json.js";
import { guardRunner } from "../text/visible.js";
import { driftCommand } from "./drift.js";
import { refuseSelection } from "./support/all-flags.js";
import { ciApply } from "./support/ci-apply.js";
import { ciCheck } from "./support/ci-check.js";
import {
  type CiContext,
  type CiFlags,
  type CiReport,
  hashOfPlans,
  runStacks,
  writeFile,
} from "./support/ci-context.js";
import { ciPlan, freshDirectory, plansToApply } from "./support/ci-plan.js";
import { jsonOf, junitOf, logOf, markdownOf } from "./support/ci-reports.js";
import { appliedRef, selectStacks } from "./support/ci-stacks.js";
import type { GuardedIo } from "./support/io.js";
import { createLog } from "./support/log.js";
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

export type CiAction = "plan" | "apply" | "drift" | "check";

export const define: DefineCommand = (command, run) => {
  command.addArgument(new Argument("<action>", "the step").choices(["plan", "apply", "drift", "check"]));
  command.description(
    "Runs a step of a pipeline in one command: it reads the variables of GitHub Actions or GitLab CI, chooses the stacks, and reports where that expects it, with GITHUB_TOKEN or GITLAB_TOKEN. `plan` saves plans in edgewise-plans/ and hands their hash on; `apply` applies them if EDGEWISE_APPROVED is that hash; `check` validates without a key. Exits with the worst code of the stacks; `plan` with changes exits 0.",
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
  const context: CiContext = { flags, io, log, run, event, host: hostOf(run, flags, io, (text) => log.warning(text)) };
  if (run.isFork && action !== "check") {
    log.warning(
      `a change from another repository gets no ${action}, which needs a key: \`edgewise ci check\` checks it`,
    );
    return 0;
  }
  const actions = { plan: ciPlan, apply: ciApply, drift: ciDrift, check: ciCheck };
  const reports = await actions[action](context);
  const reported = await report(action, reports, context);
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

function hostOf(run: CiRun, { dryRun }: CiFlags, io: GuardedIo, warn: (text: string) => void): CiHost {
  const send = createSendRequest(io.env, io.redactor);
  if (dryRun === true || run.system === "none") return tellingHost((text) => io.stderr(guardRunner(text)));
  if (run.system === "github") return githubHost(run, io.env, send);
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
async function report(action: CiAction, reports: readonly CiReport[], context: CiContext): Promise<boolean> {
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
  const toApply = plansToApply(reports);
  if (action === "plan") await attempt(() => host.handOn(toApply.length === 0 ? null : hashOfPlans(toApply)));
  await attempt(async () => host.summary(await markdownOf(reports, longestSummary, run)));
  const { change } = run;
  if (change !== null && action !== "drift")
    await attempt(async () => host.comment(change, "ci", await markdownOf(reports, longestText, run)));
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
