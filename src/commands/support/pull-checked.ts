import { addrOf } from "../../kinds/codecs/reference-codecs.js";
import type { Address } from "../../kinds/names.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import type { Manifest } from "../../manifest/manifest.js";
import { type BesideLive, differencesFromLive } from "../../plan/differences-from-live.js";
import type { Differing, FieldLeft, FieldPulled, PulledFile } from "../../pull/pull-manifests.js";
import { pullFile } from "../../pull/pull-manifests.js";
import { type LiveNames, namesOf } from "../../pull/wanted-value.js";
import type { CommandContext } from "./command-context.js";
import type { CommonFlags } from "./flags.js";
import { loadOptions } from "./load-desired.js";
import { type ManifestFile, type ManifestRewrite, overlaidTree } from "./manifest-files.js";
import type { Planned } from "./origins.js";
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
 * manifest that no longer loads, or still differs where it was pulled, is left as it is, with the reason.
 * @param beside the manifests to pull
 */
export async function pullChecked(
  files: readonly ManifestFile[],
  beside: readonly BesideLive[],
  session: PullSession,
): Promise<CheckedPull> {
  const { context, planned } = session;
  const { io } = context;
  const all = differencesFromLive(planned.desired, planned.live, planned.options, planned.normalForms);
  const isSecret = (text: string): boolean => text !== "" && io.mask(text) !== text;
  const names = namesOfDescribed(all.manifests, session);
  const excluded = new Map<Address, Reason>();
  for (;;) {
    const pulls = files.map((file) => {
      const differing = beside.filter(
        (one) => one.manifest.source.file === file.path && !excluded.has(one.manifest.address),
      );
      return { file, ...pullFile(file.text, differing.flatMap(differingOf), { names, isSecret }) };
    });
    const refused = await whyRefused(pulls, all.manifests, session);
    if (refused.size === 0) {
      return {
        rewrites: pulls.flatMap(({ file, text }) => (text === file.text ? [] : [{ file, text }])),
        pulled: pulls.flatMap((one) => one.pulled),
        left: [...pulls.flatMap((one) => one.left), ...beside.flatMap((one) => leftWhole(one, excluded))],
      };
    }
    for (const [address, reason] of refused) excluded.set(address, reason);
  }
}

interface Reason {
  readonly reason: string;
  readonly remedy: string | null;
}

function differingOf({ changed, current, manifest }: BesideLive): readonly Differing[] {
  return current === null ? [] : [{ manifest, live: current.spec, changed }];
}

/** By the manifests; with `-f` also what the stack owns and other files describe. */
function namesOfDescribed(manifests: readonly BesideLive[], { planned }: PullSession): LiveNames {
  const described = manifests.flatMap(({ current, manifest: { kind, name } }) =>
    current === null ? [] : [{ kind, name, id: current.id, addr: addrOf(current.kind, current.wire) }],
  );
  const { options } = planned;
  if (!options.lookUp) return namesOf(described);
  const found = differencesFromLive([], planned.live, options, planned.normalForms).owned;
  return namesOf([...found, ...described]);
}

/** The fields of a manifest that would not load, or not become what is live. */
function leftWhole({ changed, manifest }: BesideLive, excluded: ReadonlyMap<Address, Reason>): readonly FieldLeft[] {
  const why = excluded.get(manifest.address);
  if (why === undefined) return [];
  const { address, source } = manifest;
  return changed.map(({ path }) => ({ address, path, ...why, line: source.line, column: 1 }));
}

/** The changed manifests that must stay as they are. */
async function whyRefused(
  pulls: readonly (PulledFile & { readonly file: ManifestFile })[],
  before: readonly BesideLive[],
  { context, flags, planned, tree }: PullSession,
): Promise<ReadonlyMap<Address, Reason>> {
  const refused = new Map<Address, Reason>();
  const changed = pulls.flatMap(({ pulled }) => pulled);
  if (changed.length === 0) return refused;
  const texts = new Map(pulls.map(({ file, text }) => [file.path, text]));
  const overlaid = overlaidTree(tree, texts);
  const { diagnostics, manifests } = await loadManifests(loadOptions(overlaid, context.config, flags, context.io));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const addresses = [...new Set(changed.map(({ address }) => address))];
  for (const { address, message } of errors) {
    const blamed = addresses.filter((each) => each === address);
    for (const each of blamed.length > 0 ? blamed : addresses)
      refused.set(each, {
        reason: `would no longer be valid: ${message}`,
        remedy: "make the change by hand, with what belongs to it",
      });
  }
  if (errors.length > 0) return refused;
  const after = differencesFromLive(manifests, planned.live, planned.options).manifests;
  for (const address of addresses) {
    const paths = new Set(changed.flatMap((one) => (one.address === address ? [one.path] : [])));
    const old = before.find(({ manifest }) => manifest.address === address);
    const now = after.find(({ manifest }) => manifest.address === address);
    const known = new Set(old?.changed.map(({ path }) => path));
    const differs = now === undefined || now.changed.some(({ path }) => isPulled(path, paths) || !known.has(path));
    if (differs)
      refused.set(address, { reason: "would still differ from what is live", remedy: "make the change by hand" });
  }
  if (refused.size === 0 && !sameOthers(planned.manifests, manifests, new Set(addresses)))
    for (const address of addresses)
      refused.set(address, {
        reason: "can't be changed without changing another manifest",
        remedy: "make the change by hand",
      });
  return refused;
}

/** Whether a difference is what was pulled, or a part of it. */
function isPulled(path: string, pulled: ReadonlySet<string>): boolean {
  return pulled.has(path) || pulled.has(path.split(".").slice(0, 2).join("."));
}

function sameOthers(before: readonly Manifest[], after: readonly Manifest[], changed: ReadonlySet<Address>): boolean {
  const others = (manifests: readonly Manifest[]): string =>
    manifests
      .flatMap(({ address, fingerprint }) => (changed.has(address) ? [address] : [address, fingerprint]))
      .join("\n");
  return others(before) === others(after);
}
