import { resolve } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import {
  type StackReport,
  type StackSummary,
  allStacksJson,
  allStacksMarkdown,
  allStacksText,
  stackHeading,
  stacksTable,
} from "../../report/stacks-report.js";
import { specFromManifest } from "../../kinds/normal-form.js";
import { kinds } from "../../kinds/registry.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import { referencesIn } from "../../plan/live-index.js";
import type { BrokenStack, Stack } from "../../stacks/list-stacks.js";
import { count } from "../../core/text.js";
import {
  type SelectedStacks,
  checkOrigins,
  findStacks,
  refuseSelection,
  sayNothingChanged,
  warnOfRemoved,
} from "./find-stacks.js";
import { type CommandIo, commandIo } from "./command-io.js";
import type { AllFlags, PlanFlags } from "./command-options.js";
import { loadOptions, loadSource } from "./command-context.js";
import { writeResult } from "./output.js";
import { SharedAccounts } from "./shared-account.js";
import { showError } from "./show-error.js";

type StackFlags = PlanFlags & AllFlags;

interface StacksRun<F extends StackFlags> {
  readonly flags: F;
  readonly io: CommandIo;
  readonly one: (io: CommandIo, flags: F, accounts: SharedAccounts, stack: Stack) => Promise<number>;
}

/** Runs a command for every stack below the working directory, one after the other. An error in one hides no other. */
export async function forAllStacks<F extends StackFlags>(
  command: "apply" | "drift" | "plan",
  run: StacksRun<F>,
): Promise<number> {
  const { flags, io } = run;
  refuseSelection(flags, io);
  const found = await findStacks(flags.changedSince, io);
  if (found.all.length + found.broken.length === 0) {
    throw new EdgewiseError("config", `--all found no edgewise.yaml in ${io.cwd} or below it`, {
      remedy: "Run it in the directory that contains the configurations.",
    });
  }
  checkOrigins(found.all, flags, io);
  warnOfRemoved(found, io.log);
  sayNothingChanged(found, flags.changedSince, io.log);
  const ordered = command === "apply" ? await inOrderOfReferences(found, run) : found.stacks;
  const stacks = [...found.broken, ...ordered];
  const texts: string[] = [];
  // Text for people appears as soon as there is some.
  const isStreamed = io.format !== "json" && io.outputFile === undefined;
  const show = async (text: string): Promise<void> => {
    texts.push(text);
    if (isStreamed) await writeResult(text, io);
  };
  const rows: Parameters<typeof stacksTable>[0][number][] = [];
  const reports = await reportAll(stacks, run, async (report, summary) => {
    rows.push({ ...report, summary });
    if (report.exit !== 130) await show(textOf(report, io.format, texts.length === 0));
  });
  const stopped = reports.filter(({ exit }) => exit === 130).length;
  if (stopped > 0) {
    io.log.warning(
      `interrupted: ${count(stopped, "stack")} of ${stacks.length} ${stopped === 1 ? "has" : "have"} no report`,
    );
  }
  if (rows.length > 0 && io.format !== "json" && io.format !== "github")
    await show(`\n${stacksTable(rows, io.format)}`);
  if (!isStreamed) await writeResult(io.format === "json" ? allStacksJson(command, reports) : texts.join(""), io);
  const worst = [130, 1, 3, 4, 2].find((code) => reports.some(({ exit }) => exit === code)) ?? 0;
  // 1, 4 and 130 say that nothing was changed: not when another stack was.
  const isChanged = rows.some(({ summary }) => summary?.changed === true);
  return isChanged && worst !== 0 ? 3 : worst;
}

function textOf(report: StackReport, format: string | undefined, isFirst: boolean): string {
  // Annotations name their files themselves.
  if (format === "github") return report.report ?? "";
  return (isFirst ? "" : "\n") + (format === "markdown" ? allStacksMarkdown(report) : allStacksText(report));
}

export async function reportAll<F extends StackFlags>(
  stacks: readonly (BrokenStack | Stack)[],
  run: StacksRun<F>,
  onReport: (report: StackReport, summary: StackSummary | null) => Promise<void> = async () => {},
): Promise<readonly StackReport[]> {
  const { io } = run;
  const stop = new AbortController();
  // A second signal ends the program, as it does when nobody listens.
  const end = io.onSignal((signal) => {
    end();
    stop.abort(signal);
  });
  const accounts = new SharedAccounts(stop.signal, () => io.now());
  const reports: StackReport[] = [];
  try {
    for (const stack of stacks) {
      let summary: StackSummary | null = null;
      const io = { ...run.io, summarize: (found: StackSummary) => void (summary = found) };
      const report = await reportOf(stack, { ...run, io }, accounts, stop.signal);
      reports.push(report);
      await onReport(report, summary);
    }
  } finally {
    end();
    await accounts.close();
  }
  return reports;
}

