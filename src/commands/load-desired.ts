import type { Manifest } from "../manifest/manifest.js";
import type { CommandContext } from "./context.js";
import type { CommonFlags } from "./flags.js";
import type { Log } from "./log.js";
import { ManifestProblems } from "./manifest-problems.js";
import { showDiagnostics } from "./show-diagnostics.js";
import { resolve } from "node:path";

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
    import("../manifest/load-manifests.js"),
    import("../manifest/disk-tree.js"),
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
