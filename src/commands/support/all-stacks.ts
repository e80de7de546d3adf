import { resolve } from "node:path";
import { checkBaseUrl } from "../../config/api-config.js";
import { refuseEmptyVariables } from "../../config/setting.js";
import { EdgewiseError, misuse } from "../../core/errors.js";
import { count } from "../../core/text.js";
import { safeJson } from "../../core/visible.js";
import { specFromManifest } from "../../kinds/normal-form.js";
import { kinds } from "../../kinds/registry.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import { referencesIn } from "../../plan/live-index.js";
import {
  allFormats,
  allStacksMarkdown,
  allStacksText,
  stackFlags,
  stackHeading,
  stacksTable,
} from "../../report/stacks-report.js";
import {
  type BrokenStack,
  type RemovedStack,
  type Stack,
  listStacks,
  touchedStacks,
} from "../../stacks/find-stacks.js";
import { loadOptions, loadSource } from "./command-context.js";
import { type CommandIo, type Io, type Log, commandIo } from "./command-io.js";
import type { Flags } from "./command-options.js";
import {
  type Findings,
  changesLive,
  checkOutput,
  dataOf,
  renderFindings,
  summaryOf,
  writeFindings,
  writeResult,
} from "./output.js";
import { SharedAccounts } from "./shared-account.js";
import { showError } from "./show-error.js";

export type StacksRun<S extends Stack = Stack> = Readonly<{
  flags: Flags;
  io: CommandIo;
  one: (io: CommandIo, flags: Flags, stack: S) => Promise<Findings>;
}>;

export type StackReport = Findings &
  Omit<Stack, "directory" | "slug"> &
  Readonly<{
    directory: string | null;
    slug: string | null;
    error: Readonly<{ code: string; message: string; remedy: string | null }> | null;
  }>;

export function stackCommand(
  command: "apply" | "drift" | "plan",
  one: (io: CommandIo, flags: Flags) => Promise<Findings>,
) {
  return async (io: CommandIo, flags: Flags): Promise<number> => {
    if (runsForAll(flags)) return forAllStacks(command, { flags, io, one });
    return writeFindings(await one(io, flags), io, flags.compact);
  };
}

async function forAllStacks(command: "apply" | "drift" | "plan", run: StacksRun): Promise<number> {
  const { flags, io } = run;
  refuseSelection(flags, io);
  await checkOutput(io);
  const found = await selectStacks(flags.changedSince, flags, io);
  sayNothingChanged(found, flags.changedSince, io.log);
  if (command === "apply") await refuseTwoOwners(found.all, flags, io);
  const ordered = command === "apply" ? await inOrderOfReferences(found.stacks, run) : found.stacks;
  const stacks = [...found.broken, ...ordered];
  const texts: string[] = [];
  const isJson = io.format === "json";
  const isStreamed = !isJson && io.outputFile === undefined;
  const show = async (text: string) => {
    texts.push(text);
    if (isStreamed) await writeResult(text, io);
  };
  const reports = await reportAll(stacks, run, async (report) => {
    if (isJson) return;
    const text = report.error === null ? renderFindings(report, io, { compact: flags.compact }) : null;
    const gap = texts.length === 0 ? "" : "\n";
    if (io.format === "github") await show(text ?? "");
    else await show(gap + (io.format === "markdown" ? allStacksMarkdown(report, text) : allStacksText(report, text)));
  });
  const rows = reports.map((each) => ({ ...each, summary: summaryOf(each) }));
  if (rows.length > 0 && !isJson && io.format !== "github") await show(`\n${stacksTable(rows, io.format)}`);
  const listed = reports.map((report) => {
    const { drift: _drift, plan: _plan, result: _result, root: _root, ...about } = report;
    return { ...about, [command]: dataOf(report) };
  });
  if (isJson) await writeResult(safeJson({ format: "edgewise.all/v1", command, stacks: listed }), io);
  else if (!isStreamed) await writeResult(texts.join(""), io);
  const exit = worstExit(reports);
  // 1, 4 and 130 say that nothing was changed: not when another stack was.
  return exit !== 0 && reports.some(({ result }) => result !== undefined && changesLive(result)) ? 3 : exit;
}

export function worstExit(reports: readonly Findings[]): number {
  return [130, 1, 3, 4, 2].find((code) => reports.some(({ exit }) => exit === code)) ?? 0;
}