async function reportOf<F extends StackFlags>(
  stack: BrokenStack | Stack,
  { flags, io, one }: StacksRun<F>,
  accounts: SharedAccounts,
  stop: AbortSignal,
): Promise<StackReport> {
  const { config, environment } = stack;
  const about =
    "error" in stack ? { config, environment, directory: null, stack: null, baseUrl: null, slug: null } : stack;
  const stopped = {
    ...about,
    exit: 130,
    report: null,
    error: { code: "interrupted", message: "interrupted before this stack was done", remedy: null },
  };
  if (stop.aborted) return stopped;
  const written: string[] = [];
  const ownFlags = flagsOf(stack, flags, io);
  // The result is kept, and the stack is named once, before the first message about it. A file has no colours.
  let isNamed = false;
  const own = commandIo(
    {
      ...io,
      // A status line would be named.
      stderrIsTerminal: false,
      color: io.color && flags.outputFile === undefined,
      stdout: (text) => void written.push(text),
      stderr: (text) => {
        if (!isNamed) commandIo(io, { ...flags, quiet: false }).log.info(`${stackHeading(stack)}:`);
        isNamed = true;
        io.stderr(text);
      },
    },
    ownFlags,
  );
  try {
    if ("error" in stack) throw stack.error;
    const exit = await one(own, ownFlags, accounts, stack);
    return { ...stack, exit, report: written.join(""), error: null };
  } catch (error) {
    // Whatever it says, that is why.
    if (stop.aborted) return stopped;
    const { code, message, remedy } =
      error instanceof EdgewiseError ? error : { code: "bug", message: String(error), remedy: null };
    return { ...about, exit: await showError(error, own), report: null, error: { code, message, remedy } };
  }
}

/** The flags with which a command runs for one stack. */
function flagsOf<F extends StackFlags>({ config, environment }: BrokenStack | Stack, flags: F, io: CommandIo): F {
  return {
    ...flags,
    all: false,
    config: resolve(io.cwd, config),
    environment: environment ?? undefined,
    changedSince: undefined,
    allowOrigin: undefined,
    outputFile: undefined,
  };
}

/** Stacks after those that they refer to. Cycles and unreadable manifests are the run's to tell; two owners are not. */
async function inOrderOfReferences<F extends StackFlags>(
  { all, stacks }: SelectedStacks,
  { flags, io }: StacksRun<F>,
): Promise<readonly Stack[]> {
  const owners = new Map<string, Stack>();
  const referred = new Map<Stack, ReadonlySet<string>>();
  for (const stack of all) {
    const own = flagsOf(stack, flags, io);
    const source = await loadSource(own, io, false).catch(() => null);
    if (source === null) continue;
    const { api, previousStacks, stack: name } = source.config;
    for (const owned of flags.prune === false || name === null ? [] : [name, ...previousStacks]) {
      const key = JSON.stringify([api.baseUrl, owned]);
      const other = owners.get(key);
      if (other !== undefined && other !== stack) {
        const both = `${stackHeading(other)} and ${stackHeading(stack)}`;
        throw new EdgewiseError(
          "config",
          `${both} both own the stack ${JSON.stringify(owned)} at ${api.baseUrl ?? ""}`,
          {
            remedy:
              "Each would delete what the other makes. Give each a stack of its own, or make them one configuration.",
          },
        );
      }
      owners.set(key, stack);
    }
    if (!stacks.includes(stack)) continue;
    const loaded = await loadManifests(loadOptions({ ...source, flags: own, io })).catch(() => null);
    const names = (loaded?.manifests ?? []).flatMap(({ kind, spec }) =>
      referencesIn(kinds[kind], specFromManifest(kinds[kind], spec)).flatMap(({ reference: { target } }) =>
        "named" in target ? [target.stack] : [],
      ),
    );
    referred.set(stack, new Set(names));
  }
  const ordered = new Set<Stack>();
  const begun = new Set<Stack>();
  const visit = (stack: Stack): void => {
    if (begun.has(stack)) return;
    begun.add(stack);
    for (const other of stacks) if (other.stack !== null && referred.get(stack)?.has(other.stack)) visit(other);
    ordered.add(stack);
  };
  stacks.forEach(visit);
  return [...ordered];
}
