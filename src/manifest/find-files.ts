import { relative } from "node:path";
import { limits } from "../core/limits.js";
import { matchesWildcards } from "../core/wildcards.js";
import type { Problem } from "../diagnostics/diagnostic.js";
import { FileProblem, type FileTree, treePath } from "./file-tree.js";

type PatternProblem = Pick<Problem, "code" | "message" | "remedy"> &
  Readonly<{
    pattern: string;
    index: number;
  }>;

/** A pattern without a match is a problem: a mistyped one must not look empty. */
export async function findFiles(
  tree: FileTree,
  patterns: readonly string[],
  base: string,
): Promise<Readonly<{ files: readonly string[]; problems: readonly PatternProblem[] }>> {
  const byIdentity = new Map<string, string>();
  const problems: PatternProblem[] = [];
  const search = new ManifestSearch(tree);
  const directory = relative(tree.root, base);
  for (const [index, whole] of patterns.entries()) {
    const pattern = whole.length > limits.patternLength ? `${whole.slice(0, 60)}…` : whole;
    const quoted = JSON.stringify(pattern);
    try {
      const found = await search.filesOf(whole, directory);
      if (found.length === 0)
        problems.push({
          code: "pattern-no-match",
          pattern,
          index,
          message: `the pattern ${quoted} matches no manifest`,
        });
      for (const path of found) {
        // What is wrong with a link is reported when it is read.
        const identity = await tree.identity(path).catch(() => path);
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

class ManifestSearch {
  readonly #lists = new Map<string, Promise<readonly string[]>>();
  #globs = 0;
  #steps = 0;

  constructor(private readonly tree: FileTree) {}

  async filesOf(pattern: string, base: string): Promise<readonly string[]> {
    if (pattern.length > limits.patternLength)
      throw tooLarge(`it has ${pattern.length} characters, more than ${limits.patternLength}`);
    const { root } = this.tree;
    const path = treePath(root, base, pattern);
    // An existing file may have a name like a glob.
    const kind = await this.tree.stat(path);
    if (kind === "directory") return (await this.#list(path)).filter(isYaml);
    if (kind === "file") return [path];
    if (!isGlob(pattern)) return [];
    const globs = expandBraces(pattern, limits.globs - this.#globs);
    if (globs === null)
      throw tooLarge(`with it, the patterns expand to more than ${limits.globs} patterns without braces`);
    this.#globs += globs.length;
    const found: string[] = [];
    for (const glob of globs) found.push(...(await this.#matching(treePath(root, base, glob))));
    return found;
  }

  async #matching(glob: string): Promise<readonly string[]> {
    if (!isGlob(glob)) return this.filesOf(glob, "");
    const segments = glob.split("/");
    const prefix = segments.slice(0, segments.findIndex(isGlob)).join("/");
    if ((await this.tree.stat(prefix)) !== "directory") return [];
    const hasExtension = /\.[^./*?]+$/u.test(glob);
    return (await this.#list(prefix)).filter((file) => {
      this.#steps += glob.length * file.length;
      if (this.#steps > limits.globSteps) throw tooLarge("there are too many files to match it against");
      const matches = (hasExtension || isYaml(file)) && matchesGlob(segments, file);
      return matches || (isYaml(file) && matchesGlob([...segments, "**"], file));
    });
  }

  #list(directory: string): Promise<readonly string[]> {
    const list = this.#lists.get(directory) ?? this.tree.list(directory);
    this.#lists.set(directory, list);
    return list;
  }
}

function tooLarge(why: string): FileProblem {
  return new FileProblem("pattern-too-large", why, { remedy: "Name directories, or use fewer and simpler patterns." });
}

function isYaml(path: string): boolean {
  return /\.ya?ml$/u.test(path);
}

function isGlob(pattern: string): boolean {
  return /[*?{]/u.test(pattern);
}

/** The innermost braces first; null = more than `most`. */
function expandBraces(pattern: string, most: number): readonly string[] | null {
  const results: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const end = next.indexOf("}", next.indexOf("{") + 1);
    const start = next.lastIndexOf("{", end);
    if (start === -1 || end === -1) results.push(next);
    else {
      const [before, after] = [next.slice(0, start), next.slice(end + 1)];
      for (const option of next.slice(start + 1, end).split(",")) open.push(before + option + after);
    }
    if (results.length + open.length > most) return null;
  }
  return results;
}

function matchesGlob(segments: readonly string[], path: string): boolean {
  const names = path.split("/");
  // reachable[i]: the segments so far match the first i names
  let reachable = [true, ...names.map(() => false)];
  for (const segment of segments) {
    const first = reachable.indexOf(true);
    if (segment === "**") reachable = reachable.map((_, index) => first !== -1 && index >= first);
    else
      reachable = [false, ...names.map((name, at) => reachable[at] === true && matchesWildcards(segment, name, "?"))];
  }
  return reachable[names.length] === true;
}
