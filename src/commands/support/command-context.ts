import { basename, dirname, join, resolve } from "node:path";
import type { Config, ConfigInput } from "../../config/config.js";
import { configName, findConfig } from "../../config/find-config.js";
import { loadConfig } from "../../config/load-config.js";
import { setting } from "../../config/setting.js";
import { EdgewiseError } from "../../core/errors.js";
import { commitSecrets } from "../../git/commit-secrets.js";
import { findRepository, pathInWorkTree, realPathOf } from "../../git/find-repository.js";
import { GitCommit } from "../../git/git-commit.js";
import { asDirectory, configAt, gitTree } from "../../git/git-tree.js";
import { resolveCommit } from "../../git/resolve-commit.js";
import type { FileTree } from "../../manifest/file-tree.js";
import { type ShownCommit, commitWords } from "../../plan/plan-format.js";
import { type CommandIo, type Io, showDiagnostics } from "./command-io.js";
import type { CommonFlags } from "./command-options.js";

export interface CommandContext<F extends CommonFlags = CommonFlags> {
  readonly flags: F;
  readonly config: Config;
  /** The commit of `--ref`, which configuration and manifests are read from; null = they are read from the disk. */
  readonly at: CommitSource | null;
  readonly io: CommandIo;
  /** The run of this process in the account's lock: its own lock is nothing to warn of. */
  readonly lockRun?: string;
  /** Aborted when a run that may write is interrupted; nothing more is planned then. Others end at once. */
  readonly stop?: AbortSignal;
}

/** Loads the configuration; its warnings go to stderr. */
export async function loadContext<F extends CommonFlags>(
  flags: F,
  io: CommandIo,
  { offline = false }: { readonly offline?: boolean } = {},
): Promise<CommandContext<F>> {
  const { config, at } = await loadSource(flags, io, offline, (shown) =>
    io.log.info(`Reading configuration and manifests of ${commitWords(shown)}.`, { ...shown }),
  );
  await showDiagnostics(config.warnings, io);
  return { flags, config, at, io: { ...io, root: config.root } };
}

export function requireStack(context: Unconfigured): string {
  if (context.config.stack !== null) return context.config.stack;
  const what = "no stack is configured, so edgewise can't tell which resources it owns";
  return unconfigured(context, what, "`stack: NAME`", "give --stack or EDGEWISE_STACK");
}

export function requireBaseUrl(context: Unconfigured): string {
  if (context.config.api.baseUrl !== null) return context.config.api.baseUrl;
  const instead = "give --base-url or EDGEWISE_BASE_URL";
  return unconfigured(context, "no API base URL is configured", "`api: {baseUrl: https://…}`", instead);
}

/** The error for a configuration that lacks something without an environment: a choice of the ones that it has. */
export function noEnvironment(lacking: string, names: readonly string[]): EdgewiseError {
  return new EdgewiseError("config", `no environment is chosen, and without one ${lacking}`, {
    remedy: `Choose ${names.map((name) => `-e ${name}`).join(" or ")}.`,
  });
}

type Unconfigured = Pick<CommandContext, "config" | "at" | "io">;

/**
 * The error for something that the configuration lacks; without any configuration, that is what it says.
 * @param inFile what to put into the file
 * @param instead what to do otherwise
 */
export function unconfigured({ at, config, io }: Unconfigured, what: string, inFile: string, instead: string): never {
  if (config.environment === null && config.environments.length > 0) throw noEnvironment(what, config.environments);
  if (config.file === null && at === null) {
    throw new EdgewiseError("config", `${what}: there is no ${configName} in ${io.cwd} or above it`, {
      remedy: `\`edgewise init\` writes one, with a first manifest. Or ${instead}.`,
    });
  }
  const remedy = `Put ${inFile} into ${config.file ?? configName}, or ${instead}.`;
  throw new EdgewiseError("config", what, { remedy });
}

/** The commit that `--ref` names, and its files below the configuration's root. */
export interface CommitSource extends ShownCommit {
  readonly tree: FileTree;
}

/**
 * Loads the configuration: from the disk, or with `--ref` from that commit, where the same file is searched for. Both obey
 * the same rules of flags, of the environment and of base URLs.
 * @param offline whether the command never contacts the service
 * @param onCommit called with the commit before anything of it is read
 * @returns `at`: the commit; null = from the disk
 */
export async function loadSource(
  flags: CommonFlags,
  io: Io,
  offline = false,
  onCommit: (shown: ShownCommit) => void = () => {},
): Promise<{ readonly config: Config; readonly at: CommitSource | null }> {
  const { ref } = flags;
  if (ref === undefined) return { config: await loadConfig({ cwd: io.cwd, env: io.env, flags, offline }), at: null };
  // Git knows real paths only.
  const input = { cwd: await realPathOf(io.cwd), env: io.env, flags, offline };
  const named = setting(flags.config, "--config", io.env, "EDGEWISE_CONFIG");
  const path = named === null ? null : resolve(input.cwd, named.value);
  const repository = await findRepository(path === null ? input.cwd : dirname(path), io);
  const commit = new GitCommit(repository, await resolveCommit(repository, ref));
  onCommit({ commit: commit.id, ref });
  const file = await findInCommit(commit, ref, path, input);
  const root = file === null ? input.cwd : dirname(file);
  const apiKeyFile = flags.apiKeyFile === undefined ? null : resolve(io.cwd, flags.apiKeyFile);
  const tree = await gitTree(commit, root, commitSecrets(commit, apiKeyFile));
  const text = file === null ? null : await configAt(commit, file);
  const committed = file === null || text === null ? null : { file, text };
  return { config: await loadConfig({ ...input, committed }), at: { ref, commit: commit.id, tree } };
}

/**
 * The absolute path of the configuration in a commit: the named one, else the nearest `edgewise.yaml` upward. Null when
 * there is none, and none is needed: with `-f`, and none on disk either.
 */
async function findInCommit(
  commit: GitCommit,
  ref: string,
  named: string | null,
  input: ConfigInput,
): Promise<string | null> {
  const directory = await pathInWorkTree(commit.repository, named === null ? input.cwd : dirname(named));
  const parts = directory.split("/").filter((part) => part !== "");
  const above = parts.map((_, depth) => [...parts.slice(0, depth), configName].join("/")).reverse();
  const candidates = named === null ? [join(directory, configName), ...above] : [join(directory, basename(named))];
  // Most often the directory is also the root of the manifests.
  await commit.list([asDirectory(directory), ...candidates]);
  const found = candidates.find((path) => {
    const entry = commit.entries.get(path);
    return entry !== undefined && entry.kind !== "submodule";
  });
  if (found !== undefined) return join(commit.repository.workTree, found);
  if (named === null && findConfig(input) === null && (input.flags.file?.length ?? 0) > 0) return null;
  const where = named === null ? `${configName} for this directory` : named;
  throw new EdgewiseError("config", `${commitWords({ commit: commit.id, ref })} holds no configuration ${where}`, {
    remedy: "Name a commit that holds it; or with -c the path that it had there.",
  });
}
