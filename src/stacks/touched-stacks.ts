import { basename, dirname, posix, relative, resolve, sep, join } from "node:path";
import { realpath } from "node:fs/promises";
import { mergeObjects, type Config } from "../config/config.js";
import { EdgewiseError } from "../core/errors.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { GitCommit, changedPaths } from "../git/git-commit.js";
import { findRepository, pathInWorkTree } from "../git/find-repository.js";
import { asDirectory, gitTree } from "../git/git-tree.js";
import type { GitHost } from "../git/git-program.js";
import { resolveBase } from "../git/resolve-commit.js";
import { diskTree } from "../manifest/disk-tree.js";
import { type FileTree, FileProblem } from "../manifest/file-tree.js";
import {
  type FoundStacks,
  type Stack,
  configOf,
  configName,
  isEntered,
  type BrokenStack,
  stacksOf,
} from "./list-stacks.js";
import { parseConfigFile } from "../config/checked-file.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import { loadManifests } from "../manifest/load-manifests.js";
import { createHash } from "node:crypto";

type TouchedOptions = Readonly<{
  cwd: string;
  ref: string;
  host: GitHost;
  /** Absent = with the merge base, as in `plan --base`. */
  direct?: boolean;
}>;

/** What a plan reads is read at that commit and in the work tree. */
export async function touchedStacks(
  { broken, stacks }: FoundStacks,
  { cwd, direct = false, ref, host }: TouchedOptions,
): Promise<Readonly<{ stacks: readonly Stack[]; removed: readonly RemovedStack[] }>> {
  try {
    const repository = await findRepository(cwd, host);
    const { commit: id } = await resolveBase(repository, ref, { direct });
    const base = new GitCommit(repository, id);
    const real = await realpath(cwd);
    await base.list([asDirectory(await pathInWorkTree(repository, real))]);
    const comparison = { cwd: real, env: host.env, base, committed: await changedPaths(repository, id) };
    const trees = new Map<string, FileTree>();
    const touched: Stack[] = [];
    for (const stack of stacks) {
      const root = resolve(comparison.cwd, stack.directory);
      const before = trees.get(root) ?? (await gitTree(base, root));
      trees.set(root, before);
      const changed = await changesOf(stack, before, comparison);
      if (changed.length > 0) touched.push({ ...stack, changed });
    }
    return { stacks: touched, removed: await removedStacks(stacks, broken, comparison) };
  } catch (error) {
    throw error instanceof EdgewiseError && error.code === "git" ? inWordsOfTheFlag(error) : error;
  }
}

async function changesOf(stack: Stack, before: FileTree, comparison: Comparison): Promise<readonly string[]> {
  const { cwd, env, base, committed } = comparison;
  const file = resolve(cwd, stack.config);
  const root = dirname(file);
  const now = await recordReads(diskTree(root), await configOf(cwd, stack), env);
  const fromRepository = (path: string) => slashed(base.repository.workTree, path);
  const changed = new Set<string>();
  let complete = now.complete;

  const old = await textAt(before, basename(file));
  const text = await textAt(diskTree(root), basename(file));
  if (old === null || text === null || configTouches(old, text, stack.environment)) changed.add(basename(file));
  if (old !== null) {
    const then = await configOf(cwd, stack, old).catch(unusable);
    const reads = then === null ? null : await recordReads(before, then, env);
    // Files that only one of them read, or that differ.
    for (const path of reads === null ? [] : [...reads.files.keys(), ...now.files.keys()])
      if (reads?.files.get(path) !== now.files.get(path)) changed.add(path);
    complete &&= reads?.complete === true;
  }
  for (const secret of now.secrets) {
    // Plans don't read them, and Git should not have them; when it has, a commit tells that they changed.
    if (committed.has(fromRepository(secret))) changed.add(slashed(root, secret));
  }
  if (!complete) for (const path of pathsBelow(committed, fromRepository(root))) changed.add(path);
  return [...changed].map((path) => posix.join(stack.directory, path)).sort();
}

/** Its merged settings differ; or those of none do, as for a comment. */
function configTouches(old: string, now: string, environment: string | null): boolean {
  if (old === now) return false;
  const [before, after] = [documentOf(old), documentOf(now)];
  if (before === null || after === null) return true;
  const differs = (name: string | null): boolean =>
    JSON.stringify(settingsOf(before, name)) !== JSON.stringify(settingsOf(after, name));
  const all = [null, ...Object.keys(after.environments ?? {})];
  return differs(environment) || !all.some(differs);
}

function settingsOf({ environments, ...bare }: ConfigDocument, environment: string | null): unknown {
  if (environment === null) return bare;
  const own = environments ?? {};
  return Object.hasOwn(own, environment) ? mergeObjects(bare, own[environment] ?? {}) : null;
}

