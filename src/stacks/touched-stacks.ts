import { basename, dirname, posix, relative, resolve, sep } from "node:path";
import { realpath } from "node:fs/promises";
import { mergeObjects } from "../config/config.js";
import { EdgewiseError } from "../core/errors.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { GitCommit, changedPaths } from "../git/git-commit.js";
import { findRepository, pathInWorkTree } from "../git/find-repository.js";
import { asDirectory, gitTree } from "../git/git-tree.js";
import type { GitHost } from "../git/git-program.js";
import { resolveBase, resolveCommit } from "../git/resolve-commit.js";
import { diskTree } from "../manifest/disk-tree.js";
import type { FileTree } from "../manifest/file-tree.js";
import { type Comparison, documentOf, pathsBelow, textAt, unusable } from "./compared-commit.js";
import { type FoundStacks, type Stack, configOf } from "./list-stacks.js";
import { recordReads } from "./read-record.js";
import { type RemovedStack, removedStacks } from "./removed-stacks.js";

interface TouchedOptions {
  readonly cwd: string;
  readonly ref: string;
  readonly host: GitHost;
  /** Whether `ref` itself is compared with, wherever HEAD is; absent = the merge base, as in `plan --base`. */
  readonly direct?: boolean;
}

/** What a plan reads of each stack is read at that commit and in the work tree. */
export async function touchedStacks(
  { broken, stacks }: FoundStacks,
  { cwd, direct = false, ref, host }: TouchedOptions,
): Promise<{ readonly stacks: readonly Stack[]; readonly removed: readonly RemovedStack[] }> {
  try {
    const repository = await findRepository(cwd, host);
    const id = direct ? await resolveCommit(repository, ref) : (await resolveBase(repository, ref)).mergeBase;
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
  const fromRepository = (path: string): string => relative(base.repository.workTree, path).split(sep).join("/");
  const changed = new Set<string>();
  let complete = now.complete;

  const old = await textAt(before, basename(file));
  const text = await textAt(diskTree(root), basename(file));
  if (old === null || text === null || configTouches(old, text, stack.environment)) changed.add(basename(file));
  if (old !== null) {
    const then = await configOf(cwd, stack, old).catch(unusable);
    const reads = then === null ? null : await recordReads(before, then, env);
    // The files that only one of them read, or that have another content.
    for (const path of reads === null ? [] : [...reads.files.keys(), ...now.files.keys()])
      if (reads?.files.get(path) !== now.files.get(path)) changed.add(path);
    complete &&= reads?.complete === true;
  }
  for (const secret of now.secrets) {
    // A plan does not read them, and Git should not have them; but when it has, a commit tells that they changed.
    if (committed.has(fromRepository(secret))) changed.add(relative(root, secret).split(sep).join("/"));
  }
  if (!complete) for (const path of pathsBelow(committed, fromRepository(root))) changed.add(path);
  return [...changed].map((path) => posix.join(stack.directory, path)).sort();
}

/** Its merged settings differ; or those of none, as a change of a comment. */
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

/** Git's errors name `--base` and `--ref`, which most commands call it. */
function inWordsOfTheFlag({ code, message, options }: EdgewiseError): EdgewiseError {
  const words = (text: string): string => text.replaceAll(/--base(?: and --ref)?/gu, "--changed-since");
  const remedy = options.remedy === undefined ? {} : { remedy: words(options.remedy) };
  return new EdgewiseError(code, words(message), { ...options, ...remedy });
}
