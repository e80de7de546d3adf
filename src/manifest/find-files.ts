import { join, relative } from "node:path";
import { suggest } from "../diagnostics/suggest.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { isKeyLike } from "../key-like.js";
import { limits } from "../limits.js";
import { FileProblem, type FileTree, type TreeFile, treePath } from "./file-tree.js";
import { expandBraces, isGlob, matchesGlob, staticPrefix } from "./glob.js";

/** A pattern that can't be used, and why. */
export interface PatternProblem extends Pick<Problem, "code" | "message" | "remedy"> {
  readonly pattern: string;
}

/**
 * The manifest files that patterns match, each once, sorted by path. A pattern is a file, a directory (read
 * recursively, `*.yaml` and `*.yml`) or a glob that matches such files or directories. A pattern without a match is a
 * problem: a mistyped one must not look like an empty stack.
 * @param base absolute; patterns are relative to it
 * @param configured whether they are those of the configuration
 */
export async function findFiles(
  tree: FileTree,
  patterns: readonly string[],
  base: string,
  configured = false,
): Promise<{ readonly files: readonly string[]; readonly problems: readonly PatternProblem[] }> {
  const byIdentity = new Map<string, string>();
  const problems: PatternProblem[] = [];
  const search = new ManifestSearch(tree);
  for (const pattern of patterns) {
    try {
      const found = await search.filesOf(pattern, relative(tree.root, base));
      if (found.length === 0) problems.push(await noMatch(pattern, base, tree, configured));
      for (const { identity, path } of found) {
        const known = byIdentity.get(identity);
        if (known === undefined || path < known) byIdentity.set(identity, path);
      }
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      problems.push(unusablePattern(shown(pattern), error));
    }
  }
  return { files: [...byIdentity.values()].sort(), problems };
}

/** One search for manifests: each directory is listed once, and all patterns share one limit. */
class ManifestSearch {
  readonly #lists = new Map<string, Promise<readonly TreeFile[]>>();
  #globs = 0;
  #steps = 0;

  constructor(private readonly tree: FileTree) {}

  async filesOf(pattern: string, base: string): Promise<readonly TreeFile[]> {
    if (pattern.length > limits.patternLength) {
      throw tooLarge(`it has ${pattern.length} characters, more than ${limits.patternLength}`);
    }
    const { root } = this.tree;
    const path = treePath(root, base, pattern);
    // A name that looks like a glob may be that of an existing file or directory.
    const kind = await this.tree.stat(path);
    if (kind === "directory") return (await this.#list(path)).filter(isYaml);
    if (kind === "file") return [{ path, identity: await this.tree.identity(path) }];
    if (!isGlob(pattern)) return [];
    const globs = expandBraces(pattern, limits.globs - this.#globs);
    if (globs === null) {
      throw tooLarge(`with it, the patterns expand to more than ${limits.globs} patterns without braces`);
    }
    this.#globs += globs.length;
    const found: TreeFile[] = [];
    for (const glob of globs) for (const file of await this.#matching(treePath(root, base, glob))) found.push(file);
    return found;
  }

  async #matching(glob: string): Promise<readonly TreeFile[]> {
    if (!isGlob(glob)) return this.filesOf(glob, "");
    const prefix = staticPrefix(glob);
    if ((await this.tree.stat(prefix)) !== "directory") return [];
    const ownExtension = hasExtension(glob);
    return (await this.#list(prefix)).filter((file) => {
      this.#steps += glob.length * file.path.length;
      if (this.#steps > limits.globSteps) throw tooLarge("there are too many files to match it against");
      return (
        ((ownExtension || isYaml(file)) && matchesGlob(glob, file.path)) ||
        (isYaml(file) && matchesGlob(`${glob}/**`, file.path))
      );
    });
  }

  #list(directory: string): Promise<readonly TreeFile[]> {
    let list = this.#lists.get(directory);
    if (list === undefined) {
      list = this.tree.list(directory);
      this.#lists.set(directory, list);
    }
    return list;
  }
}

function tooLarge(why: string): FileProblem {
  return new FileProblem("pattern-too-large", why, {
    remedy: "Name directories, or use fewer and simpler patterns.",
  });
}

/** Whether a glob names a file extension. */
function hasExtension(glob: string): boolean {
  const from = Math.max(glob.lastIndexOf("/"), glob.lastIndexOf("*"), glob.lastIndexOf("?")) + 1;
  const dot = glob.indexOf(".", from);
  return dot !== -1 && dot < glob.length - 1;
}

function isYaml({ path }: TreeFile): boolean {
  return /\.ya?ml$/u.test(path);
}

/** A pattern as messages show it. */
function shown(pattern: string): string {
  if (isKeyLike(pattern)) return "(secret)";
  return pattern.length > limits.patternLength ? `${pattern.slice(0, 60)}…` : pattern;
}

/** @param base absolute */
async function noMatch(pattern: string, base: string, tree: FileTree, configured: boolean): Promise<PatternProblem> {
  const quoted = JSON.stringify(shown(pattern));
  const path = treePath(tree.root, relative(tree.root, base), pattern);
  const code = "pattern-no-match";
  const written = shown(pattern);
  const where = configured
    ? "`manifests` of the configuration names it, relative to the configuration's directory."
    : `It is relative to ${base}.`;
  if ((await tree.stat(path)) === "directory") {
    const message = `the directory ${quoted} has no *.yaml or *.yml file`;
    return { pattern: written, code, message, remedy: "Write a manifest there, or name another directory." };
  }
  if (isGlob(pattern)) {
    const message = `the pattern ${quoted} matches no *.yaml or *.yml file`;
    return { pattern: written, code, message, remedy: `Correct the pattern. ${where}` };
  }
  const near = await similarPath(path, base, tree);
  return {
    pattern: written,
    code,
    message: `there is no file or directory ${quoted}`,
    remedy: `${near === null ? "" : `Did you mean ${near}? `}${where}`,
  };
}

/** The manifest in the same directory whose name is most like that of a missing one, relative to the base. */
async function similarPath(path: string, base: string, tree: FileTree): Promise<string | null> {
  const directory = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
  if (directory === "" || (await tree.stat(directory)) !== "directory") return null;
  const start = directory.length + 1;
  const names = (await tree.list(directory)).filter(isYaml).map((file) => file.path.slice(start));
  const near = suggest(path.slice(start), names);
  return near === null ? null : relative(base, join(tree.root, directory, near));
}

function unusablePattern(pattern: string, problem: FileProblem): PatternProblem {
  const quoted = JSON.stringify(pattern);
  const named = problem.message.startsWith(quoted);
  const message = named ? problem.message : `the pattern ${quoted} can't be used: ${problem.message}`;
  return { ...problem.toProblem(), pattern, message };
}
