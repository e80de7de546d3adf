import { didYouMean } from "../diagnostics/suggest.js";
import { misuse } from "../core/errors.js";
import { type Address, kindOf } from "../kinds/names.js";
import { diskTree } from "../manifest/disk-tree.js";
import type { Manifest } from "../manifest/manifest.js";
import {
  type Adoptable,
  type BesideLive,
  type DifferencesFromLive,
  differencesFromLive,
  findAdoptable,
} from "../plan/differences-from-live.js";
import type { FieldChange, Plan } from "../plan/plan-format.js";
import type { Differing } from "../pull/pull-manifests.js";
import { unifiedDiff } from "../report/file-diff.js";
import { type PullLeft, type PullReport, renderPullDifferences, renderPullText } from "../report/pull-report.js";
import { count, listFew } from "../core/text.js";
import { type CommandContext, loadContext } from "./support/command-context.js";
import { type CommandIo, confirm, requireApprover, stopIfInterrupted, takeInterrupts } from "./support/command-io.js";
import { type Flags, type DefineCommand, collectOnly } from "./support/command-options.js";
import { withReadClient } from "./support/connect.js";
import { type CheckedPull, checkRewrites, pullChecked, writeRewrites } from "./support/pull-checked.js";
import { checkOutput, textStyle, writeData } from "./support/output.js";
import { type Planned, addressOfOnly, planLive } from "./support/planning.js";

export const define: DefineCommand = (command, run) =>
  command
    .argument("[address...]", "pull only these resources", collectOnly)
    .description("For drift that turns out to be right. Keeps comments, order and style, shows the changes and asks.")
    .optionsGroup("Pull:")
    .option(
      "--adopt",
      "instead, write metadata.id where one resource without an owner has the manifest's hostports, certificate, or region and description",
    )
    .option("-y, --auto-approve", "write the manifests without asking")
    .shared(["text", "json"], "config manifests service concurrency")
    .examples([
      ["edgewise pull", "show the changes, ask, write"],
      ["edgewise pull TLSEdge/api", "only one resource"],
      ["edgewise pull --adopt", "find the existing resources that manifests describe"],
    ])
    .action(run(pull));

async function pull(commandIo: CommandIo, addresses: readonly string[], flags: Flags) {
  const remedy = "Give --auto-approve to write the manifests without asking.";
  requireApprover(flags, commandIo, "confirm the changes", remedy);
  const context = await loadContext(flags, commandIo);
  const { io } = context;
  await checkOutput(io);
  const planned = await withReadClient(context, async (client) =>
    planLive(context, client, { rehearse: false, judged: "drift" }),
  );
  const { end, soft } = takeInterrupts(io);
  try {
    const named = addresses.map((each) => addressOfOnly(each, planned.manifests));
    return await pullPlanned(named, planned, context, soft);
  } finally {
    end();
  }
}

async function pullPlanned(named: readonly Address[], planned: Planned, context: CommandContext, stop: AbortSignal) {
  const { config, flags, io } = context;
  const { desired, live, options } = planned;
  const found = differencesFromLive(desired, live, options);
  const selected = selectManifests(named, found);
  const tree = diskTree(config.root);
  const addresses = new Set(selected.map(({ manifest }) => manifest.address));
  const adoptable = flags.adopt
    ? findAdoptable(desired, live, options).filter(({ manifest }) => addresses.has(manifest.address))
    : null;
  const differing: readonly Differing[] =
    adoptable === null
      ? selected.flatMap(({ current, ...one }) =>
          current === null || one.changed.length === 0 ? [] : [{ ...one, live: current.spec }],
        )
      : adoptable.flatMap(({ id, manifest }) => (id === null ? [] : [{ id, manifest, live: {}, changed: [] }]));
  const checked = await pullChecked(differing, found, planned, context, tree);
  const { pulled, rewrites } = checked;
  // With a selection, what no manifest describes does not count.
  const isWhole = adoptable === null && named.length === 0 && options.prune;
  const report = reportOf(checked, selected, isWhole ? found.undescribed : [], adoptable, planned, io);
  if (adoptable?.length === 0)
    io.log.info(
      "--adopt found no resource without an owner that has the hostports, certificate, or region and description of a manifest that is not live.",
    );
  const asks = rewrites.length > 0 && !flags.autoApprove;
  if (asks || (rewrites.length > 0 && !io.log.quiet && io.log.format === "text")) {
    const shown = asks ? report : { ...report, left: [] };
    io.stderr(renderPullDifferences(shown, { ...textStyle(io), color: io.stderrColor }));
  }
  if (asks) {
    const counts = `${count(pulled.length, "field")} in ${count(rewrites.length, "file")}`;
    await confirm(`Write these changes (${counts})?`, io, "write the manifests", stop);
  }
  await checkRewrites(rewrites, tree);
  stopIfInterrupted(stop);
  await writeRewrites(rewrites, io, tree);
  await writeData(report, () => renderPullText(report, textStyle(io)), io);
  const isIn = (some: readonly Readonly<{ address: string }>[], one: string) =>
    some.some(({ address }) => address === one);
  return named.some((each) => isIn(report.left, each) && !isIn(report.pulled, each)) ? 1 : 0;
}

