import { resolve } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import type { ReadClient } from "../../api/client.js";
import type { Config } from "../../config/config.js";
import type { JsonObject } from "../../json.js";
import type { ListedKind } from "../../kinds/names.js";
import type { NormalForms } from "../../kinds/normal-form.js";
import type { Listing } from "../../live/read-live.js";
import type { FileTree } from "../../manifest/file-tree.js";
import type { LoadOptions } from "../../manifest/load-options.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { CommandContext } from "./command-context.js";
import type { CommonFlags } from "./flags.js";
import type { GuardedIo } from "./io.js";
import { type Log, showDiagnostics } from "./log.js";
import { ManifestProblems } from "./command-errors.js";

/**
 * Loads the manifests that the configuration or `-f` names; warnings about them go to stderr.
 * @param onMany called once when there are many manifests and none was wrong so far
 * @throws ManifestProblems when one of them has an error
 */
export async function loadDesired(
  context: CommandContext,
  flags: CommonFlags,
  onMany?: () => void,
): Promise<readonly Manifest[]> {
  const { at, config, io, log } = context;
  const [{ loadManifests }, { diskTree }, { shownValues }] = await Promise.all([
    import("../../manifest/load-manifests.js"),
    import("../../manifest/disk-tree.js"),
    import("../../report/shown-values.js"),
  ]);
  // Lists may start meanwhile, and the service may return secrets before the manifest that names them was read.
  io.hold();
  const { manifests, diagnostics } = await loadManifests({
    ...loadOptions(at?.tree ?? diskTree(config.root), config, flags, io),
    ...(onMany === undefined ? {} : { onMany }),
  })
    .then((loaded) => {
      io.redactor.show(() => shownValues(loaded.manifests));
      return loaded;
    })
    .finally(() => io.release());
  if (diagnostics.some(({ severity }) => severity === "error")) throw new ManifestProblems(diagnostics);
  await showDiagnostics(diagnostics, log, io);
  if (!config.fromFlags) warnOfAdopt(Object.keys(config.adopt), manifests, log);
  return manifests;
}

/**
 * How manifests are loaded, from configuration and flags: with every check, whatever the command. A mistake that can be
 * known here must not end an apply part-way. Callers override what is different for them.
 */
export function loadOptions(tree: FileTree, config: Config, flags: CommonFlags, io: GuardedIo): LoadOptions {
  return {
    tree,
    patterns: config.patterns,
    patternBase: config.patternBase,
    variables: config.variables,
    untyped: config.untyped,
    env: io.env,
    adopt: config.adopt,
    stack: config.stack,
    allowInlineSecrets: flags.allowInlineSecrets === true,
    apiKeyFile: flags.apiKeyFile === undefined ? null : resolve(io.cwd, flags.apiKeyFile),
    complete: !config.fromFlags,
    deep: true,
    // A plan job has no secrets: its plan says which ones apply will need.
    plansUnavailable: true,
    now: io.now(),
    secrecy: io.redactor,
  };
}

/** An entry that names no manifest is probably a typo: the resource it should adopt would be created a second time. */
function warnOfAdopt(addresses: readonly string[], manifests: readonly Manifest[], log: Log): void {
  if (addresses.length === 0) return;
  const known = new Set<string>(manifests.map((manifest) => manifest.address));
  for (const address of addresses) {
    if (!known.has(address)) log.warning(`adopt names ${address}, which no manifest describes`, { address });
  }
}

/** How many manifests are prepared before other work gets a turn: about a millisecond. */
const manifestsAtATime = 250;

/** Loaded manifests, and the lists that were started meanwhile. */
export interface LoadedAndListing {
  readonly manifests: readonly Manifest[];
  /** Absent when there were so few manifests that no request was sent before all of them were checked. */
  readonly listing: Listing | undefined;
  /** The normal forms of both, as far as they were prepared. */
  readonly normalForms: NormalForms;
}

/**
 * Loads the manifests. A mistake in them is found before any request, unless there are hundreds: then the service lists
 * its resources at the same time, because both take long, and normal forms of both sides are prepared while waiting for
 * pages. When a manifest turns out to be wrong after all, closing the client ends the lists.
 * @throws ManifestProblems as {@link loadDesired} does
 */
export async function loadAndList(
  context: CommandContext,
  flags: CommonFlags,
  client: ReadClient,
): Promise<LoadedAndListing> {
  const [{ startListing }, { kinds }, { NormalForms }] = await Promise.all([
    import("../../live/read-live.js"),
    import("../../kinds/registry.js"),
    import("../../kinds/normal-form.js"),
  ]);
  const normalForms = new NormalForms();
  const prepare = (kind: ListedKind, items: readonly JsonObject[]): void => {
    const work = (): void => {
      for (const wire of items) normalForms.prepareWire(kinds[kind], wire);
    };
    // Two turns later: the next page is requested in the first, and must not be delayed.
    setImmediate(() => setImmediate(work));
  };
  let listing: Listing | undefined;
  const manifests = await loadDesired(context, flags, () => {
    listing = startListing(client, prepare);
  });
  if (listing === undefined) return { manifests, listing, normalForms };
  for (const [index, { kind, spec }] of manifests.entries()) {
    if (index % manifestsAtATime === manifestsAtATime - 1) await breathe();
    normalForms.prepareSpec(kinds[kind], spec);
  }
  return { manifests, listing, normalForms };
}
