import { relative } from "node:path";
import { limits } from "../core/limits.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { FileProblem, type SearchedTree, type TreeFile, treePath } from "./file-tree.js";
import { expandBraces, isGlob, matchesGlob, staticPrefix } from "./glob.js";

/** A pattern that can't be used, and why. */
export interface PatternProblem extends Pick<Problem, "code" | "message" | "remedy"> {
  readonly pattern: string;
  /** Of the pattern, from 0. */
  readonly index: number;
}

/**
 * The manifest files that patterns match, each once, sorted by path. A pattern is a file, a directory (read
 * recursively, `*.yaml` and `*.yml`) or a glob that matches such files or directories. A pattern without a match is a
 * problem: a mistyped one must not look like an empty stack.
 * @param base absolute; patterns are relative to it
 * @param flag the flag that the patterns come from, for messages; null = the configuration
 */
export async function findFiles(
  tree: SearchedTree,
  patterns: readonly string[],
  base: string,
  flag: string | null = null,
): Promise<{ readonly files: readonly string[]; readonly problems: readonly PatternProblem[] }> {
  const byIdentity = new Map<string, string>();
  const problems: PatternProblem[] = [];
  const search = new ManifestSearch(tree);
  const directory = relative(tree.root, base);
  for (const [index, whole] of patterns.entries()) {
    const pattern = whole.length > limits.patternLength ? `${whole.slice(0, 60)}…` : whole;
    const quoted = JSON.stringify(pattern);
    try {
      const found = await search.filesOf(whole, directory);
      if (found.length === 0) {
        const message = `${flag ?? "the pattern"} ${quoted} matches no manifest`;
        problems.push({ code: "pattern-no-match", pattern, index, message });
      }
      for (const { identity, path } of found) {
        const known = byIdentity.get(identity);
        if (known === undefined || path < known) byIdentity.set(identity, path);
      }
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      const named = error.message.startsWith(quoted);
      const message = named ? error.message : `the pattern ${quoted} can't be used: ${error.message}`;
      problems.push({ ...error.toProblem(), pattern, index, message });
    }
  }
  return { files: [...byIdentity.values()].sort(), problems };
}

/** One search for manifests: each directory is listed once, and all patterns share one limit. */
class ManifestSearch {
  readonly #lists = new Map<string, Promise<readonly TreeFile[]>>();
  #globs = 0;
  #steps = 0;

  constructor(private readonly tree: SearchedTree) {}

  async filesOf(pattern: string, base: string): Promise<readonly TreeFile[]> {
    if (pattern.length > limits.patternLength)
      throw tooLarge(`it has ${pattern.length} characters, more than ${limits.patternLength}`);
    const { root } = this.tree;
    const path = treePath(root, base, pattern);
    // A name that looks like a glob may be that of an existing file or directory.
    const kind = await this.tree.stat(path);
    if (kind === "directory") return (await this.#list(path)).filter(isYaml);
    if (kind === "file") return [{ path, identity: await this.tree.identity(path) }];
    if (!isGlob(pattern)) return [];
    const globs = expandBraces(pattern, limits.globs - this.#globs);
    if (globs === null)
      throw tooLarge(`with it, the patterns expand to more than ${limits.globs} patterns without braces`);
    this.#globs += globs.length;
    const found: TreeFile[] = [];
    for (const glob of globs) found.push(...(await this.#matching(treePath(root, base, glob))));
    return found;
  }

  async #matching(glob: string): Promise<readonly TreeFile[]> {
    if (!isGlob(glob)) return this.filesOf(glob, "");
    const prefix = staticPrefix(glob);
    if ((await this.tree.stat(prefix)) !== "directory") return [];
    const hasExtension = /\.[^./*?]+$/u.test(glob);
    return (await this.#list(prefix)).filter((file) => {
      this.#steps += glob.length * file.path.length;
      if (this.#steps > limits.globSteps) throw tooLarge("there are too many files to match it against");
      const matches = (hasExtension || isYaml(file)) && matchesGlob(glob, file.path);
      return matches || (isYaml(file) && matchesGlob(`${glob}/**`, file.path));
    });
  }

  #list(directory: string): Promise<readonly TreeFile[]> {
    const list = this.#lists.get(directory) ?? this.tree.list(directory);
    this.#lists.set(directory, list);
    return list;
  }
}

function tooLarge(why: string): FileProblem {
  const remedy = "Name directories, or use fewer and simpler patterns.";
  return new FileProblem("pattern-too-large", why, { remedy });
}

function isYaml({ path }: TreeFile): boolean {
  return /\.ya?ml$/u.test(path);
}