function selectManifests(named: readonly Address[], { manifests, undescribed }: DifferencesFromLive) {
  const known = manifests.map(({ manifest }) => manifest.address);
  const unknown = named.find((address) => !known.includes(address));
  if (unknown !== undefined) {
    const isLive = undescribed.some(({ address }) => address === unknown);
    const near = didYouMean(unknown, known) ?? "Check the kind and the name (Kind/name).";
    throw misuse(
      `${unknown} not found: no manifest describes it${isLive ? ", though the stack owns it" : ""}`,
      isLive ? exportRemedy(unknown) : near,
    );
  }
  return manifests.filter(({ manifest: { address } }) => named.length === 0 || named.includes(address));
}

function exportRemedy(address: Address) {
  return `write a manifest for it with \`edgewise export ${kindOf(address)} --owned\`; otherwise apply deletes it`;
}

function reportOf(
  { left, pulled, rewrites }: CheckedPull,
  selected: readonly BesideLive[],
  undescribed: DifferencesFromLive["undescribed"],
  adoptable: readonly Adoptable[] | null,
  { options, plan }: Planned,
  { redactor }: CommandIo,
): PullReport {
  const adopted = (address: Address): string | null =>
    adoptable?.find(({ manifest }) => manifest.address === address)?.id ?? null;
  const whole = (address: Address, message: string, remedy: string, source?: Manifest["source"]): PullLeft => {
    return { address, path: null, source: source ? { ...source, column: 1 } : null, message, remedy, live: null };
  };
  const leftFields = left.map(({ address, column, line, path, reason, remedy }): PullLeft => {
    const file = selected.find(({ manifest }) => manifest.address === address)?.manifest.source.file;
    return {
      address,
      path,
      source: file === undefined ? null : { file, line, column },
      message: reason,
      remedy: remedy ?? "write what is live by hand, or apply to put back what the manifest says",
      live: adopted(address) ?? fieldOf(plan, address, path)?.before ?? null,
    };
  });
  const withoutLive = selected.flatMap(({ current, manifest: { address, source } }) => {
    if (current !== null || adoptable !== null) return [];
    const refusal = plan.refusals.find((one) => one.address === address);
    const warning = plan.warnings.find((one) => one.address === address);
    const unknown = warning?.message ?? "is not live, and pull can't tell which side is right";
    const message = refusal === undefined ? unknown : `can't be compared: ${refusal.message}`;
    const remedy = refusal?.remedy ?? "delete the manifest, or run edgewise apply to make what it says";
    return [whole(address, message, remedy, source)];
  });
  const withoutManifest = undescribed.map(({ address, id }) =>
    whole(address, `is live as ${id} and owned by this stack, but no manifest describes it`, exportRemedy(address)),
  );
  const ambiguous = (adoptable ?? []).flatMap(({ candidates, id, manifest: { address, source } }) => {
    const message = `could be ${listFew(candidates, 5)}, which no stack owns`;
    const remedy = `to adopt it, write the id into the manifest: \`metadata: {id: ${candidates[0] ?? ""}}\``;
    return id === null ? [whole(address, message, remedy, source)] : [];
  });
  return {
    format: "edgewise.pull/v1",
    stack: options.stack,
    baseUrl: options.baseUrl,
    outcome: rewrites.length === 0 ? "nothing" : "written",
    files: rewrites.map(({ file: { path, text: before }, text }) => ({
      path,
      diff: redactor.redact(unifiedDiff(path, before, text)),
    })),
    pulled: selected.flatMap(({ current, manifest: { address, source } }) => {
      const id = adopted(address) ?? current?.id;
      const fields = pulled.flatMap((one) => {
        if (one.address !== address) return [];
        const field = fieldOf(plan, address, one.path);
        return [{ path: one.path, before: field?.after ?? null, after: adopted(address) ?? field?.before ?? null }];
      });
      return fields.length === 0 || id === undefined ? [] : [{ address, id, source, fields }];
    }),
    left: [...leftFields, ...withoutLive, ...withoutManifest, ...ambiguous],
  };
}

function fieldOf({ changes }: Plan, address: Address, path: string): FieldChange | undefined {
  const fields = changes.find((change) => change.address === address)?.fields ?? [];
  return fields.find((field) => field.path === path) ?? fields.find((field) => field.path.startsWith(`${path}.`));
}
