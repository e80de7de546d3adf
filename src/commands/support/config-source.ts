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
import type { CommonFlags } from "./command-options.js";
import type { Io } from "./io.js";

/** The commit that `--ref` names, and its files below the configuration's root. */
export interface CommitSource extends ShownCommit {
  readonly tree: FileTree;
}

/** A configuration and where it and its manifests are read from. */
export interface LoadedSource {
  readonly config: Config;
  /** Null = from the disk. */
  readonly at: CommitSource | null;
}

export interface SourceOptions {
  /** Whether the command never contacts the service. */
  readonly offline?: boolean;
  /** Called with the commit before anything of it is read. */
  readonly onCommit?: (shown: ShownCommit) => void;
}

/**
 * Loads the configuration: from the disk, or with `--ref` from that commit, where the same file is searched for. Both obey
 * the same rules of flags, of the environment and of base URLs.
 * @throws ConfigProblems, EdgewiseError `config` or `git`
 */
export async function loadSource(
  flags: CommonFlags,
  io: Io,
  { offline = false, onCommit }: SourceOptions = {},
): Promise<LoadedSource> {
  const { ref } = flags;
  if (ref === undefined) return { config: await loadConfig({ cwd: io.cwd, env: io.env, flags, offline }), at: null };
  // Git knows real paths only.
  const input = { cwd: await realPathOf(io.cwd), env: io.env, flags, offline };
  const named = setting(flags.config, "--config", io.env, "EDGEWISE_CONFIG");
  const path = named === null ? null : resolve(input.cwd, named.value);
  const repository = await findRepository(path === null ? input.cwd : dirname(path), io);
  const commit = new GitCommit(repository, await resolveCommit(repository, ref));
  onCommit?.({ commit: commit.id, ref });
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
 * @throws EdgewiseError `config` when the commit doesn't hold it
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
