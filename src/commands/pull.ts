import { didYouMean } from "../diagnostics/suggest.js";
import { misuse } from "../core/errors.js";
import { type Address, isAddress, kindOf } from "../kinds/names.js";
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
      "instead, write metadata.id where exactly one resource without an owner has the manifest's hostports, certificate, or region and description",
    )
    .option("-y, --auto-approve", "write the manifests without asking")
    .shared(["text", "json"], "config manifests service concurrency")
    .examples([
      ["edgewise pull", "show the changes, ask, write"],
      ["edgewise pull TLSEdge/api", "only one resource"],
      ["edgewise pull --adopt", "find the existing resources that manifests describe"],
    ])
    .action(run(pull));

async function pull(commandIo: CommandIo, addresses: readonly string[], flags: Flags): Promise<number> {
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

async function pullPlanned(
  named: readonly string[],
  planned: Planned,
  context: CommandContext,
  stop: AbortSignal,
): Promise<number> {
  const { config, flags, io } = context;
  const found = differencesFromLive(planned.desired, planned.live, planned.options);
  const selected = selectManifests(named, found);
  const tree = diskTree(config.root);
  const inSelection = new Set(selected.map(({ manifest }) => manifest.address));
  const adoptable =
    flags.adopt === true
      ? findAdoptable(planned.desired, planned.live, planned.options).filter((one) =>
          inSelection.has(one.manifest.address),
        )
      : null;
  const written: readonly Differing[] =
    adoptable === null
      ? selected.flatMap(({ current, ...one }) => (current === null ? [] : [{ ...one, live: current.spec }]))
      : adoptable.map(({ id, manifest }) => ({ id, manifest, live: {}, changed: [] }));
  const differing = written.filter(({ changed, id }) => id != null || changed.length > 0);
  const checked = await pullChecked(differing, found, planned, context, tree);
  const { pulled, rewrites } = checked;
  // With a selection, what no manifest describes does not count.
  const isWhole = adoptable === null && named.length === 0 && planned.options.prune;
  const report = reportOf(checked, selected, isWhole ? found.undescribed : [], adoptable, planned, io);
  if (adoptable?.length === 0)
    io.log.info(
      "--adopt found nothing: it looks for resources that no stack owns, with the hostports, certificate, or region and description of a manifest of which nothing is live.",
    );
  const asks = rewrites.length > 0 && flags.autoApprove !== true;
  if (asks || (rewrites.length > 0 && !io.log.quiet && io.log.format === "text")) {
    // Without a question, the result says it.
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
  const isIn = (some: readonly { readonly address: string }[], one: string) =>
    some.some(({ address }) => address === one);
  return named.some((each) => isIn(report.left, each) && !isIn(report.pulled, each)) ? 1 : 0;
}

function selectManifests(
  named: readonly string[],
  { manifests, undescribed }: DifferencesFromLive,
): readonly BesideLive[] {
  const known: readonly string[] = manifests.map(({ manifest }) => manifest.address);
  const unknown = named.find((address) => !known.includes(address));
  if (unknown !== undefined) {
    const isLive = undescribed.some(({ address }) => address === unknown);
    const owned = isLive ? ", though the stack owns it" : "";
    const near = didYouMean(unknown, known) ?? "Check the kind and the name (Kind/name).";
    throw misuse(`${unknown} not found: no manifest describes it${owned}`, isLive ? exportRemedy(unknown) : near);
  }
  return manifests.filter(({ manifest: { address } }) => named.length === 0 || named.includes(address));
}

function exportRemedy(address: string): string {
  const kind = isAddress(address) ? `${kindOf(address)} ` : "";
  return `write a manifest for it with \`edgewise export ${kind}--owned\`; otherwise apply deletes it`;
}

function reportOf(
  { left, pulled, rewrites }: CheckedPull,
  selected: readonly BesideLive[],
  undescribed: DifferencesFromLive["undescribed"],
  adoptable: readonly Adoptable[] | null,
  { options, plan }: Planned,
  { redactor }: CommandIo,
): PullReport {
  const whole = (
    about: Pick<PullLeft, "address" | "message" | "remedy">,
    source: Manifest["source"] | null,
  ): PullLeft => ({
    ...about,
    path: null,
    source: source === null ? null : { ...source, column: 1 },
    live: null,
  });
  const leftFields = left.map(({ address, column, line, path, reason, remedy }): PullLeft => {
    const file = selected.find(({ manifest }) => manifest.address === address)?.manifest.source.file;
    return {
      address,
      path,
      source: file === undefined ? null : { file, line, column },
      message: reason,
      remedy: remedy ?? "write what is live by hand, or apply to put back what the manifest says",
      live:
        adoptable?.find(({ manifest }) => manifest.address === address)?.id ??
        fieldOf(plan, address, path)?.before ??
        null,
    };
  });
  const withoutLive = selected.flatMap(({ current, manifest: { address, source } }): readonly PullLeft[] => {
    if (current !== null || adoptable !== null) return [];
    const refusal = plan.refusals.find((one) => one.address === address);
    const warning = plan.warnings.find((one) => one.address === address);
    const unknown = warning?.message ?? "is not live, and pull can't tell which side is right";
    const message = refusal === undefined ? unknown : `can't be compared: ${refusal.message}`;
    const remedy = "delete the manifest, or run edgewise apply to make what it says";
    return [whole({ address, message, remedy: refusal?.remedy ?? remedy }, source)];
  });
  const withoutManifest = undescribed.map(({ address, id }) => {
    const message = `is live as ${id} and owned by this stack, but no manifest describes it`;
    return whole({ address, message, remedy: exportRemedy(address) }, null);
  });
  const ambiguous = (adoptable ?? []).flatMap(({ candidates, id, manifest: { address, source } }) => {
    const message = `could be ${listFew(candidates, 5)}, which no stack owns`;
    const remedy = `to adopt it, write the id into the manifest: \`metadata: {id: ${candidates[0] ?? ""}}\``;
    return id === null ? [whole({ address, message, remedy }, source)] : [];
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
      const adopted = adoptable?.find((one) => one.manifest.address === address)?.id ?? null;
      const fields = pulled.flatMap((one) => {
        if (one.address !== address) return [];
        const field = fieldOf(plan, address, one.path);
        return [{ path: one.path, before: field?.after ?? null, after: adopted ?? field?.before ?? null }];
      });
      const id = adopted ?? current?.id;
      return fields.length === 0 || id === undefined ? [] : [{ address, id, source, fields }];
    }),
    left: [...leftFields, ...withoutLive, ...withoutManifest, ...ambiguous],
  };
}

function fieldOf({ changes }: Plan, address: Address, path: string): FieldChange | undefined {
  const fields = changes.find((change) => change.address === address)?.fields ?? [];
  return fields.find((field) => field.path === path) ?? fields.find((field) => field.path.startsWith(`${path}.`));
}