export async function reportAll<S extends Stack>(
  stacks: readonly (BrokenStack | S)[],
  run: StacksRun<S>,
  onReport: (report: StackReport) => Promise<void> = async () => {},
): Promise<readonly StackReport[]> {
  const { io } = run;
  const stop = new AbortController();
  const end = io.onSignal((signal) => {
    end();
    stop.abort(signal);
  });
  const accounts = new SharedAccounts(stop.signal);
  const reports: StackReport[] = [];
  try {
    for (const stack of stacks) {
      const report = await reportOf(stack, { ...run, io: { ...io, accounts } }, stop.signal);
      reports.push(report);
      await onReport(report);
    }
  } finally {
    end();
    await accounts.close();
  }
  return reports;
}

async function reportOf<S extends Stack>(
  stack: BrokenStack | S,
  { flags, io, one }: StacksRun<S>,
  stop: AbortSignal,
): Promise<StackReport> {
  const failed = (exit: number, code: string, message: string, remedy: string | null = null): StackReport => {
    const { config, environment } = stack;
    const unknown = { config, environment, directory: null, stack: null, baseUrl: null, slug: null };
    return { ...("error" in stack ? unknown : stack), exit, error: { code, message, remedy } };
  };
  const stopped = failed(130, "interrupted", "interrupted before this stack was done");
  if (stop.aborted) return stopped;
  let isNamed = false;
  const ownFlags = flagsOf(stack, flags, io);
  const stderr = (text: string) => {
    if (!isNamed) commandIo(io, { ...flags, quiet: false }).log.info(`${stackHeading(stack)}:`);
    isNamed = true;
    io.stderr(text);
  };
  const own = commandIo({ ...io, stderrIsTerminal: false, stderr }, ownFlags);
  try {
    if ("error" in stack) throw stack.error;
    return { ...stack, ...(await one(own, ownFlags, stack)), error: null };
  } catch (error) {
    if (stop.aborted) return stopped;
    const exit = await showError(error, own);
    if (!(error instanceof EdgewiseError)) return failed(exit, "bug", String(error));
    return failed(exit, error.code, error.message, error.remedy);
  }
}

