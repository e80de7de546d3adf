import { didYouMean } from "../diagnostics/suggest.js";
import { misuse, EdgewiseError } from "../core/errors.js";
import { type Address, kindOf } from "../kinds/names.js";
import { diskTree } from "../manifest/file-tree.js";
import type { Manifest } from "../manifest/manifest.js";
import {
  type Adoptable,
  type BesideLive,
  type DifferencesFromLive,
  differencesFromLive,
  findAdoptable,
} from "../plan/differences-from-live.js";
import type { FieldChange, Plan, Refusal } from "../plan/plan-format.js";
import { type Differing, type FieldPulled, pullFile, namesOf } from "../pull/pull-manifests.js";
import { unifiedDiff } from "../report/file-diff.js";
import { type PullLeft, type PullReport, renderPullDifferences, renderPullText } from "../report/pull-report.js";
import { count, listFew } from "../core/text.js";
import { type CommandContext, loadContext, loadOptions } from "./support/command-context.js";
import { type CommandIo, confirm, requireApprover, stopIfInterrupted, takeInterrupts } from "./support/command-io.js";
import { type Flags, type DefineCommand, collectAddress } from "./support/command-options.js";
import { withReadClient } from "./support/connect.js";
import { checkOutput, textStyle, writeData, workplaceOf } from "./support/output.js";
import { type Planned, planLive } from "./support/planning.js";
import { statSync } from "node:fs";
import { join } from "node:path";
import { decodeUtf8 } from "../files/read-bounded.js";
import { writeFile } from "../files/write-file.js";
import { addrOf } from "../kinds/codecs.js";
import type { FileTree } from "../manifest/file-tree.js";
import { loadManifests } from "../manifest/load-manifests.js";
import { plan } from "../plan/make-plan.js";
import type { Reason } from "../pull/edit-node.js";

export const define: DefineCommand = (command, run) =>
  command
    .argument("[address...]", "pull only these resources", collectAddress)
    .description("For drift that turns out to be right. Keeps comments, order and style, shows the changes and asks.")
    .option(
      "--adopt",
      "instead, write metadata.id where one resource without an owner has the manifest's hostports, certificate, or region and description",
    )
    .option("-y, --auto-approve", "write the manifests without asking")
    .shared(["text", "json"], "config manifests service concurrency")
    .examples([
      ["edgewise pull", "show the changes, ask, write"],
      ["edgewise pull --adopt", "find the existing resources that manifests describe"],
    ])
    .action(run(pull));

