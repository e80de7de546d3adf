import { configName, findConfig } from "../../config/find-config.js";
import { entriesAt, listCommit } from "../../git/list-commit.js";
import { commitSecrets } from "../../git/commit-secrets.js";
import { gitTree, pathInWorkTree } from "../../git/git-tree.js";
import { resolveCommit } from "../../git/resolve-commit.js";
import { findRepository, realPathOf } from "../../git/find-repository.js";
import { basename, dirname, join, resolve } from "node:path";
import type { Config, ConfigInput } from "../../config/config.js";
import { loadConfig } from "../../config/load-config.js";
import { setting } from "../../config/setting.js";
import { EdgewiseError } from "../../core/errors.js";
import type { Repository } from "../../git/run-git.js";
import type { FileTree } from "../../manifest/file-tree.js";
import { type ShownCommit, commitWords } from "../../plan/plan-format.js";
import { shellWord } from "../../core/shell-word.js";
import { configAt, isFile } from "./committed-config.js";
import type { CommonFlags } from "./command-options.js";
import type { Io } from "./io.js";
import { gitHost } from "./provenance.js";

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
 * Loads the configuration: with `--ref` from that commit, where the same file is searched for as on disk, and else from
 * the disk. Both obey the same rules: those of flags, of the environment and of base URLs, too.
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
  const named = namedConfig(input);
  const repository = await findRepository(named === null ? input.cwd : dirname(named), gitHost(io));
  const commit = await resolveCommit(repository, ref);
  onCommit?.({ commit, ref });
  const namedReal = named === null ? null : join(await realPathOf(dirname(named)), basename(named));
  const file = await findInCommit({ repository, commit, ref }, namedReal, input);
  const apiKeyFile = flags.apiKeyFile === undefined ? null : resolve(io.cwd, flags.apiKeyFile);
  const root = file === null ? input.cwd : dirname(file);
  const tree = await gitTree(repository, commit, root, commitSecrets(repository, commit, apiKeyFile));
  const text = file === null ? null : await configAt(repository, commit, file);
  const committed = file === null || text === null ? null : { file, text };
  return { config: await loadConfig({ ...input, committed }), at: { ref, commit, tree } };
}

/** The configuration that a flag or variable names, absolute. */
function namedConfig({ cwd, env, flags }: ConfigInput): string | null {
  const named = setting(flags.config, "--config", env, "EDGEWISE_CONFIG");
  return named === null ? null : resolve(cwd, named.value);
}

interface NamedCommit {
  readonly repository: Repository;
  readonly commit: string;
  readonly ref: string;
}

/**
 * The absolute path of the configuration in a commit: the named one, else the nearest `edgewise.yaml` upward. Null when
 * there is none, and none is needed: with `-f`, and none on disk either.
 * @throws EdgewiseError `config` when the commit doesn't hold it
 */
async function findInCommit(at: NamedCommit, named: string | null, input: ConfigInput): Promise<string | null> {
  const { repository, commit } = at;
  const candidates: string[] = [];
  if (named !== null) candidates.push(await pathInWorkTree(repository, named));
  else {
    const parts = (await pathInWorkTree(repository, input.cwd)).split("/").filter((part) => part !== "");
    for (let depth = parts.length; depth >= 0; depth -= 1)
      candidates.push([...parts.slice(0, depth), configName].join("/"));
  }
  const held = await entriesAt(repository, commit, candidates);
  const found = candidates.find((path) => isFile(held.get(path)));
  if (found !== undefined) return join(repository.workTree, found);
  const onDisk = named ?? findConfig(input);
  if (onDisk === null && (input.flags.file?.length ?? 0) > 0) return null;
  const wanted = named === null && onDisk !== null ? await pathInWorkTree(repository, onDisk) : candidates[0];
  throw await notCommitted(at, wanted ?? configName, named !== null);
}

/** Names the configurations that the commit does hold: a later commit may have moved it. */
async function notCommitted(at: NamedCommit, path: string, named: boolean): Promise<EdgewiseError> {
  const { repository, commit, ref } = at;
  // A repository that is too large for a list of its files still has a name for what is missing.
  const held = await listCommit(repository, commit, "").catch(() => new Map<string, unknown>());
  const others = [...held.keys()]
    .filter((each) => basename(each) === basename(path) || basename(each) === configName)
    .slice(0, 3);
  const [first] = others;
  const remedy =
    first === undefined
      ? "Name a commit that holds it."
      : `The commit holds ${others.join(", ")}: ${named ? "name it" : "run in its directory, or name it"} with -c ${shellWord(join(repository.workTree, first))}.`;
  const where = named ? "" : " for this directory";
  return new EdgewiseError("config", `${commitWords({ commit, ref })} holds no configuration ${path}${where}`, {
    remedy,
  });
}
