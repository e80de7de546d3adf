import { plan } from "../../plan/make-plan.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { decodeUtf8 } from "../../files/read-bounded.js";
import { addrOf } from "../../kinds/codecs/reference-codecs.js";
import type { Address } from "../../kinds/names.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import type { Manifest } from "../../manifest/manifest.js";
import { type BesideLive, differencesFromLive } from "../../plan/differences-from-live.js";
import { blamedFields, isWithin } from "../../pull/blamed-fields.js";
import type { Differing, FieldLeft, FieldPulled, PulledFile, Reason } from "../../pull/pull-manifests.js";
import { pullFile } from "../../pull/pull-manifests.js";
import { type LiveNames, namesOf } from "../../pull/wanted-value.js";
import type { CommandContext } from "./command-context.js";
import type { CommonFlags } from "./command-options.js";
import { loadOptions } from "./load-desired.js";
import { type ManifestFile, type ManifestRewrite, overlaidTree } from "./manifest-files.js";
import type { Planned } from "./planning.js";
import type { FileTree } from "../../manifest/file-tree.js";

/** What a pull works with. */
export interface PullSession {
  readonly context: CommandContext;
  readonly flags: CommonFlags;
  readonly planned: Planned;
  readonly tree: FileTree;
}

/** What can be pulled, proven by loading the new files and planning with them. */
export interface CheckedPull {
  readonly rewrites: readonly ManifestRewrite[];
  readonly pulled: readonly FieldPulled[];
  readonly left: readonly FieldLeft[];
}

/**
 * Rewrites the manifests that differ, loads the new files as every command does, and compares them with live again. A
 * field with which the files no longer load, or that still differs, is left as it is, with the reason.
 * @param beside the manifests to pull
 */
export async function pullChecked(
  files: readonly ManifestFile[],
  beside: readonly BesideLive[],
  session: PullSession,
): Promise<CheckedPull> {
  const { context, planned } = session;
  const { io } = context;
  const all = differencesFromLive(planned.desired, planned.live, planned.options);
  const isSecret = (text: string): boolean => text !== "" && io.redactor.redact(text) !== text;
  const names = namesOfDescribed(all.manifests, session);
  const refused = new Map<Address, Map<string, Reason>>();
  const byFile = new Map<string, BesideLive[]>();
  for (const one of beside) {
    const { file } = one.manifest.source;
    byFile.set(file, [...(byFile.get(file) ?? []), one]);
  }
  for (;;) {
    const pulls = files.map((file) => {
      const differing = (byFile.get(file.path) ?? []).flatMap((one) => differingOf(one, refused));
      return { file, ...pullFile(file.text, differing, { names, isSecret }) };
    });
    const found = await whyRefused(pulls, all.manifests, session);
    if (found.length === 0) {
      return {
        rewrites: pulls.flatMap(({ file, text }) => (text === file.text ? [] : [{ file, text }])),
        pulled: pulls.flatMap((one) => one.pulled),
        left: pulls.flatMap((one) => one.left),
      };
    }
    for (const { address, path, reason, remedy } of found) {
      const paths = refused.get(address) ?? new Map<string, Reason>();
      refused.set(address, paths.set(path, { reason, remedy }));
    }
  }
}

function differingOf(
  { changed, current, manifest }: BesideLive,
  refused: ReadonlyMap<Address, ReadonlyMap<string, Reason>>,
): readonly Differing[] {
  if (current === null) return [];
  return [{ manifest, live: current.spec, changed, refused: refused.get(manifest.address) ?? new Map() }];
}

/** By the manifests; with `-f` also what the stack owns and other files describe. */
function namesOfDescribed(manifests: readonly BesideLive[], { planned }: PullSession): LiveNames {
  const described = manifests.flatMap(({ current, manifest: { kind, name } }) =>
    current === null ? [] : [{ kind, name, id: current.id, addr: addrOf(current.kind, current.wire) }],
  );
  const { options } = planned;
  if (!options.lookUp) return namesOf(described);
  const found = differencesFromLive([], planned.live, options).owned;
  return namesOf([...found, ...described]);
}

