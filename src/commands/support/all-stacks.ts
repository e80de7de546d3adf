import { resolve } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { type StackReport, allStacksJson, allStacksMarkdown, allStacksText } from "../../report/all-stacks-report.js";
import { stackHeading } from "../../report/stacks-text.js";
import type { BrokenStack } from "../../stacks/list-stacks.js";
import { count } from "../../text/layout.js";
import { checkOrigins, refuseSelection } from "./all-flags.js";
import { type SelectedStack, findStacks, nothingChanged, warnOfRemoved } from "./find-stacks.js";
import type { AllFlags, PlanFlags } from "./command-options.js";
import type { GuardedIo } from "./io.js";
import { createLog } from "./log.js";
import { writeResult } from "./output.js";
import { type StackOutput, OrderedOutput } from "./ordered-output.js";
import { KnownHeads } from "./provenance.js";
import { SharedAccount, SharedKey } from "./shared-account.js";
import { showError } from "./show-error.js";
import { sideBySide } from "./side-by-side.js";

/** How a command runs for one stack of several. */
interface StacksRun<F extends PlanFlags & AllFlags> {
  readonly flags: F;
  readonly io: GuardedIo;
  readonly one: (flags: F, io: GuardedIo, account: SharedAccount, stack: SelectedStack) => Promise<number>;
}

/** The same, of a command with `--all`. */
interface AllRun<F extends PlanFlags & AllFlags> extends StacksRun<F> {
  readonly command: "plan" | "drift";
}

/**
 * Runs a command for every stack below the working directory, and puts the reports together in the order in which `stacks`
 * lists them. Stacks of one address run one after the other and share connections, limits and lists; addresses run side by
 * side. An error in one stack is shown with its name, and the others are reported nevertheless. A signal stops all, and what
 * was done until then is reported.
 * @returns the worst exit code: 130, then 1, then 4, then 2, then 0
 */
export async function forAllStacks<F extends PlanFlags & AllFlags>(run: AllRun<F>): Promise<number> {
  const { command, flags, io } = run;
  refuseSelection(flags, io);
  const found = await findStacks(flags.changedSince, io);
  const log = createLog(flags, io);
  if (found.all.length + found.broken.length === 0) {
    throw new EdgewiseError("config", `--all found no edgewise.yaml in ${io.cwd} or below it`, {
      remedy: "Run it in the directory that contains the configurations.",
    });
  }
  checkOrigins(found.all, flags, io);
  warnOfRemoved(found, log);
  const stacks = [...found.broken, ...found.stacks];
  if (stacks.length === 0) log.info(nothingChanged(found, flags.changedSince ?? ""));
  let written = 0;
  const stream = async (report: StackReport): Promise<void> => {
    // One that was stopped has nothing to say; how many there are is said once.
    if (!isStreamed(flags) || isStopped(report)) return;
    written += 1;
    await writeResult(textOf(report, flags, written === 1), flags, io);
  };
  const output = new OrderedOutput<StackReport>(stacks.length, (text) => io.stderr(text), stream);
  const reports = await reportAll(stacks, run, output);
  const stopped = reports.filter(isStopped).length;
  if (stopped > 0) {
    log.warning(
      `interrupted: ${count(stopped, "stack")} of ${stacks.length} ${stopped === 1 ? "has" : "have"} no report`,
    );
  }
  if (!isStreamed(flags)) {
    const shown = reports.filter((report) => !isStopped(report));
    const text =
      flags.output === "json"
        ? allStacksJson(command, reports)
        : shown.map((report, index) => textOf(report, flags, index === 0)).join("");
    await writeResult(text, flags, io);
  }
  return worst(reports.map(({ exit }) => exit));
}

/** Text for people appears as soon as that of all stacks before it has. */
function isStreamed({ output, outputFile }: PlanFlags): boolean {
  return output !== "json" && outputFile === undefined;
}

function textOf(report: StackReport, { output }: PlanFlags, isFirst: boolean): string {
  // Annotations name their files themselves.
  if (output === "github") return report.report ?? "";
  return (isFirst ? "" : "\n") + (output === "markdown" ? allStacksMarkdown(report) : allStacksText(report));
}

/** How many addresses are worked on at the same time. Each holds the lists of its account in memory. */
const accountsAtOnce = 4;

/** How far a stack may be ahead of the first one that is not done: reports wait in memory for those before them. */
const mostAhead = 200;

