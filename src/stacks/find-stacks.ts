import { createHash } from "node:crypto";
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, posix, resolve } from "node:path";
import { parseConfigFile, readConfigFile } from "../config/checked-file.js";
import { type Config, ConfigProblems, mergeObjects } from "../config/config.js";
import { configName, configTarget } from "../config/find-config.js";
import { loadConfig } from "../config/load-config.js";
import { EdgewiseError } from "../core/errors.js";
import { slug } from "../core/text.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import { slashedWay } from "../files/real-path.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { findRepository, pathInWorkTree } from "../git/find-repository.js";
import { GitCommit, changedPaths } from "../git/git-commit.js";
import type { GitHost } from "../git/run-git.js";
import { asDirectory, gitTree } from "../git/git-tree.js";
import { resolveBase } from "../git/resolve-commit.js";
import { type FileTree, FileProblem, diskTree } from "../manifest/file-tree.js";
import { loadManifests } from "../manifest/load-manifests.js";

export type Stack = Readonly<{
  config: string;
  directory: string;
  environment: string | null;
  /** Null = it comes from `--stack` or `EDGEWISE_STACK`. */
  stack: string | null;
  /** Null = it comes from `--base-url` or `EDGEWISE_BASE_URL`. */
  baseUrl: string | null;
  /** Letters, digits and dashes, different for each stack. */
  slug: string;
  changed?: readonly string[];
}>;

export interface BrokenStack extends Pick<Stack, "config" | "environment"> {
  readonly error: EdgewiseError;
}

export type FoundStacks = Readonly<{
  stacks: readonly Stack[];
  broken: readonly BrokenStack[];
}>;

type Unnamed = Omit<Stack, "slug">;

/** By the files alone, without flags and variables. */
export async function listStacks(cwd: string): Promise<FoundStacks> {
  const stacks: Unnamed[] = [];
  const broken: BrokenStack[] = [];
  for (const config of await findConfigurations(cwd))
    stacks.push(...(await stacksIn(config, cwd, (each) => broken.push(each))));
  return { stacks: withSlugs(stacks), broken };
}

async function configOf(cwd: string, { config, environment }: Pick<Stack, "config" | "environment">, text?: string) {
  const file = resolve(cwd, config);
  const flags = { config: file, allowInsecureHttp: true, ...(environment !== null && { environment }) };
  return loadConfig({ cwd, env: {}, flags, ...(text === undefined ? {} : { committed: { file, text } }) });
}

/** On disk, or as a commit has the configuration. */
async function stacksIn(
  config: string,
  cwd: string,
  onBroken: (broken: BrokenStack) => void,
  committed?: string,
): Promise<readonly Unnamed[]> {
  const attempt = async <T>(environment: string | null, reports: boolean, work: () => T | Promise<T>) => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EdgewiseError)) throw error;
      if (reports) onBroken({ config, environment, error: withWholePath(error, config) });
      return null;
    }
  };
  const file = resolve(cwd, config);
  const read = await attempt(null, true, () =>
    committed === undefined
      ? readConfigFile(file, configTarget(file, cwd, true))
      : parseConfigFile(committed, configName),
  );
  if (read === null) return [];
  const named = Object.keys(read.document.environments ?? {});
  // What is wrong with the bare configuration is wrong with an environment too, or set right there.
  const load = async (environment: string | null) =>
    attempt(environment, environment !== null || named.length === 0, async () => {
      const { api, stack } = await configOf(cwd, { config, environment }, committed);
      return { config, directory: posix.dirname(config), environment, stack, baseUrl: api.baseUrl };
    });
  const loaded: (Unnamed | null)[] = [];
  for (const name of named) loaded.push(await load(name));
  const environments = loaded.filter((each) => each !== null);
  const bare = await load(null);
  return bare !== null && (named.length === 0 || isOwnStack(bare, environments))
    ? [bare, ...environments]
    : environments;
}

/** Not where it lacks what its environments have, or is the same stack as one of them. */
function isOwnStack({ baseUrl, stack }: Unnamed, environments: readonly Unnamed[]) {
  return (
    stack !== null &&
    (baseUrl !== null || environments.some((each) => each.baseUrl === null)) &&
    !environments.some((each) => each.stack === stack && each.baseUrl === baseUrl)
  );
}

function withWholePath(error: EdgewiseError, config: string) {
  if (!(error instanceof ConfigProblems)) return error;
  const diagnostics = error.diagnostics.map((diagnostic) => ({ ...diagnostic, file: config }));
  return new ConfigProblems(config, diagnostics);
}

function withSlugs(stacks: readonly Unnamed[]) {
  const plain = stacks.map(plainSlug);
  return stacks.map((each, index) => {
    const own = plain[index] ?? "";
    if (plain.filter((other) => other === own).length === 1) return { ...each, slug: own };
    const exact = JSON.stringify([each.config, each.environment]);
    const checksum = createHash("sha256").update(exact).digest("hex").slice(0, 8);
    return { ...each, slug: `${own}-${checksum}` };
  });
}

function plainSlug({ directory, environment, stack }: Unnamed) {
  const parts = [directory === "." ? (environment === null ? stack : null) : directory, environment];
  const text = parts.filter((part) => part !== null).join("-");
  // Two dots in a row, and a `.lock` at the end, are no branches.
  return (slug(text) ?? "stack").replaceAll(/[._-]+/gu, "-");
}

