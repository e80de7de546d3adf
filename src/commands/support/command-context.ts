import { basename, dirname, join, resolve } from "node:path";
import type { Config, ConfigInput } from "../../config/config.js";
import { configName } from "../../config/find-config.js";
import { loadConfig } from "../../config/load-config.js";
import { setting } from "../../config/setting.js";
import { EdgewiseError } from "../../core/errors.js";
import { findRepository, pathInWorkTree, realPathOf, trackedFiles } from "../../git/find-repository.js";
import { GitCommit } from "../../git/git-commit.js";
import { asDirectory, configAt, gitTree } from "../../git/git-tree.js";
import { resolveCommit } from "../../git/resolve-commit.js";
import { type FileTree, type SecretFiles, diskSecrets, diskTree } from "../../manifest/file-tree.js";
import { loadManifests } from "../../manifest/load-manifests.js";
import type { LoadOptions } from "../../manifest/load-run.js";
import type { Manifest } from "../../manifest/manifest.js";
import { type ShownCommit, commitWords } from "../../plan/plan-format.js";
import { type CommandIo, type Io, showDiagnostics } from "./command-io.js";
import type { Flags } from "./command-options.js";
import { ManifestProblems } from "./show-error.js";

export type CommandContext = Readonly<{
  flags: Flags;
  config: Config;
  at: (ShownCommit & Readonly<{ tree: FileTree }>) | null;
  io: CommandIo;
  /** This process in the account's lock, which is nothing to warn of. */
  lockRun?: string;
  /** Aborted when a run that may write is interrupted: it plans no more. */
  stop?: AbortSignal;
}>;

export async function loadContext(flags: Flags, io: CommandIo, offline = false): Promise<CommandContext> {
  const { config, at } = await loadSource(flags, io, offline, (shown) =>
    io.log.info(`Reading configuration and manifests of ${commitWords(shown)}.`, { ...shown }),
  );
  return { flags, config, at, io: { ...io, root: config.root } };
}

type Unconfigured = Pick<CommandContext, "config" | "at" | "io">;

export function requireStack(context: Unconfigured): string {
  const what = "no stack is configured, so edgewise can't tell which resources it owns";
  return context.config.stack ?? unconfigured(context, what, "`stack: NAME`", "give --stack or EDGEWISE_STACK");
}

export function requireBaseUrl(context: Unconfigured): string {
  const instead = "give --base-url or EDGEWISE_BASE_URL";
  const what = "no API base URL is configured";
  return context.config.api.baseUrl ?? unconfigured(context, what, "`api: {baseUrl: https://…}`", instead);
}

export function requireManifests(context: Unconfigured, instead: string): void {
  if (context.config.patterns.length === 0)
    unconfigured(context, "no manifests are configured", "`manifests: [DIRECTORY/]`", instead);
}

export function unconfigured({ at, config, io }: Unconfigured, what: string, inFile: string, instead: string): never {
  const { environment, environments, file } = config;
  const [message, remedy] =
    environment === null && environments.length > 0
      ? [
          `no environment is chosen, and without one ${what}`,
          `Choose ${environments.map((name) => `-e ${name}`).join(" or ")}.`,
        ]
      : file === null && at === null
        ? [
            `${what}: there is no ${configName} in ${io.cwd} or above it`,
            `\`edgewise init\` writes one, with a first manifest. Or ${instead}.`,
          ]
        : [what, `Put ${inFile} into ${file ?? configName}, or ${instead}.`];
  throw new EdgewiseError("config", message, remedy);
}

export async function loadSource(
  flags: Flags,
  io: Io,
  offline: boolean,
  onCommit: (shown: ShownCommit) => void = () => {},
): Promise<Pick<CommandContext, "config" | "at">> {
  const { ref } = flags;
  if (ref === undefined) return { config: await loadConfig({ cwd: io.cwd, env: io.env, flags, offline }), at: null };
  // Git knows real paths only.
  const cwd = await realPathOf(io.cwd);
  const named = setting("config", { env: io.env, flags });
  const path = named === null ? null : resolve(cwd, named.value);
  const commit = await commitAt(path === null ? cwd : dirname(path), ref, io);
  onCommit({ commit: commit.id, ref });
  const file = await findInCommit(commit, path, cwd);
  const source = await sourceAt(commit, file, { cwd, env: io.env, flags, offline }, diskSecrets);
  if (source === null || (file === null && (path !== null || (flags.file ?? []).length === 0)))
    throw new EdgewiseError(
      "config",
      `${commitWords({ commit: commit.id, ref })} holds no configuration ${path ?? `${configName} for this directory`}`,
      "Name a commit that holds it; or with -c the path that it had there.",
    );
  return { config: source.config, at: { ref, commit: commit.id, tree: source.tree } };
}

export async function sourceAt(commit: GitCommit, file: string | null, input: ConfigInput, secrets?: SecretFiles) {
  const text = file === null ? null : await configAt(commit, file);
  if (file !== null && text === null) return null;
  const config = await loadConfig({ ...input, committed: file === null || text === null ? null : { file, text } });
  return { config, tree: await gitTree(commit, config.root, secrets) };
}

export async function commitAt(directory: string, ref: string, io: Io): Promise<GitCommit> {
  const repository = await findRepository(directory, io);
  return new GitCommit(repository, await resolveCommit(repository, ref));
}

async function findInCommit(commit: GitCommit, named: string | null, cwd: string): Promise<string | null> {
  const directory = await pathInWorkTree(commit.repository, named === null ? cwd : dirname(named));
  const parts = directory.split("/").filter((part) => part !== "");
  const above = parts.map((_, depth) => [...parts.slice(0, depth), configName].join("/")).reverse();
  const candidates = named === null ? [join(directory, configName), ...above] : [join(directory, basename(named))];
  await commit.list([asDirectory(directory), ...candidates]);
  const found = candidates.find((path) => (commit.entries.get(path)?.kind ?? "submodule") !== "submodule");
  return found === undefined ? null : join(commit.repository.workTree, found);
}

export async function loadDesired(context: CommandContext): Promise<readonly Manifest[]> {
  const { at, config, io } = context;
  const { manifests, diagnostics } = await loadManifests(loadOptions(context));
  if (diagnostics.some(({ severity }) => severity === "error")) throw new ManifestProblems(diagnostics, at?.ref);
  await showDiagnostics(diagnostics, io);
  const known = new Set<string>(manifests.map(({ address }) => address));
  // Probably a typo: what it should adopt would be created a second time.
  for (const address of config.fromFlags ? [] : Object.keys(config.adopt)) {
    if (!known.has(address)) io.log.warning(`adopt names ${address}, which no manifest describes`, { address });
  }
  return manifests;
}

/** A mistake that can be known here must not end an apply part-way. */
export function loadOptions(
  { at, config, flags, io }: CommandContext,
  tree: FileTree = at?.tree ?? diskTree(config.root),
): LoadOptions {
  return {
    ...config,
    tree,
    env: io.env,
    allowInlineSecrets: flags.allowInlineSecrets === true,
    trackedFiles: async (paths) => trackedFiles(paths, io),
    apiKeyFile: flags.apiKeyFile === undefined ? null : resolve(io.cwd, flags.apiKeyFile),
    complete: !config.fromFlags,
    deep: true,
    // A plan job has no secrets.
    plansUnavailable: true,
    now: io.now(),
    redactor: io.redactor,
    environments: config.environment === null ? config.environments : [],
  };
}
