import { collectOnly, collectPair } from "./support/parsers.js";
import { unifiedDiff } from "../report/line-diff.js";
import { type PullLeft, type PullReport, renderPullDifferences, renderPullText } from "../report/pull-report.js";
import { safeJson } from "../core/visible.js";
import { didYouMean } from "../diagnostics/suggest.js";
import { EdgewiseError } from "../core/errors.js";
import { type Address, isAddress, kindOf } from "../kinds/names.js";
import { diskTree } from "../manifest/disk-tree.js";
import { type BesideLive, type DifferencesFromLive, differencesFromLive } from "../plan/differences-from-live.js";
import type { FieldChange } from "../plan/plan-format.js";
import { count } from "../core/text.js";
import { type CommandContext, loadContext } from "./support/command-context.js";
import { isConfirmed, requireApprover } from "./support/confirm.js";
import { withReadClient } from "./support/connect.js";
import { type Interrupts, takeInterrupts } from "./support/interrupts.js";
import type { GuardedIo } from "./support/io.js";
import { checkRewrites, readManifestFiles, writeRewrites } from "./support/manifest-files.js";
import type { Planned } from "./support/planning.js";
import { checkOutput } from "./support/output-files.js";
import { textStyle, writeResult } from "./support/output.js";
import { planLive } from "./support/planning.js";
import { addressOfOnly, labelledManifests } from "./support/select-manifests.js";
import { type CheckedPull, pullChecked } from "./support/pull-checked.js";
import { addExamples, addSharedOptions, type ConnectFlags, type DefineCommand } from "./support/command-options.js";

export interface PullFlags extends ConnectFlags {
  readonly only?: readonly string[];
  readonly label?: readonly string[];
  readonly autoApprove?: boolean;
}

export const define: DefineCommand = (command, run) => {
  command.argument("[address...]", "pull only these resources", collectOnly);
  command.description(
    "The other way round, for drift that turns out to be right: rewrites manifests in place so that they say what is live, and keeps comments, order and style. Shows the changes and asks before it writes. Does not change the account.",
  );
  command
    .optionsGroup("Pull:")
    .option("-y, --auto-approve", "write the manifests without asking")
    .option("--only <address>", "the same as naming the address as an argument (repeatable)", collectOnly)
    .option("-l, --label <name=value>", "pull only manifests with this label (repeatable)", collectPair);
  addSharedOptions(command, ["text", "json"], "config", "manifests", "service", "concurrency");
  addExamples(command, [
    ["edgewise pull", "show the changes, ask, write"],
    ["edgewise pull TLSEdge/api", "only one resource"],
  ]);
  command.action((addresses: readonly string[], flags: PullFlags) =>
    run(flags, async (io) => pullCommand(addresses, flags, io)),
  );
};

/** `pull [ADDRESS…]`: rewrites manifests so that they say what is live. Its client can only read. */
export async function pullCommand(named: readonly string[], flags: PullFlags, guardedIo: GuardedIo): Promise<number> {
  const remedy = "Give --auto-approve to write the manifests without asking.";
  requireApprover(flags, guardedIo, "confirm the changes", remedy);
  const context = await loadContext(flags, guardedIo);
  const { io, log } = context;
  await checkOutput(flags.outputFile, io);
  const { label: _label, only: _only, ...all } = flags;
  const planned = await withReadClient(context, flags, async (client) =>
    planLive(context, client, all, { rehearse: false, judged: "drift" }),
  );
  // Until here, a signal ends the program at once.
  const interrupts = takeInterrupts(io, log);
  try {
    const addresses = [...named, ...(flags.only ?? [])].map((each) => addressOfOnly(each, planned.manifests));
    return await pullPlanned(addresses, planned, { context, flags, interrupts });
  } finally {
    interrupts.end();
  }
}

interface Pulling {
  readonly context: CommandContext;
  readonly flags: PullFlags;
  readonly interrupts: Interrupts;
}

async function pullPlanned(named: readonly string[], planned: Planned, pulling: Pulling): Promise<number> {
  const { context, flags, interrupts } = pulling;
  const { config, io } = context;
  const found = differencesFromLive(planned.desired, planned.live, planned.options);
  const selected = selectManifests(named, found, planned, flags);
  const tree = diskTree(config.root);
  const differing = selected.filter(({ changed }) => changed.length > 0);
  const files = await readManifestFiles(tree, [...new Set(differing.map(({ manifest }) => manifest.source.file))]);
  const checked = await pullChecked(files, differing, { context, flags, planned, tree });
  const diffs = checked.rewrites.map(({ file, text }) => ({
    path: file.path,
    diff: io.redactor.redact(unifiedDiff(file.path, file.text, text)),
  }));
  const whole = named.length === 0 && (flags.label ?? []).length === 0;
  const report = reportOf({ checked, diffs, selected, whole, found }, planned);
  const asks = diffs.length > 0 && flags.autoApprove !== true;
  // Without a question, the result says what is left alone.
  if (asks) showDifferences(report, context, flags);
  else if (diffs.length > 0 && !context.log.quiet && context.log.format === "text")
    showDifferences({ ...report, left: [] }, context, flags);
  await checkRewrites(checked.rewrites, tree);
  stopIfInterrupted(interrupts);
  if (asks) await confirm(checked, pulling);
  stopIfInterrupted(interrupts);
  await checkRewrites(checked.rewrites, tree);
  await writeRewrites(checked.rewrites, io, tree);
  const text = flags.output === "json" ? safeJson(report) : renderPullText(report, textStyle(flags, io));
  await writeResult(text, flags, io);
  return exitCode(report, named);
}

