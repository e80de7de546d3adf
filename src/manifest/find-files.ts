import { relative } from "node:path";
import type { Problem } from "../diagnostics/diagnostic.js";
import { limits } from "../core/limits.js";
import { explainPattern } from "./explain-pattern.js";
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
  for (const [index, pattern] of patterns.entries()) {
    try {
      const found = await search.filesOf(pattern, directory);
      if (found.length === 0) {
        const quoted = JSON.stringify(shown(pattern));
        const none =
          flag === null
            ? `the pattern ${quoted} matches no manifest`
            : `${flag} ${quoted} matches no manifest in ${base}`;
        const path = treePath(tree.root, directory, pattern);
        const words =
          problems.length < mostExplained
            ? await explainPattern(tree, { path, base: directory.replaceAll("\\", "/"), none })
            : { message: none };
        problems.push({ code: "pattern-no-match", pattern: shown(pattern), index, ...words });
      }
      for (const { identity, path } of found) {
        const known = byIdentity.get(identity);
        if (known === undefined || path < known) byIdentity.set(identity, path);
      }
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      problems.push({ ...unusablePattern(shown(pattern), error), index });
    }
  }
  return { files: [...byIdentity.values()].sort(), problems };
}

/** For the reason, directories are read. */
const mostExplained = 20;

/** One search for manifests: each directory is listed once, and all patterns share one limit. */
class ManifestSearch {
  readonly #lists = new Map<string, Promise<readonly TreeFile[]>>();
  #globs = 0;
  #steps = 0;

  constructor(private readonly tree: SearchedTree) {}

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
  return pattern.length > limits.patternLength ? `${pattern.slice(0, 60)}…` : pattern;
}

function unusablePattern(pattern: string, problem: FileProblem): Omit<PatternProblem, "index"> {
  const quoted = JSON.stringify(pattern);
  const named = problem.message.startsWith(quoted);
  const message = named ? problem.message : `the pattern ${quoted} can't be used: ${problem.message}`;
  return { ...problem.toProblem(), pattern, message };
}