/** A pulled field that must stay as it is. */
interface Refused extends FieldPulled, Reason {}

/** The pulled fields that must stay as they are. */
async function whyRefused(
  pulls: readonly (PulledFile & { readonly file: ManifestFile })[],
  before: readonly BesideLive[],
  { context, flags, planned, tree }: PullSession,
): Promise<readonly Refused[]> {
  const pulled = pulls.flatMap((one) => one.pulled);
  if (pulled.length === 0) return [];
  const texts = new Map(pulls.map(({ file, text }) => [file.path, text]));
  const overlaid = overlaidTree(tree, texts);
  const { diagnostics, manifests } = await loadManifests(loadOptions(overlaid, context.config, flags, context.io));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) return invalid(errors, pulled, overlaid);
  const after = differencesFromLive(manifests, planned.live, planned.options).manifests;
  const differing = stillDiffering(pulled, before, after);
  if (differing.length > 0) return differing;
  if (sameOthers(planned.manifests, manifests, new Set(pulled.map(({ address }) => address))))
    return newlyRefused(manifests, pulled, planned);
  const reason = "can't be changed without changing another manifest";
  return pulled.map((one) => ({ ...one, reason, remedy: "make the change by hand" }));
}

async function invalid(
  errors: readonly Diagnostic[],
  pulled: readonly FieldPulled[],
  tree: FileTree,
): Promise<readonly Refused[]> {
  const refused: Refused[] = [];
  for (const error of errors) {
    const text = decodeUtf8(await tree.read(error.file)) ?? "";
    const reason = `would no longer be valid: ${error.message}`;
    for (const { address, path } of blamedFields(error, pulled, text))
      refused.push({ address, path, reason, remedy: "make the change by hand, with what belongs to it" });
  }
  return refused;
}

/** What was pulled and still differs; all of a manifest in which something else differs now. */
function stillDiffering(
  pulled: readonly FieldPulled[],
  before: readonly BesideLive[],
  after: readonly BesideLive[],
): readonly Refused[] {
  const [old, now] = [changedPaths(before), changedPaths(after)];
  return pulled.flatMap(({ address, path }) => {
    const paths = now.get(address);
    const differs =
      paths === undefined || paths.some((one) => isWithin(one, path) || old.get(address)?.includes(one) !== true);
    const reason = "would still differ from what is live";
    return differs ? [{ address, path, reason, remedy: "make the change by hand" }] : [];
  });
}

/** What no plan would accept as it is live: a reference to something that is gone. */
async function newlyRefused(
  manifests: readonly Manifest[],
  pulled: readonly FieldPulled[],
  { desired, live, options: { judged: _judged, ...options } }: Planned,
): Promise<readonly Refused[]> {
  const { refusals } = plan(manifests, live, options);
  if (refusals.length === 0) return [];
  const known = new Set(plan(desired, live, options).refusals.map(({ address, code }) => `${code} ${address}`));
  return refusals.flatMap(({ address, code, message }) => {
    if (known.has(`${code} ${address}`)) return [];
    const own = pulled.filter((one) => one.address === address);
    const about = own.filter(({ path }) => message.split(/[\s,;:]+/u).some((word) => isWithin(path, word)));
    const reason = `would be refused: ${message}`;
    const remedy = "correct what is live, or apply to put back what the manifest says";
    return (about.length > 0 ? about : own).map((one) => ({ ...one, reason, remedy }));
  });
}

function changedPaths(manifests: readonly BesideLive[]): ReadonlyMap<Address, readonly string[]> {
  return new Map(manifests.map(({ changed, manifest }) => [manifest.address, changed.map(({ path }) => path)]));
}

function sameOthers(before: readonly Manifest[], after: readonly Manifest[], changed: ReadonlySet<Address>): boolean {
  const others = (manifests: readonly Manifest[]): string =>
    manifests
      .flatMap(({ address, fingerprint }) => (changed.has(address) ? [address] : [address, fingerprint]))
      .join("\n");
  return others(before) === others(after);
}
