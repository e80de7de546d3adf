import { basename, dirname, join, resolve } from "node:path";
import type { Config, ConfigInput } from "../../config/config.js";
import { configName, findConfig } from "../../config/find-config.js";
import { loadConfig } from "../../config/load-config.js";
import { setting } from "../../config/setting.js";
import { EdgewiseError } from "../../core/errors.js";
import { limits } from "../../core/limits.js";
import { commitSecrets } from "../../git/commit-secrets.js";
import { findRepository, realPathOf } from "../../git/find-repository.js";
import type { GitHost } from "../../git/git-program.js";
import { gitTree, pathInWorkTree } from "../../git/git-tree.js";
import { type CommitEntry, entriesAt } from "../../git/list-commit.js";
import { configText, readBlobs } from "../../git/read-blobs.js";
import { resolveCommit } from "../../git/resolve-commit.js";
import type { Repository } from "../../git/run-git.js";
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

/** What running git needs to know of this process. */
export function gitHost(io: Pick<Io, "env">): GitHost {
  return { env: io.env, platform: process.platform };
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
  const repository = await findRepository(path === null ? input.cwd : dirname(path), gitHost(io));
  const commit = await resolveCommit(repository, ref);
  onCommit?.({ commit, ref });
  const file = await findInCommit(repository, { commit, ref }, path, input);
  const root = file === null ? input.cwd : dirname(file);
  const apiKeyFile = flags.apiKeyFile === undefined ? null : resolve(io.cwd, flags.apiKeyFile);
  const tree = await gitTree(repository, commit, root, commitSecrets(repository, commit, apiKeyFile));
  const text = file === null ? null : await configAt(repository, commit, file);
  const committed = file === null || text === null ? null : { file, text };
  return { config: await loadConfig({ ...input, committed }), at: { ref, commit, tree } };
}

/**
 * The absolute path of the configuration in a commit: the named one, else the nearest `edgewise.yaml` upward. Null when
 * there is none, and none is needed: with `-f`, and none on disk either.
 * @throws EdgewiseError `config` when the commit doesn't hold it
 */
async function findInCommit(
  repository: Repository,
  shown: ShownCommit,
  named: string | null,
  input: ConfigInput,
): Promise<string | null> {
  const candidates: string[] = [];
  if (named !== null) {
    const real = join(await realPathOf(dirname(named)), basename(named));
    candidates.push(await pathInWorkTree(repository, real));
  } else {
    const parts = (await pathInWorkTree(repository, input.cwd)).split("/").filter((part) => part !== "");
    for (let depth = parts.length; depth >= 0; depth -= 1)
      candidates.push([...parts.slice(0, depth), configName].join("/"));
  }
  const held = await entriesAt(repository, shown.commit, candidates);
  const found = candidates.find((path) => isFile(held.get(path)));
  if (found !== undefined) return join(repository.workTree, found);
  if (named === null && findConfig(input) === null && (input.flags.file?.length ?? 0) > 0) return null;
  const where = named === null ? `${configName} for this directory` : named;
  throw new EdgewiseError("config", `${commitWords(shown)} holds no configuration ${where}`, {
    remedy: "Name a commit that holds it; or with -c the path that it had there.",
  });
}

/**
 * The text of a configuration in a commit, which may be a link to another file of the repository, as on disk. Null when the
 * commit doesn't hold it.
 * @param file absolute
 * @throws EdgewiseError `config` when it can't be a configuration
 */
export async function configAt(repository: Repository, commit: string, file: string): Promise<string | null> {
  // The path of the link itself: what it leads to on disk may be something else.
  const path = join(await pathInWorkTree(repository, dirname(file)), basename(file));
  const entry = (await entriesAt(repository, commit, [path])).get(path);
  if (!isFile(entry)) return null;
  const bytes =
    entry.kind === "link"
      ? await (await gitTree(repository, commit, repository.workTree)).read(path)
      : (await readBlobs(repository, [entry.object], limits.configBytes)).get(entry.object);
  return configText(bytes, path, commit);
}

/** Whether a commit holds the content: that of a submodule is elsewhere. */
function isFile(entry: CommitEntry | undefined): entry is CommitEntry {
  return entry !== undefined && entry.kind !== "submodule";
}