function flagsOf({ config, environment }: BrokenStack | Stack, flags: Flags, io: CommandIo): Flags {
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

export async function refuseTwoOwners(all: readonly Stack[], flags: Flags, io: CommandIo): Promise<void> {
  const owners = new Map<string, Stack>();
  for (const stack of all) {
    const source = await loadSource(flagsOf(stack, flags, io), io, false).catch(() => null);
    if (source === null) continue;
    const { api, previousStacks, stack: name } = source.config;
    for (const owned of flags.prune === false || name === null ? [] : [name, ...previousStacks]) {
      const key = JSON.stringify([api.baseUrl, owned]);
      const other = owners.get(key) ?? stack;
      const both = `${stackHeading(other)} and ${stackHeading(stack)}`;
      if (other !== stack)
        throw new EdgewiseError(
          "config",
          `${both} both own the stack ${JSON.stringify(owned)} at ${api.baseUrl ?? ""}`,
          "Each would delete what the other makes: give each a stack of its own.",
        );
      owners.set(key, stack);
    }
  }
}

/** Stacks after those that they refer to. The run tells of cycles and unreadable manifests. */
async function inOrderOfReferences(stacks: readonly Stack[], { flags, io }: StacksRun): Promise<readonly Stack[]> {
  const referred = new Map<Stack, ReadonlySet<string>>();
  for (const stack of stacks) {
    const own = flagsOf(stack, flags, io);
    const source = await loadSource(own, io, false).catch(() => null);
    if (source === null) continue;
    const loaded = await loadManifests(loadOptions({ ...source, flags: own, io })).catch(() => null);
    const names = (loaded?.manifests ?? [])
      .flatMap(({ kind, spec }) => referencesIn(kinds[kind], specFromManifest(kinds[kind], spec)))
      .flatMap(({ reference: { target } }) => ("named" in target ? [target.stack] : []));
    referred.set(stack, new Set(names));
  }
  const [ordered, begun] = [new Set<Stack>(), new Set<Stack>()];
  const visit = (stack: Stack) => {
    if (begun.has(stack)) return;
    begun.add(stack);
    for (const other of stacks) if (other.stack !== null && referred.get(stack)?.has(other.stack)) visit(other);
    ordered.add(stack);
  };
  stacks.forEach(visit);
  return [...ordered];
}

export type SelectedStacks = Readonly<{
  stacks: readonly Stack[];
  broken: readonly BrokenStack[];
  removed: readonly RemovedStack[];
  all: readonly Stack[];
}>;

/** Those that the API key may go to. */
export async function selectStacks(ref: string | undefined, flags: Flags, io: CommandIo): Promise<SelectedStacks> {
  const found = await findStacks(ref, io);
  const { all, broken, removed } = found;
  if (all.length + broken.length + removed.length === 0)
    throw new EdgewiseError(
      "config",
      `there is no edgewise.yaml in ${io.cwd} or below it`,
      "Run it in the directory that contains the configurations.",
    );
  checkOrigins([...all, ...removed], flags, io);
  return found;
}

export async function findStacks(ref: string | undefined, io: CommandIo): Promise<SelectedStacks> {
  refuseEmptyVariables(io.env);
  const found = await listStacks(io.cwd);
  const { stacks, broken } = found;
  if (ref === undefined) return { stacks, broken, removed: [], all: stacks };
  const touched = await touchedStacks(found, ref, io);
  for (const each of touched.removed) io.log.warning(`${removedSentence(each)} ${removedRemedy(each)}`);
  return { ...touched, broken, all: stacks };
}

export function removedSentence({ renamed, stack, ...place }: RemovedStack): string {
  const own = JSON.stringify(stack);
  if (renamed === null)
    return `${stackHeading(place)} was removed, and nothing else names its stack ${own}: what that owns stays live, unseen.`;
  return `${stackHeading(place)} names its stack ${JSON.stringify(renamed)} instead of ${own}: what ${own} owns stays live, and is created a second time or refused.`;
}

export function removedRemedy({ commit, renamed, stack, ...place }: RemovedStack): string {
  const own = `\`previousStacks: [${JSON.stringify(stack)}]\``;
  const where = renamed === null ? "in the configuration of the stack that takes it over" : `in ${stackHeading(place)}`;
  return `To keep it, write ${own} ${where}. To delete it, run \`edgewise destroy --ref ${commit.slice(0, 12)} ${stackFlags(place)}\` first.`;
}

export function sayNothingChanged({ all, broken, stacks }: SelectedStacks, ref: string | undefined, log: Log): void {
  const which = all.length === 1 ? "the stack" : `one of the ${count(all.length, "stack")}`;
  if (stacks.length + broken.length === 0) log.info(`Nothing that changed since ${ref ?? ""} touches ${which}.`);
}

const perStack = "config environment stack file only exclude label out offline ref approved destroy journal".split(" ");

function refuseSelection(flags: Flags, io: Io): void {
  const flag = perStack.find((name) => Object.hasOwn(flags, name));
  if (flag !== undefined)
    throw misuse(`--${flag} can't be used with --all, which runs for every stack`, "Leave out one of them.");
  refuseSelectingVariables(io);
  if (flags.output !== undefined && !allFormats.some((format) => format === flags.output))
    throw misuse(`--output ${flags.output} can't be used with --all`, `Use ${allFormats.join(", ")}.`);
}

export function refuseSelectingVariables({ env }: Io): void {
  const selecting = ["EDGEWISE_CONFIG", "EDGEWISE_ENVIRONMENT", "EDGEWISE_STACK"];
  const variable = selecting.find((name) => env[name] !== undefined);
  if (variable === undefined) return;
  throw new EdgewiseError("config", `${variable} is set, but this runs for every stack`, `Unset ${variable}.`);
}

/**
 * The API key goes to one origin, unless flags name each: a new configuration must not be able to send it elsewhere.
 * `EDGEWISE_BASE_URL` is held against each configuration when that is loaded.
 */
function checkOrigins(stacks: readonly Pick<Stack, "baseUrl" | "config">[], flags: Flags, { env }: Io): void {
  if ((flags.baseUrl ?? env["EDGEWISE_BASE_URL"]) !== undefined) return;
  const configs = new Map<string, string>();
  for (const { baseUrl, config } of stacks.toReversed())
    if (baseUrl !== null) configs.set(new URL(baseUrl).origin, config);
  const allowed = flags.allowOrigin?.map(originOf) ?? (configs.size === 1 ? [...configs.keys()] : []);
  const others = [...configs].filter(([origin]) => !allowed.includes(origin)).toReversed();
  if (others.length === 0) return;
  const named = others.map(([origin, config]) => `${origin} (${config})`).join(", ");
  throw new EdgewiseError(
    "config",
    `nothing says that the API key may be sent to ${named}`,
    `Set EDGEWISE_BASE_URL to the one address that the key is for, or give ${others.map(([origin]) => `--allow-origin ${origin}`).join(" ")}.`,
  );
}

function originOf(url: string): string {
  const checked = checkBaseUrl(url, true);
  if ("origin" in checked) return checked.origin;
  throw misuse(`--allow-origin ${checked.problem}`, checked.remedy);
}

export function runsForAll({ all, allowOrigin, changedSince }: Flags): boolean {
  if (all) return true;
  if (allowOrigin !== undefined)
    throw misuse("--allow-origin needs --all", "Add --all: one stack sends the key only to its own base URL.");
  if (changedSince !== undefined)
    throw misuse("--changed-since selects stacks, so it needs --all", "Add --all. To compare one stack, use --base.");
  return false;
}
