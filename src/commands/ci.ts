import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type CiHost, tellingHost } from "../ci/ci-host.js";
import { type CiRun, readCiRun } from "../ci/ci-run.js";
import { githubHost } from "../ci/github.js";
import { EdgewiseError } from "../core/errors.js";
import { parseJson } from "../core/parse-json.js";
import { type StackReport, allStacksMarkdown, allStacksText } from "../report/all-stacks-report.js";
import { renderErrorGithub } from "../report/github-annotations.js";
import { renderPlanMarkdown } from "../report/plan-markdown.js";
import { stackHeading } from "../report/stacks-text.js";
import { count } from "../text/layout.js";
import { safeJson } from "../text/safe-json.js";
import { guardRunner } from "../text/visible.js";
import { applyCommand } from "./apply.js";
import { driftCommand } from "./drift.js";
import { planCommand } from "./plan.js";
import { checkOrigins, refuseSelection } from "./support/all-flags.js";
import { reportAll } from "./support/all-stacks.js";
import { appliedTag, stacksOfRun } from "./support/ci-stacks.js";
import { type SelectedStack, findStacks, warnOfRemoved } from "./support/find-stacks.js";
import type { AllFlags, ApplyFlags, PlanFlags } from "./support/flags.js";
import type { GuardedIo } from "./support/io.js";
import { type Log, createLog } from "./support/log.js";
import { OrderedOutput } from "./support/ordered-output.js";
import { exists } from "./support/output-files.js";
import { renderPlan, writeResult } from "./support/output.js";
import { readPlan } from "./support/read-plan.js";
import { showError } from "./support/show-error.js";
import { validateCommand } from "./validate.js";

/** Where `ci plan` saves plans and `ci apply` finds them, below the working directory. */
const plansDirectory = "edgewise-plans";

/** The most characters of a summary: GitHub refuses more than a megabyte. */
const longestSummary = 250_000;

export type CiAction = "plan" | "apply" | "drift" | "check";

/** The flags of `ci`, as the program parsed them. */
export interface CiFlags extends PlanFlags, AllFlags {
  readonly dryRun?: boolean;
  /** The slug of one stack. */
  readonly slug?: string;
  /** The hashes of the plans that were approved. */
  readonly approved?: readonly string[];
  /** Milliseconds. */
  readonly expiresWithin?: number;
}

interface CiContext {
  readonly flags: CiFlags;
  readonly io: GuardedIo;
  readonly log: Log;
  readonly run: CiRun;
  readonly host: CiHost;
}

/** What became of a stack, with the hash of its saved plan. */
interface CiReport extends StackReport {
  readonly hash?: string;
}