/** Git's errors name `--base` and `--ref`. */
function inWordsOfTheFlag({ code, message, options }: EdgewiseError): EdgewiseError {
  const words = (text: string) => text.replaceAll(/--base(?: and --ref)?/gu, "--changed-since");
  const remedy = options.remedy === undefined ? {} : { remedy: words(options.remedy) };
  return new EdgewiseError(code, words(message), { ...options, ...remedy });
}

export type RemovedStack = Pick<Stack, "config" | "environment" | "baseUrl"> &
  Readonly<{
    stack: string;
    /** Null = configuration or environment are gone. */
    renamed: string | null;
    commit: string;
  }>;

/** Unless another configuration goes on: at the same address, or by `previousStacks`. */
async function removedStacks(
  present: readonly Stack[],
  broken: readonly BrokenStack[],
  comparison: Comparison,
): Promise<readonly RemovedStack[]> {
  const { base, committed, cwd } = comparison;
  const below = pathsBelow(committed, slashed(base.repository.workTree, cwd));
  const configs = below.filter(
    (path) => basename(path) === configName && path.split("/").slice(0, -1).every(isEntered),
  );
  const removed: RemovedStack[] = [];
  for (const config of configs.sort()) {
    if (broken.some((each) => each.config === config)) continue;
    for (const { baseUrl, environment, stack } of await stacksThen(config, comparison)) {
      if (stack === null) continue;
      const now = present.find((each) => each.config === config && each.environment === environment);
      const heirs = present.filter((each) => each === now || each.baseUrl === baseUrl);
      const goOn = heirs.map(async (heir) => {
        return heir.stack === stack || (await configOf(cwd, heir)).previousStacks.includes(stack);
      });
      if (now?.stack === null || (await Promise.all(goOn)).includes(true)) continue;
      removed.push({ config, environment, stack, baseUrl, renamed: now?.stack ?? null, commit: base.id });
    }
  }
  return removed;
}

/** None when it had an error, or was not there. */
async function stacksThen(
  config: string,
  { base, cwd }: Comparison,
): Promise<readonly Pick<Stack, "environment" | "stack" | "baseUrl">[]> {
  const text = await textAt(await gitTree(base, dirname(join(cwd, config))), configName);
  const document = text === null ? null : documentOf(text);
  if (text === null || document === null) return [];
  return stacksOf(Object.keys(document.environments ?? {}), async (environment) => {
    const then = await configOf(cwd, { config, environment }, text).catch(unusable);
    return then === null ? null : { environment, stack: then.stack, baseUrl: then.api.baseUrl };
  });
}

type Comparison = Readonly<{
  cwd: string;
  env: GitHost["env"];
  base: GitCommit;
  committed: ReadonlySet<string>;
}>;

function slashed(from: string, to: string): string {
  return relative(from, to).split(sep).join("/");
}

/** "" is the repository's root. */
function pathsBelow(paths: ReadonlySet<string>, directory: string): readonly string[] {
  const prefix = asDirectory(directory);
  return [...paths].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}

async function textAt(tree: FileTree, path: string): Promise<string | null> {
  try {
    return (await tree.stat(path)) === "file" ? decodeUtf8(await tree.read(path)) : null;
  } catch (error) {
    // Links are not followed in a commit.
    if (error instanceof FileProblem) return null;
    throw error;
  }
}

function documentOf(text: string): ConfigDocument | null {
  try {
    return parseConfigFile(text, "edgewise.yaml").document;
  } catch (error) {
    return unusable(error);
  }
}

/** This change may have corrected it. */
function unusable(error: unknown): null {
  if (error instanceof EdgewiseError) return null;
  throw error;
}

type ReadRecord = Readonly<{
  /** Checksums, by path from the root. */
  files: ReadonlyMap<string, string>;
  secrets: ReadonlySet<string>;
  /** A manifest with an error may name more. */
  complete: boolean;
}>;

async function recordReads(tree: FileTree, config: Config, env: GitHost["env"]): Promise<ReadRecord> {
  const files = new Map<string, string>();
  const secrets = new Set<string>();
  const recording: FileTree = {
    ...tree,
    read: async (path) => {
      const bytes = await tree.read(path);
      files.set(path, createHash("sha256").update(bytes).digest("hex"));
      return bytes;
    },
    readSecret: () => ({ available: false, reason: "only what changed is looked for" }),
    // Called for every secret file that a manifest names.
    secretAccess: (path) => {
      secrets.add(path);
      return { error: null, warning: null };
    },
  };
  const read = { ...config, tree: recording, env, environments: [] };
  const lenient = { allowInlineSecrets: true, apiKeyFile: null, complete: false, deep: false, plansUnavailable: true };
  const { diagnostics } = await loadManifests({ ...read, ...lenient });
  const errors = diagnostics.filter(({ severity, code }) => severity === "error" && code !== "pattern-no-match");
  return { files, secrets, complete: errors.length === 0 };
}