/** The reports of all stacks, in their order; each goes to `output` when it is there. */
export async function reportAll<F extends PlanFlags & AllFlags>(
  stacks: readonly (BrokenStack | SelectedStack)[],
  run: StacksRun<F>,
  output: OrderedOutput<StackReport>,
): Promise<readonly StackReport[]> {
  const { flags, io } = run;
  const stop = new AbortController();
  // A second signal ends the program, as it does when nobody listens.
  const end = io.onSignal((signal) => {
    end();
    stop.abort(signal);
  });
  const given = flags.baseUrl ?? io.env["EDGEWISE_BASE_URL"];
  const accounts = new Map<string, SharedAccount>();
  const shared = { signal: stop.signal, now: () => io.now(), heads: new KnownHeads(), key: new SharedKey() };
  try {
    await sideBySide(stacks, {
      lanes: accountsAtOnce,
      mostAhead,
      laneOf: (stack) => ("error" in stack ? "" : (given ?? stack.baseUrl ?? "")),
      run: async (stack, index, lane) => {
        const account = accounts.get(lane) ?? new SharedAccount(shared);
        accounts.set(lane, account);
        const own = ioOf(stack, output.of(index), run);
        await output.done(index, await reportOf(stack, own, { account, stop: stop.signal }, run));
      },
      endLane: async (lane) => {
        await accounts.get(lane)?.close();
        accounts.delete(lane);
      },
    });
  } finally {
    end();
    await Promise.all([...accounts.values()].map(async (account) => account.close()));
  }
  return output.finished;
}

/** The report of one stack, or that it was stopped. */
async function reportOf<F extends PlanFlags & AllFlags>(
  stack: BrokenStack | SelectedStack,
  own: StackIo,
  { account, stop }: { readonly account: SharedAccount; readonly stop: AbortSignal },
  { flags, one }: StacksRun<F>,
): Promise<StackReport> {
  if (stop.aborted) return stoppedReport(stack);
  const { config, environment } = stack;
  const ownFlags = {
    ...flags,
    all: false,
    config: resolve(own.io.cwd, config),
    environment: environment ?? undefined,
    changedSince: undefined,
    allowOrigin: undefined,
    outputFile: undefined,
  };
  try {
    if ("error" in stack) throw stack.error;
    const exit = await one(ownFlags, own.io, account, stack);
    return { ...stack, exit, report: own.written(), error: null };
  } catch (error) {
    // Whatever it says, that is why.
    if (stop.aborted) return stoppedReport(stack);
    const known = "error" in stack ? unknownStack(stack) : stack;
    return { ...known, exit: await showError(error, flags, own.io), report: null, error: errorOf(error) };
  }
}

function unknownStack({ config, environment }: BrokenStack) {
  return { config, environment, directory: null, stack: null, baseUrl: null, slug: null };
}

/** What there is to say of a stack that was not finished before the run was stopped. */
function stoppedReport(stack: BrokenStack | SelectedStack): StackReport {
  const known = "error" in stack ? unknownStack(stack) : stack;
  const error = { code: "interrupted", message: "interrupted before this stack was done", remedy: null };
  return { ...known, exit: 130, report: null, error };
}

function isStopped({ exit }: StackReport): boolean {
  return exit === 130;
}

function errorOf(error: unknown): NonNullable<StackReport["error"]> {
  if (error instanceof EdgewiseError) return { code: error.code, message: error.message, remedy: error.remedy };
  return { code: "bug", message: String(error), remedy: null };
}

interface StackIo {
  readonly io: GuardedIo;
  /** The result so far. */
  readonly written: () => string;
}

/**
 * The Io of one stack: it keeps the result, and names the stack once, before the first message about it. No status line: it
 * would be named for that.
 */
function ioOf<F extends PlanFlags & AllFlags>(
  stack: Pick<StackReport, "config" | "environment">,
  output: StackOutput,
  { flags, io }: StacksRun<F>,
): StackIo {
  const written: string[] = [];
  let named = false;
  const stderr = (text: string): void => {
    if (!named) {
      named = true;
      createLog({ ...flags, quiet: false }, { ...io, stderr: (heading) => output.stderr(heading) }).info(
        `${stackHeading(stack)}:`,
      );
    }
    output.stderr(text);
  };
  return {
    io: {
      ...io,
      stderrIsTerminal: false,
      // A file has no colours.
      color: io.color && flags.outputFile === undefined,
      stdout: (text) => void written.push(text),
      stderr,
    },
    written: () => written.join(""),
  };
}

const order = [130, 1, 4, 2];

/** An error is worse than a refusal, that is worse than changes or drift. */
function worst(exits: readonly number[]): number {
  return order.find((exit) => exits.includes(exit)) ?? 0;
}
