import { resolve } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import type { ReadClient } from "../../api/client.js";
import type { JsonObject } from "../../json.js";
import type { ListedKind } from "../../kinds/names.js";
import type { NormalForms } from "../../kinds/normal-form.js";
import type { Listing } from "../../live/read-live.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { CommandContext } from "./command-context.js";
import type { CommonFlags } from "./flags.js";
import { type Log, showDiagnostics } from "./log.js";
import { ManifestProblems } from "./problem-errors.js";

/**
 * The manifests that the configuration or `-f` names; warnings about them go to stderr.
 * @param onMany called once when there is a lot to read and nothing was wrong so far
 * @throws ManifestProblems when one of them has an error
 */
export async function loadDesired(
  context: CommandContext,
  flags: CommonFlags,
  onMany?: () => void,
): Promise<readonly Manifest[]> {
  const { config, io, log } = context;
  const [{ loadManifests }, { diskTree }, { shownValues }] = await Promise.all([
    import("../../manifest/load-manifests.js"),
    import("../../manifest/disk-tree.js"),
    import("./shown-values.js"),
  ]);
  const loading = {
    tree: diskTree(config.root),
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
    deep: false,
    secrecy: io.redactor,
    ...(onMany === undefined ? {} : { onMany }),
  };
  // Lists may begin meanwhile, and the service may send secrets back before the manifest was read that names them.
  io.hold();
  const { manifests, diagnostics } = await loadManifests(loading)
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

/** An entry that names no manifest is a slip of the pen: what it should adopt would be made a second time. */
function warnOfAdopt(addresses: readonly string[], manifests: readonly Manifest[], log: Log): void {
  if (addresses.length === 0) return;
  const known = new Set<string>(manifests.map((manifest) => manifest.address));
  for (const address of addresses) {
    if (!known.has(address)) log.warning(`adopt names ${address}, which no manifest describes`, { address });
  }
}

/** How many manifests are prepared in one go, a millisecond of work. */
const manifestsAtATime = 250;

/** The manifests, and the lists that were started while they were read. */
export interface LoadedAndListing {
  readonly desired: readonly Manifest[];
  /** Absent when there were so few manifests that nothing was asked before all of them were checked. */
  readonly listing: Listing | undefined;
  /** The normal forms of both, as far as they were made ahead. */
  readonly normalForms: NormalForms;
}

/**
 * Loads the manifests. A mistake in them is found before any request, unless there are hundreds: then the service
 * lists what is live meanwhile, as neither needs the other and both take time, and both sides are brought to normal
 * form while pages are on their way. Closing the client ends the lists when a manifest turns out to be wrong after all.
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
    // In the turn after the one in which the next page is asked for, so that this takes no time of it.
    setImmediate(() => setImmediate(work));
  };
  let listing: Listing | undefined;
  const desired = await loadDesired(context, flags, () => {
    listing = startListing(client, prepare);
  });
  if (listing === undefined) return { desired, listing, normalForms };
  for (const [index, { kind, spec }] of desired.entries()) {
    if (index % manifestsAtATime === manifestsAtATime - 1) await breathe();
    normalForms.prepareSpec(kinds[kind], spec);
  }
  return { desired, listing, normalForms };
}