/** Other repositories have pipelines of their own. */
async function findConfigurations(start: string) {
  const found: string[] = [];
  const pending = [""];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const path = join(start, directory);
    const entries = await readdir(path, { withFileTypes: true }).catch((cause: unknown) => {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
      const remedy = "Make it readable, or run this elsewhere.";
      throw new EdgewiseError("io", `the directory ${path} can't be read (${code})`, { remedy, cause });
    });
    if (directory !== "" && entries.some(({ name }) => name === ".git")) continue;
    for (const entry of entries) {
      const below = posix.join(directory, entry.name);
      if (entry.isDirectory() && isEntered(entry.name)) pending.push(below);
      else if (entry.name === configName && !entry.isDirectory()) found.push(below);
    }
  }
  return found.sort();
}

function isEntered(name: string) {
  return !name.startsWith(".") && name !== "node_modules";
}

/** What a plan reads is read in the work tree and at the merge base, or `direct` at the commit. */
export async function touchedStacks(
  { broken, stacks }: FoundStacks,
  ref: string,
  host: GitHost & Readonly<{ cwd: string }>,
  direct = false,
): Promise<Readonly<{ stacks: readonly Stack[]; removed: readonly RemovedStack[] }>> {
  const cwd = await realpath(host.cwd);
  const repository = await findRepository(cwd, host);
  const { commit } = await resolveBase(repository, ref, { direct });
  const base = new GitCommit(repository, commit);
  await base.list([asDirectory(await pathInWorkTree(repository, cwd))]);
  const comparison = { cwd, env: host.env, base, committed: await changedPaths(repository, commit) };
  const touched: Stack[] = [];
  for (const stack of stacks) {
    const changed = await changesOf(stack, comparison);
    if (changed.length > 0) touched.push({ ...stack, changed });
  }
  return { stacks: touched, removed: await removedStacks(stacks, broken, comparison) };
}

async function changesOf(stack: Stack, { cwd, env, base, committed }: Comparison) {
  const root = resolve(cwd, stack.directory);
  const [before, tree] = [await gitTree(base, root), diskTree(root)];
  const now = await recordReads(tree, await configOf(cwd, stack), env);
  const fromRepository = (path: string) => slashedWay(base.repository.workTree, path);
  const changed = new Set<string>();
  let complete = now.complete;

  const [old, text] = [await textAt(before, configName), await textAt(tree, configName)];
  if (old === null || text === null || configTouches(old, text, stack.environment)) changed.add(configName);
  if (old !== null) {
    const then = await configOf(cwd, stack, old).catch(unusable);
    const reads = then === null ? null : await recordReads(before, then, env);
    for (const path of reads === null ? [] : [...reads.files.keys(), ...now.files.keys()])
      if (reads?.files.get(path) !== now.files.get(path)) changed.add(path);
    complete &&= reads?.complete === true;
  }
  for (const secret of now.secrets) {
    // Plans don't read them: that they changed is known when Git has them.
    if (committed.has(fromRepository(secret))) changed.add(slashedWay(root, secret));
  }
  if (!complete) for (const path of pathsBelow(committed, fromRepository(root))) changed.add(path);
  return [...changed].map((path) => posix.join(stack.directory, path)).sort();
}

/** Its merged settings differ, or those of none do. */
function configTouches(old: string, now: string, environment: string | null) {
  if (old === now) return false;
  const [before, after] = [documentOf(old), documentOf(now)];
  if (before === null || after === null) return true;
  const differs = (name: string | null): boolean =>
    JSON.stringify(settingsOf(before, name)) !== JSON.stringify(settingsOf(after, name));
  const all = [null, ...Object.keys(after.environments ?? {})];
  return differs(environment) || !all.some(differs);
}

function settingsOf({ environments, ...bare }: ConfigDocument, environment: string | null) {
  if (environment === null) return bare;
  const own = environments ?? {};
  return Object.hasOwn(own, environment) ? mergeObjects(bare, own[environment] ?? {}) : null;
}

export type RemovedStack = Pick<Stack, "config" | "environment" | "baseUrl"> &
  Readonly<{
    stack: string;
    /** Null = configuration or environment are gone. */
    renamed: string | null;
    commit: string;
  }>;

/** Unless another configuration goes on: at the same address, or by `previousStacks`. */
async function removedStacks(present: readonly Stack[], broken: readonly BrokenStack[], comparison: Comparison) {
  const { base, committed, cwd } = comparison;
  const below = pathsBelow(committed, slashedWay(base.repository.workTree, cwd));
  const configs = below.filter(
    (path) => basename(path) === configName && path.split("/").slice(0, -1).every(isEntered),
  );
  const removed: RemovedStack[] = [];
  for (const config of configs.sort()) {
    if (broken.some((each) => each.config === config)) continue;
    const text = await textAt(await gitTree(base, dirname(join(cwd, config))), configName);
    const then = text === null ? [] : await stacksIn(config, cwd, () => {}, text);
    for (const { baseUrl, environment, stack } of then) {
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

type Comparison = Readonly<{
  cwd: string;
  env: GitHost["env"];
  base: GitCommit;
  committed: ReadonlySet<string>;
}>;

function pathsBelow(paths: ReadonlySet<string>, directory: string) {
  const prefix = asDirectory(directory);
  return [...paths].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}

async function textAt(tree: FileTree, path: string) {
  try {
    return (await tree.stat(path)) === "file" ? decodeUtf8(await tree.read(path)) : null;
  } catch (error) {
    if (error instanceof FileProblem) return null;
    throw error;
  }
}

function documentOf(text: string) {
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

/** Checksums by path, and secrets. Not `complete` = a manifest with an error may name more. */
async function recordReads(tree: FileTree, config: Config, env: GitHost["env"]) {
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