async function pull(commandIo: CommandIo, named: readonly Address[], flags: Flags) {
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
  { left, pulled, rewrites }: Awaited<ReturnType<typeof pullChecked>>,
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

type ManifestFile = Readonly<{
  path: string;
  bytes: Uint8Array;
  text: string;
}>;

type ManifestRewrite = Readonly<{
  file: ManifestFile;
  text: string;
}>;

export async function readManifestFiles(tree: FileTree, paths: readonly string[]): Promise<readonly ManifestFile[]> {
  return Promise.all(
    paths.map(async (path) => {
      const bytes = await tree.read(path);
      return { path, bytes, text: decodeUtf8(bytes) ?? "" };
    }),
  );
}

async function checkRewrites(rewrites: readonly ManifestRewrite[], tree: FileTree) {
  for (const { file } of rewrites) {
    // Replacing it needs no permission, but its owner meant something by that.
    if ((statSync(join(tree.root, file.path)).mode & 0o222) === 0)
      throw new EdgewiseError(
        "io",
        `${file.path} is read-only; no file was changed`,
        "Make it writable (chmod u+w), or name the addresses of other files.",
      );
    if (Buffer.compare(await tree.read(file.path), file.bytes) !== 0)
      throw new EdgewiseError("io", `${file.path} has changed meanwhile; no file was changed`, "Pull again.");
  }
}

export async function writeRewrites(
  rewrites: readonly ManifestRewrite[],
  io: CommandIo,
  tree: FileTree,
): Promise<void> {
  const written: string[] = [];
  for (const { file, text } of rewrites) {
    // Unmasked, which would damage it: the file held it, or it is live outside of secrets.
    const mark = file.bytes[0] === 0xef && file.bytes[1] === 0xbb && file.bytes[2] === 0xbf ? "\ufeff" : "";
    try {
      await writeFile(join(tree.root, file.path), mark + text, workplaceOf(io), "ordinary");
    } catch (error) {
      if (!(error instanceof EdgewiseError) || written.length === 0) throw error;
      throw new EdgewiseError("io", `${error.message}; already written: ${written.join(", ")}`, {
        remedy: "Run edgewise pull again for the rest.",
        exit: 3,
        cause: error,
      });
    }
    written.push(file.path);
  }
}

/** Leaves manifests alone that would no longer load or still differ. */
async function pullChecked(
  differing: readonly Differing[],
  all: DifferencesFromLive,
  planned: Planned,
  context: CommandContext,
  tree: FileTree,
) {
  const { redactor } = context.io;
  const isSecret = (text: string) => text !== "" && redactor.redact(text) !== text;
  const names = namesOfDescribed(all.manifests, planned);
  const files = await readManifestFiles(tree, [...new Set(differing.map(({ manifest }) => manifest.source.file))]);
  const refused = new Map<Address, Reason>();
  for (;;) {
    const pulls = files.map((file) => {
      const own = differing.filter(({ manifest }) => manifest.source.file === file.path);
      const safe = own.map((one) => ({ ...one, refused: refused.get(one.manifest.address) }));
      return { file, ...pullFile(file.text, safe, { names, isSecret }) };
    });
    const pulled = pulls.flatMap((one) => one.pulled);
    const texts = new Map(pulls.map(({ file, text }) => [file.path, new TextEncoder().encode(text)]));
    const overlaid = { ...tree, read: async (path: string) => texts.get(path) ?? tree.read(path) };
    const found =
      pulled.length === 0
        ? new Map<never, never>()
        : await whyRefused(pulled, all.manifests, planned, context, overlaid);
    if (found.size === 0)
      return {
        rewrites: pulls.flatMap(({ file, text }) => (text === file.text ? [] : [{ file, text }])),
        pulled,
        left: pulls.flatMap((one) => one.left),
      };
    for (const [address, why] of found) refused.set(address, why);
  }
}

function namesOfDescribed(manifests: readonly BesideLive[], { live, options }: Planned) {
  const described = manifests.flatMap(({ current, manifest: { kind, name } }) =>
    current === null ? [] : [{ kind, name, id: current.id, addr: addrOf(current.kind, current.wire) }],
  );
  return namesOf(options.lookUp ? [...differencesFromLive([], live, options).undescribed, ...described] : described);
}

async function whyRefused(
  pulled: readonly FieldPulled[],
  before: readonly BesideLive[],
  planned: Planned,
  context: CommandContext,
  tree: FileTree,
): Promise<ReadonlyMap<Address, Reason>> {
  const addresses = [...new Set(pulled.map(({ address }) => address))];
  const because = (some: readonly Address[], why: string, remedy: string) =>
    some.map((address) => [address, { reason: `stays: its manifest ${why}`, remedy }] as const);
  const { diagnostics, manifests } = await loadManifests(loadOptions(context, tree));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const invalid = errors.flatMap(({ address, message }) => {
    const own = addresses.filter((one) => one === address);
    const named = addresses.filter((one) => message.includes(one));
    const blamed = [own, named].find(({ length }) => length > 0) ?? addresses;
    const remedy = "make the change by hand, with what belongs to it";
    return because(blamed, `would no longer be valid: ${message}`, remedy);
  });
  if (invalid.length > 0) return new Map(invalid);
  const after = differencesFromLive(manifests, planned.live, planned.options).manifests;
  const [old, now] = [before, after].map(pathsOf);
  const differing = addresses.filter((address) => {
    const own = pulled.flatMap((one) => (one.address === address ? `${one.path}.` : []));
    const known = old?.get(address) ?? [];
    return (
      !own.includes("metadata.id.") &&
      now?.get(address)?.some((path) => !known.includes(path) || own.some((one) => `${path}.`.startsWith(one)))
    );
  });
  if (differing.length > 0)
    return new Map(because(differing, "would still differ from what is live", "make the change by hand"));
  const { judged: _judged, ...options } = planned.options;
  const known = new Set(plan(planned.desired, planned.live, options).refusals.map(keyOf));
  const refused = plan(manifests, planned.live, options).refusals.flatMap((refusal) => {
    const own = known.has(keyOf(refusal)) ? [] : addresses.filter((address) => address === refusal.address);
    const remedy = "correct what is live, or apply to put back what the manifest says";
    return because(own, `would be refused: ${refusal.message}`, remedy);
  });
  return new Map(refused);
}

function keyOf({ address, code }: Refusal) {
  return `${code} ${address}`;
}

function pathsOf(manifests: readonly BesideLive[]) {
  return new Map(manifests.map(({ changed, manifest }) => [manifest.address, changed.map(({ path }) => path)]));
}