function showDifferences(report: PullReport, { io }: CommandContext, flags: PullFlags): void {
  io.stderr(renderPullDifferences(report, { ...textStyle(flags, io), color: io.stderrColor }));
}

function stopIfInterrupted({ soft }: Interrupts): void {
  if (soft.aborted) throw new EdgewiseError("interrupted", "interrupted: nothing was changed", { exit: 130 });
}

async function confirm({ pulled, rewrites }: CheckedPull, { context: { io }, interrupts }: Pulling): Promise<void> {
  const question = `Write these changes (${count(pulled.length, "field")} in ${count(rewrites.length, "file")})?`;
  const isApproved = await isConfirmed(question, io);
  stopIfInterrupted(interrupts);
  if (isApproved) return;
  throw new EdgewiseError("usage", "not approved: no file was changed", { remedy: "Type yes to write the manifests." });
}

/**
 * The manifests that are named and have the labels.
 * @throws EdgewiseError `usage` for an address that no manifest has
 */
function selectManifests(
  named: readonly string[],
  { manifests, undescribed }: DifferencesFromLive,
  { manifests: loaded }: Planned,
  flags: PullFlags,
): readonly BesideLive[] {
  const known = manifests.map(({ manifest }) => manifest.address);
  for (const address of named) {
    if (known.some((each) => each === address)) continue;
    const isLive = undescribed.some((one) => one.address === address);
    const hint = didYouMean(address, known);
    throw new EdgewiseError(
      "usage",
      `${address} not found: no manifest describes it${isLive ? ", though the stack owns it" : ""}`,
      {
        remedy: isLive ? exportRemedy(address) : (hint ?? "Check the kind and the name (Kind/name)."),
      },
    );
  }
  const labelled = new Set<string>(labelledManifests(flags, loaded).map(({ address }) => address));
  const wanted = new Set(named);
  return manifests.filter(
    ({ manifest: { address } }) => labelled.has(address) && (wanted.size === 0 || wanted.has(address)),
  );
}

function exportRemedy(address: string): string {
  const kind = isAddress(address) ? `${kindOf(address)} ` : "";
  return `write a manifest for it with \`edgewise export ${kind}--owned\`; otherwise apply deletes it`;
}

interface Outcome {
  readonly checked: CheckedPull;
  readonly diffs: readonly { readonly path: string; readonly diff: string }[];
  readonly selected: readonly BesideLive[];
  /** Nothing was selected: what no manifest describes counts, too. */
  readonly whole: boolean;
  readonly found: DifferencesFromLive;
}

function reportOf({ checked, diffs, found, selected, whole }: Outcome, { options, plan }: Planned): PullReport {
  const { left, pulled } = checked;
  const fieldOf = (address: Address, path: string): FieldChange | undefined => {
    const fields = plan.changes.find((change) => change.address === address)?.fields ?? [];
    return fields.find((field) => field.path === path) ?? fields.find((field) => field.path.startsWith(`${path}.`));
  };
  const leftFields = left.map(({ address, column, line, path, reason, remedy }): PullLeft => {
    const { manifest } = selected.find((one) => one.manifest.address === address) ?? {};
    return {
      address,
      path,
      source: manifest === undefined ? null : { file: manifest.source.file, line, column },
      message: reason,
      remedy: remedy ?? "write what is live there by hand, or apply to put back what the manifest says",
      live: fieldOf(address, path)?.before ?? null,
    };
  });
  const withoutLive = selected.flatMap(({ current, manifest: { address, source } }): readonly PullLeft[] => {
    if (current !== null) return [];
    const refusal = plan.refusals.find((one) => one.address === address);
    const warning = plan.warnings.find((one) => one.address === address);
    const message =
      refusal === undefined
        ? (warning?.message ?? "is not live, and pull can't tell which side is right")
        : `can't be compared: ${refusal.message}`;
    const remedy =
      refusal?.remedy ??
      "delete the manifest if the resource is to stay away, or run edgewise apply to make what the manifest says";
    return [{ address, path: null, source: { ...source, column: 1 }, message, remedy, live: null }];
  });
  const prunes = whole && options.prune;
  const withoutManifest = (prunes ? found.undescribed : []).map(({ address, id }): PullLeft => ({
    address,
    path: null,
    source: null,
    message: `is live as ${id} and owned by this stack, but no manifest describes it`,
    remedy: exportRemedy(address),
    live: null,
  }));
  return {
    format: "edgewise.pull/v1",
    stack: options.stack,
    baseUrl: options.baseUrl,
    outcome: diffs.length === 0 ? "nothing" : "written",
    files: diffs,
    pulled: selected.flatMap(({ current, manifest: { address, source } }) => {
      const fields = pulled.filter((one) => one.address === address);
      if (fields.length === 0 || current === null) return [];
      return [
        {
          address,
          id: current.id,
          source,
          fields: fields.map(({ path }) => {
            const field = fieldOf(address, path);
            return { path, before: field?.after ?? null, after: field?.before ?? null };
          }),
        },
      ];
    }),
    left: [...leftFields, ...withoutLive, ...withoutManifest],
  };
}

/** 1 when something that was named differs and nothing of it could be pulled. */
function exitCode({ left, pulled }: PullReport, named: readonly string[]): number {
  const failed = named.some(
    (address) => left.some((one) => one.address === address) && !pulled.some((one) => one.address === address),
  );
  return failed ? 1 : 0;
}
