import { relative } from "node:path";
import type { Code } from "./codes.js";
import { FileProblem } from "./file-tree.js";
import type { FileTree, TreeFile } from "./file-tree.js";
import { expandBraces, isGlob, matchesGlob, staticPrefix } from "./glob.js";
import { treePath } from "./tree-path.js";

/** A pattern that can't be used, and why. */
export interface PatternProblem {
  readonly pattern: string;
  readonly code: Code;
  readonly message: string;
  readonly remedy?: string;
}

/**
 * The manifest files that patterns stand for, each once, sorted by path. A pattern is a file, a directory
 * (read recursively, `*.yaml` and `*.yml`) or a glob, whose matches are such files or directories.
 * A pattern that matches nothing is a problem: a mistyped one must not look like an empty stack.
 * @param base absolute; patterns are relative to it
 */
export async function findFiles(
  tree: FileTree,
  patterns: readonly string[],
  base: string,
): Promise<{ readonly files: readonly string[]; readonly problems: readonly PatternProblem[] }> {
  const byIdentity = new Map<string, string>();
  const problems: PatternProblem[] = [];
  for (const pattern of patterns) {
    try {
      const found = await filesOf(tree, pattern, relative(tree.root, base));
      if (found.length === 0) problems.push(nothing(pattern));
      for (const { identity, path } of found) {
        const known = byIdentity.get(identity);
        if (known === undefined || path < known) byIdentity.set(identity, path);
      }
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      problems.push(fromFileProblem(pattern, error));
    }
  }
  return { files: [...byIdentity.values()].sort(), problems };
}

async function filesOf(tree: FileTree, pattern: string, base: string): Promise<readonly TreeFile[]> {
  const path = treePath(tree.root, base, pattern);
  // A file or directory whose name looks like a glob is itself.
  const kind = await tree.stat(path);
  if (kind === "directory") return (await tree.list(path)).filter(isYaml);
  if (kind === "file") return [{ path, identity: await tree.identity(path) }];
  if (!isGlob(pattern)) return [];
  const found: TreeFile[] = [];
  for (const glob of expandBraces(pattern)) found.push(...(await matching(tree, treePath(tree.root, base, glob))));
  return found;
}

async function matching(tree: FileTree, glob: string): Promise<readonly TreeFile[]> {
  if (!isGlob(glob)) return filesOf(tree, glob, "");
  const prefix = staticPrefix(glob);
  if ((await tree.stat(prefix)) !== "directory") return [];
  const ownExtension = hasExtension(glob);
  return (await tree.list(prefix)).filter(
    (file) =>
      ((ownExtension || isYaml(file)) && matchesGlob(glob, file.path)) ||
      (isYaml(file) && matchesGlob(`${glob}/**`, file.path)),
  );
}

/** Whether a glob says how the names that it matches end. */
function hasExtension(glob: string): boolean {
  const from = Math.max(glob.lastIndexOf("/"), glob.lastIndexOf("*"), glob.lastIndexOf("?")) + 1;
  const dot = glob.indexOf(".", from);
  return dot !== -1 && dot < glob.length - 1;
}

function isYaml({ path }: TreeFile): boolean {
  return /\.ya?ml$/u.test(path);
}

function nothing(pattern: string): PatternProblem {
  return {
    pattern,
    code: "pattern-no-match",
    message: `the pattern ${JSON.stringify(pattern)} matches no manifest`,
    remedy: "Check its spelling and what it is relative to, or take it out of `manifests`.",
  };
}

function fromFileProblem(pattern: string, problem: FileProblem): PatternProblem {
  return {
    pattern,
    code: problem.reason,
    message: `the pattern ${JSON.stringify(pattern)} can't be used: ${problem.message}`,
    ...(problem.remedy === null ? {} : { remedy: problem.remedy }),
  };
}
