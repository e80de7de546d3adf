import { trackedFiles } from "../../git/find-repository.js";
import { diskTree } from "../../manifest/disk-tree.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import { resolve } from "node:path";
import type { Config } from "../../config/config.js";
import type { FileTree } from "../../manifest/file-tree.js";
import type { ConfigHints, LoadOptions } from "../../manifest/load-options.js";
import type { Manifest } from "../../manifest/manifest.js";
import { type CommandContext, noEnvironment } from "./command-context.js";
import type { CommonFlags } from "./command-options.js";
import type { GuardedIo } from "./io.js";
import { type Log, showDiagnostics } from "./log.js";
import { ManifestProblems } from "./command-errors.js";

/**
 * Loads the manifests that the configuration or `-f` names; warnings about them go to stderr.
 * @throws ManifestProblems when one of them has an error
 */
export async function loadDesired(context: CommandContext, flags: CommonFlags): Promise<readonly Manifest[]> {
  const { at, config, io, log } = context;
  const { manifests, diagnostics } = await loadManifests({
    ...loadOptions(at?.tree ?? diskTree(config.root), config, flags, io),
  });
  if (diagnostics.some(({ severity }) => severity === "error")) throw new ManifestProblems(diagnostics, at?.ref);
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
    ...(config.fromFlags ? { patternFlag: "-f" } : {}),
    variables: config.variables,
    untyped: config.untyped,
    env: io.env,
    adopt: config.adopt,
    stack: config.stack,
    allowInlineSecrets: flags.allowInlineSecrets === true,
    trackedFiles: async (paths) => trackedFiles(paths, io),
    apiKeyFile: flags.apiKeyFile === undefined ? null : resolve(io.cwd, flags.apiKeyFile),
    complete: !config.fromFlags,
    deep: true,
    // A plan job has no secrets: its plan says which ones apply will need.
    plansUnavailable: true,
    now: io.now(),
    redactor: io.redactor,
    ...(config.hints === undefined ? {} : { hints: withEnvironment(config.hints, config) }),
  };
}

/** The same, where one error says that an environment must be chosen, and not one for each use of a variable. */
function withEnvironment(hints: ConfigHints, { environment }: Config): ConfigHints {
  return {
    patternPlace: (index) => hints.patternPlace(index),
    environmentsWith: (variable) => {
      const names = hints.environmentsWith(variable);
      if (environment !== null || names.length === 0) return names;
      throw noEnvironment(`the variable ${variable} has no value`, names);
    },
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