/** `ci`: a step of a pipeline, told by the variables of its CI system. Returns the worst exit code of the stacks. */
export async function ciCommand(action: CiAction, flags: CiFlags, io: GuardedIo): Promise<number> {
  refuseSelection(flags, io);
  const log = createLog(flags, io);
  const run = readCiRun(io.env, await eventOf(io));
  io.redactor.addKey(run.places.token ?? "");
  const tells = flags.dryRun === true || run.system === "none";
  const host = tells ? tellingHost((text) => io.stderr(guardRunner(text))) : githubHost(run);
  const context = { flags, io, log, run, host };
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

async function ciPlan(context: CiContext): Promise<readonly CiReport[]> {
  const { flags, host, io, run } = context;
  const selected = await select(context);
  const directory = join(io.cwd, plansDirectory);
  // What is there may come with the checkout.
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  const base = run.base === null ? {} : { base: run.base };
  const reports = await runAll(selected, context, (own, stackIo, account, { slug }) =>
    planCommand({ ...own, ...base, detailedExitcode: true, out: planFile(slug) }, stackIo, account),
  );
  const planned: CiReport[] = [];
  for (const each of reports) {
    if (each.slug === null || each.report === null) {
      planned.push(each);
      continue;
    }
    const plan = await readPlan(planFile(each.slug), io.cwd);
    if (host.annotations !== null && flags.output !== "json") {
      io.stdout(await renderPlan(plan, { output: "github" }, io, dirname(resolve(io.cwd, each.config))));
    }
    if (each.exit !== 2) await rm(join(io.cwd, planFile(each.slug)));
    // So that the change's one comment has room for every stack.
    const maxChars = Math.max(4_000, Math.floor((host.longestText - 5_000) / reports.length));
    const report = await renderPlanMarkdown(plan, { maxChars });
    planned.push({ ...each, report, ...(each.exit === 2 ? { hash: plan.hash } : {}) });
  }
  return planned;
}

async function ciApply(context: CiContext): Promise<readonly CiReport[]> {
  const { flags, io, log } = context;
  const variable = io.env["EDGEWISE_APPROVED"]?.split(",").map((hash) => hash.trim());
  const approved = (flags.approved ?? variable ?? []).filter((hash) => hash !== "");
  if (approved.length === 0) {
    throw new EdgewiseError("usage", "no plan was approved", {
      remedy: "Set EDGEWISE_APPROVED to the output `approved` of `edgewise ci plan`, or give --approved.",
    });
  }
  const found = await findStacks(undefined, io);
  checkOrigins(found.all, flags, io);
  const hashes = new Map<string, string>();
  const stacks: SelectedStack[] = [];
  for (const stack of found.stacks) {
    if (!(await exists(join(io.cwd, planFile(stack.slug))))) continue;
    hashes.set(stack.slug, (await readPlan(planFile(stack.slug), io.cwd)).hash);
    stacks.push(stack);
  }
  const lost = approved.filter((hash) => ![...hashes.values()].includes(hash));
  const foreign = [...hashes.values()].filter((hash) => !approved.includes(hash));
  if (lost.length + foreign.length > 0) {
    const what = lost.length > 0 ? `no plan in ${plansDirectory}/ is the approved` : `nobody approved the plan`;
    throw new EdgewiseError("plan-file", `${what} ${[...lost, ...foreign].join(", ")}`, {
      remedy: "Run `edgewise ci plan` again, and approve what it shows.",
      exit: 4,
    });
  }
  if (flags.dryRun === true) {
    log.info(`Would apply ${count(stacks.length, "plan")}: ${stacks.map(({ slug }) => slug).join(", ")}.`);
    return [];
  }
  const reports = await runAll(stacks, context, (own, stackIo, _account, { slug }) => {
    const accepted: ApplyFlags = { ...own, approved: hashes.get(slug) ?? "", lock: true, autoApprove: true };
    return applyCommand(planFile(slug), { ...accepted, journal: join(plansDirectory, `${slug}.journal`) }, stackIo);
  });
  return reports.map((each) => ({ ...each, hash: hashes.get(each.slug ?? "") ?? "" }));
}

async function ciDrift(context: CiContext): Promise<readonly CiReport[]> {
  return runAll(await select(context), context, async (own, stackIo, account, { slug }) => {
    const tag = await appliedTag(slug, context.io);
    return driftCommand({ ...own, ...(tag === null ? {} : { base: tag }) }, stackIo, account);
  });
}

async function ciCheck(context: CiContext): Promise<readonly CiReport[]> {
  const output = context.host.annotations ?? "text";
  const selected = await select(context);
  return runAll(selected, context, (own, stackIo) => validateCommand({ ...own, output }, stackIo));
}

/** The stacks that the event is about. */
async function select(context: CiContext): Promise<readonly Parameters<typeof reportAll>[0][number][]> {
  const { flags, io, log, run } = context;
  const found = await stacksOfRun(run, flags, io);
  checkOrigins(found.all, flags, io);
  warnOfRemoved(found, log);
  const slug = flags.slug ?? run.stack;
  const stacks = slug === null ? found.stacks : found.stacks.filter((each) => each.slug === slug);
  if (slug !== null && stacks.length === 0 && !found.all.some((each) => each.slug === slug)) {
    throw new EdgewiseError("usage", `there is no stack ${JSON.stringify(slug)}`, {
      remedy: "`edgewise stacks -o json` lists the slug of each.",
    });
  }
  if (stacks.length + found.broken.length === 0) log.info("This touches no stack.");
  return [...found.broken, ...stacks];
}

async function runAll(
  stacks: Awaited<ReturnType<typeof select>>,
  { flags, io }: CiContext,
  one: Parameters<typeof reportAll<CiFlags>>[1]["one"],
): Promise<readonly CiReport[]> {
  const output = new OrderedOutput<StackReport>(
    stacks.length,
    (text) => io.stderr(text),
    async () => undefined,
  );
  return reportAll(stacks, { flags: { ...flags, output: "markdown" }, io, one }, output);
}

/** Tells the CI system. False = part of it failed, which is shown. */
async function report(action: CiAction, reports: readonly CiReport[], context: CiContext): Promise<boolean> {
  const { flags, host, io, run } = context;
  if (flags.output !== "json") io.stdout(textOf(action, reports, host));
  const done: boolean[] = [];
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      await showError(error, flags, io);
      done.push(false);
    }
  };
  if (action === "plan") {
    const hashes = reports.flatMap(({ hash }) => hash ?? []);
    await attempt(() => host.output("changes", String(hashes.length > 0)));
    await attempt(() => host.output("approved", hashes.join(",")));
  }
  if (action === "check" || (action === "apply" && flags.dryRun === true)) return done.length === 0;
  await attempt(() => host.summary(fitted(reports, longestSummary, run)));
  const { change } = run;
  if (change !== null && action !== "drift")
    await attempt(() => host.comment(change, "ci", fitted(reports, host.longestText, run)));
  // A push to any other branch says nothing about what is applied.
  const isPushToDefault = run.event === "push" && run.isDefaultBranch;
  for (const { exit, report: body, slug } of reports) {
    if (slug === null || body === null || ![0, 2].includes(exit)) continue;
    if (action === "drift") {
      const title = `Edge drift in ${slug}: live differs from Git`;
      await attempt(() => host.issue(slug, title, exit === 2 ? body.slice(0, host.longestText) : null));
    } else if (exit === 0 && run.head !== null && (action === "apply" || isPushToDefault)) {
      const { head } = run;
      await attempt(() => host.recordApplied(slug, head));
    }
  }
  return done.length === 0;
}

