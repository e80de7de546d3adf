import { resolve } from "node:path";
import { EdgewiseError } from "../../errors.js";
import {
  type StackReport,
  allFormats,
  allStacksJson,
  allStacksMarkdown,
  allStacksText,
} from "../../report/all-stacks-report.js";
import { stackHeading } from "../../report/stacks-text.js";
import type { BrokenStack } from "../../stacks/list-stacks.js";
import { type SelectedStack, findStacks, nothingChanged, warnOfRemoved } from "./find-stacks.js";
import type { AllFlags, PlanFlags } from "./flags.js";
import type { GuardedIo } from "./io.js";
import { createLog } from "./log.js";
import { writeResult } from "./output.js";
import { showError } from "./show-error.js";

/** A command with `--all`, and how it runs for one stack. */
export interface AllRun<F extends PlanFlags & AllFlags> {
  readonly command: "plan" | "drift";
  readonly flags: F;
  readonly io: GuardedIo;
  readonly one: (flags: F, io: GuardedIo) => Promise<number>;
}

/**
 * Runs a command for every stack below the working directory, one after the other, and puts their reports together. An
 * error in one of them is shown with its name, and the others are reported nevertheless.
 * @returns the worst exit code: 1, then 4, then 2, then 0
 */
export async function forAllStacks<F extends PlanFlags & AllFlags>(run: AllRun<F>): Promise<number> {
  const { command, flags, io } = run;
  refuseSelection(flags, io);
  const found = await findStacks(flags.changedSince, io);
  const log = createLog(flags, io);
  if (found.total + found.broken.length === 0) {
    throw new EdgewiseError("config", `--all found no edgewise.yaml in ${io.cwd} or below it`, {
      remedy: "Run it in the directory that contains the configurations.",
    });
  }
  warnOfRemoved(found, log, io);
  if (found.stacks.length + found.broken.length === 0) log.info(nothingChanged(found, flags.changedSince ?? ""));
  const reports: StackReport[] = [];
  const add = async (report: StackReport): Promise<void> => {
    reports.push(report);
    if (isStreamed(flags)) await writeResult(textOf(report, flags, reports.length === 1), flags, io);
  };
  for (const broken of found.broken) await add(await brokenReport(broken, flags, io));
  for (const stack of found.stacks) await add(await reportOf(stack, run));
  if (!isStreamed(flags)) {
    const text =
      flags.output === "json"
        ? allStacksJson(command, reports)
        : reports.map((report, index) => textOf(report, flags, index === 0)).join("");
    await writeResult(text, flags, io);
  }
  return worst(reports.map(({ exit }) => exit));
}

/** Text for people appears as it is made. */
function isStreamed({ output, outputFile }: PlanFlags): boolean {
  return output !== "json" && outputFile === undefined;
}

function textOf(report: StackReport, { output }: PlanFlags, isFirst: boolean): string {
  // Annotations name their files themselves.
  if (output === "github") return report.report ?? "";
  return (isFirst ? "" : "\n") + (output === "markdown" ? allStacksMarkdown(report) : allStacksText(report));
}

/** The report of one stack; what it writes to stderr is headed by its name. */
async function reportOf<F extends PlanFlags & AllFlags>(stack: SelectedStack, run: AllRun<F>): Promise<StackReport> {
  const { flags, io, one } = run;
  const written: string[] = [];
  const headed = withHeading(io, flags, stack);
  const own = {
    ...flags,
    all: false,
    config: resolve(io.cwd, stack.config),
    environment: stack.environment ?? undefined,
    changedSince: undefined,
    outputFile: undefined,
  };
  try {
    const exit = await one(own, {
      ...headed,
      // A file has no colours.
      color: io.color && flags.outputFile === undefined,
      stdout: (text) => void written.push(text),
    });
    return { ...stack, exit, report: written.join(""), error: null };
  } catch (error) {
    if (error instanceof EdgewiseError && error.code === "interrupted") throw error;
    return { ...stack, exit: await showError(error, flags, headed), report: null, error: errorOf(error) };
  }
}

async function brokenReport(broken: BrokenStack, flags: PlanFlags, io: GuardedIo): Promise<StackReport> {
  const { config, environment, error } = broken;
  const exit = await showError(error, flags, withHeading(io, flags, broken));
  const unknown = { directory: null, stack: null, baseUrl: null, slug: null };
  return { config, environment, ...unknown, exit, report: null, error: errorOf(error) };
}

function errorOf(error: unknown): NonNullable<StackReport["error"]> {
  if (error instanceof EdgewiseError) return { code: error.code, message: error.message, remedy: error.remedy };
  return { code: "bug", message: String(error), remedy: null };
}

/** An Io that names the stack once, before the first message about it. No status line: it would be named for that. */
function withHeading(io: GuardedIo, flags: PlanFlags, stack: Pick<StackReport, "config" | "environment">): GuardedIo {
  let named = false;
  return {
    ...io,
    stderrIsTerminal: false,
    stderr: (text) => {
      if (!named) {
        named = true;
        createLog({ ...flags, quiet: false }, io).info(`${stackHeading(stack)}:`);
      }
      io.stderr(text);
    },
  };
}

const order = [1, 4, 2, 0];

/** An error is worse than a refusal, that is worse than changes or drift. */
function worst(exits: readonly number[]): number {
  return order.find((exit) => exits.includes(exit)) ?? 0;
}

/** What selects one stack, or is one stack's alone. */
const perStack = {
  config: "--config",
  environment: "--environment",
  stack: "--stack",
  file: "--file",
  only: "--only",
  label: "--label",
  out: "--out",
} as const;

const selecting = ["EDGEWISE_CONFIG", "EDGEWISE_ENVIRONMENT", "EDGEWISE_STACK"] as const;

/** @throws EdgewiseError `usage` or `config` for a flag, a variable or a format that does not go with `--all` */
function refuseSelection(flags: PlanFlags, { env }: GuardedIo): void {
  const flag = Object.entries(perStack).find(([name]) => Object.entries(flags).some(([given]) => given === name));
  if (flag !== undefined) {
    throw new EdgewiseError("usage", `${flag[1]} can't be used with --all, which runs for every stack`, {
      remedy: `Leave out --all or ${flag[1]}. \`edgewise stacks\` shows the flags that select each stack.`,
    });
  }
  const variable = selecting.find((name) => env[name] !== undefined);
  if (variable !== undefined) {
    throw new EdgewiseError("config", `${variable} is set, but --all runs for every stack`, {
      remedy: `Unset ${variable}, or leave out --all.`,
    });
  }
  if (flags.output !== undefined && !allFormats.some((format) => format === flags.output)) {
    throw new EdgewiseError("usage", `--output ${flags.output} can't be used with --all`, {
      remedy: `Use ${allFormats.join(", ")}, or run the command for each stack that \`edgewise stacks\` lists.`,
    });
  }
}

/** @throws EdgewiseError `usage` for `--changed-since` without `--all` */
export function refuseChangedSince({ all, changedSince }: AllFlags): void {
  if (all === true || changedSince === undefined) return;
  throw new EdgewiseError("usage", "--changed-since selects stacks, so it needs --all", {
    remedy: "Add --all. To see who changed what in one stack, use --base.",
  });
}
