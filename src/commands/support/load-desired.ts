import { resolve } from "node:path";
import { loadConfig } from "../../config/load-config.js";
import { EdgewiseError } from "../../core/errors.js";
import { findRepository, trackedFiles } from "../../git/find-repository.js";
import { GitCommit } from "../../git/git-commit.js";
import { configAt, gitTree } from "../../git/git-tree.js";
import { resolveBase, resolveCommit } from "../../git/resolve-commit.js";
import { diskTree } from "../../manifest/disk-tree.js";
import type { FileTree } from "../../manifest/file-tree.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import type { LoadOptions } from "../../manifest/load-options.js";
import type { Manifest } from "../../manifest/manifest.js";
import type { CommandContext } from "./command-context.js";
import { showDiagnostics } from "./command-io.js";
import type { PlanFlags } from "./command-options.js";
import { ManifestProblems } from "./show-error.js";

/** Loads the manifests that the configuration or `-f` names; warnings about them go to stderr. */
export async function loadDesired(context: CommandContext): Promise<readonly Manifest[]> {
  const { at, config, io } = context;
  const { manifests, diagnostics } = await loadManifests(loadOptions(context));
  if (diagnostics.some(({ severity }) => severity === "error")) throw new ManifestProblems(diagnostics, at?.ref);
  await showDiagnostics(diagnostics, io);
  const known = new Set<string>(manifests.map(({ address }) => address));
  // Probably a typo: the resource that it should adopt would be created a second time.
  for (const address of config.fromFlags ? [] : Object.keys(config.adopt)) {
    if (!known.has(address)) io.log.warning(`adopt names ${address}, which no manifest describes`, { address });
  }
  return manifests;
}

/**
 * How manifests are loaded: with every check, whatever the command. A mistake that can be known here must not end an apply
 * part-way. Callers override what is different for them.
 */
export function loadOptions(
  { at, config, flags, io }: CommandContext,
  tree: FileTree = at?.tree ?? diskTree(config.root),
): LoadOptions {
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
    environments: config.environment === null ? config.environments : [],
    ...(config.patternPlace === undefined ? {} : { patternPlace: config.patternPlace }),
  };
}

export interface Base {
  readonly commit: string;
  readonly manifests: readonly Manifest[];
  readonly unusable: (error: unknown) => null;
}

/**
 * The manifests of the merge base; a drift report names the commit that was applied last, and is compared with that, and so
 * is a roll-back with `--ref`. Configuration and files are read at that commit too; when they are invalid there, that is
 * only a warning, so that a branch can fix them.
 * @returns null without `--base`, and when they can't be used
 */
export async function loadBase(context: CommandContext<PlanFlags>, isDrift: boolean): Promise<Base | null> {
  const { config, flags, io } = context;
  if (flags.base === undefined) return null;
  const repository = await findRepository(config.root, io);
  const at = context.at?.commit ?? null;
  const { commit, mergeBase } = isDrift
    ? { commit: await resolveCommit(repository, flags.base), mergeBase: null }
    : await resolveBase(repository, flags.base, at);
  // A roll-back goes to an ancestor of what is applied: what it takes back is the difference between the two.
  const isDirect = mergeBase === null || mergeBase === at;
  const base = isDirect ? commit : mergeBase;
  const unusable = (error: unknown): null => {
    if (!(error instanceof EdgewiseError) || error.code === "git") throw error;
    const which = `the manifests of the ${isDirect ? "commit" : "merge base"} ${base.slice(0, 12)} can't be used`;
    const consequence = isDrift
      ? "what is merged and not yet applied counts as drift"
      : "the plan does not show who changed what";
    io.log.warning(`${which}, so ${consequence}: ${error.message}`);
    return null;
  };
  try {
    return { commit: base, manifests: await manifestsAt(new GitCommit(repository, base), context), unusable };
  } catch (error) {
    return unusable(error);
  }
}

/** The manifests of a commit, loaded by that commit's own configuration. */
async function manifestsAt(commit: GitCommit, context: CommandContext<PlanFlags>): Promise<readonly Manifest[]> {
  const { flags, io } = context;
  let { config } = context;
  if (config.file !== null) {
    const { file } = config;
    const text = await configAt(commit, file);
    if (text === null) return [];
    const offline = flags.offline === true;
    config = await loadConfig({ cwd: io.cwd, env: io.env, flags, offline, committed: { file, text } });
  }
  const { manifests, diagnostics } = await loadManifests({
    ...loadOptions({ ...context, config }, await gitTree(commit, context.config.root)),
    allowInlineSecrets: true,
    apiKeyFile: null,
    complete: false,
    // Today's keys don't have to match the certificates of that commit.
    deep: false,
  });
  // A pattern that matches nothing there is fine: its files are new.
  const first = diagnostics.find(({ severity, code }) => severity === "error" && code !== "pattern-no-match");
  if (first !== undefined) throw new EdgewiseError("manifests", `${first.file}:${first.line}: ${first.message}`);
  return manifests;
}