/** What the log of the job shows: annotations, or a line for each stack where the summary holds the rest. */
function textOf(action: CiAction, reports: readonly CiReport[], host: CiHost): string {
  const texts = reports.map((each) => {
    if (host.annotations === null) return allStacksText(each);
    if (each.error !== null)
      return renderErrorGithub(`edgewise ${action}`, `${stackHeading(each)}: ${each.error.message}`);
    return action === "check" ? (each.report ?? "") : guardRunner(`${stackHeading(each)}: exit ${each.exit}\n`);
  });
  return texts.join("");
}

/** The stacks' reports below each other, as many as fit. */
function fitted(reports: readonly CiReport[], most: number, { runUrl }: CiRun): string {
  if (reports.length === 0) return "This touches no stack.\n";
  const where = runUrl === null ? "" : ` The log of ${runUrl} has them.`;
  let text = "";
  for (const [index, each] of reports.entries()) {
    const next = `${allStacksMarkdown(each)}\n`;
    if (text.length + next.length > most - 300) {
      return `${text}${count(reports.length - index, "more stack")} did not fit here.${where}\n`;
    }
    text += next;
  }
  return text;
}

function jsonOf(command: CiAction, exit: number, reports: readonly CiReport[]): string {
  const stacks = reports.map(({ config, environment, error, exit: own, hash, slug }) => {
    return { config, environment, slug, exit: own, hash: hash ?? null, error };
  });
  return safeJson({ format: "edgewise.ci/v1", command, exit, stacks });
}

function planFile(slug: string): string {
  return join(plansDirectory, `${slug}.json`);
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
