import { posix } from "node:path";
import { suggest } from "../diagnostics/suggest.js";
import { FileProblem, type SearchedTree } from "./file-tree.js";
import { isGlob, staticPrefix } from "./glob.js";

/** Why a pattern matches no manifest, and what to do. */
interface PatternWords {
  readonly message: string;
  readonly remedy: string;
}

/** A pattern that matches nothing. */
export interface UnmatchedPattern {
  /** As a path of the tree. */
  readonly path: string;
  /** The directory that the pattern is relative to, as a path of the tree; "" is the root. */
  readonly base: string;
  /** The beginning of the message. */
  readonly none: string;
}

/** So many names are listed in a message. */
const mostNames = 3;

/**
 * Looks at what is there instead of what a pattern names. Reads directories, so it is asked only about patterns that match
 * nothing. Paths in its words are relative to the directory that the pattern is relative to.
 */
export async function explainPattern(
  tree: SearchedTree,
  { base, none, path }: UnmatchedPattern,
): Promise<PatternWords> {
  try {
    let directory = isGlob(path) ? staticPrefix(path) : path;
    let missing: string | null = null;
    while (directory !== "" && (await tree.stat(directory)) !== "directory") {
      missing = directory;
      directory = directory.includes("/") ? posix.dirname(directory) : "";
    }
    const where = JSON.stringify(posix.relative(base, directory) === "" ? "." : `${posix.relative(base, directory)}/`);
    if (missing === null)
      return whatIsIn(
        (await tree.list(directory)).map((file) => posix.relative(base, file.path)),
        none,
        where,
      );
    const names = await namesIn(tree, directory);
    const near = nearest(posix.basename(missing), names);
    const meant =
      near === null ? "" : posix.relative(base, posix.join(directory, near)) + (near.endsWith("/") ? "/" : "");
    return {
      message: `${none}: there is no ${JSON.stringify(posix.relative(base, missing))}`,
      remedy:
        near === null
          ? `${where} holds ${namesOf(names)}. Correct the pattern, or remove it.`
          : `Did you mean ${JSON.stringify(meant)}?`,
    };
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return { message: none, remedy: `Remove the pattern: ${error.message}.` };
  }
}

/** Of a directory that a pattern leads to, but that holds nothing that it matches. */
function whatIsIn(files: readonly string[], none: string, where: string): PatternWords {
  const hasManifests = files.some((file) => /\.ya?ml$/u.test(file));
  return {
    message: `${none}: ${where} holds ${namesOf(files)}`,
    remedy: hasManifests
      ? `To read all manifests below it, write ${where}.`
      : "Put manifests there, whose names end in .yaml or .yml and begin with no dot, or remove the pattern.",
  };
}

/** The files and directories right inside a directory; directories end in a slash. */
async function namesIn(tree: SearchedTree, directory: string): Promise<readonly string[]> {
  const inside = directory === "" ? "" : `${directory}/`;
  const files = (await tree.list(directory)).map((file) => file.path.slice(inside.length));
  return [...new Set(files.map((file) => (file.includes("/") ? `${file.split("/")[0]}/` : file)))];
}

/** The file beside a missing one that was most likely meant, as a path of the tree; null = none. */
export async function similarFile(tree: SearchedTree, missing: string): Promise<string | null> {
  const parent = posix.dirname(missing);
  const directory = parent === "." ? "" : parent;
  if ((await tree.stat(directory)) !== "directory") return null;
  const files = (await namesIn(tree, directory)).filter((name) => !name.endsWith("/"));
  const name = posix.basename(missing);
  const near = files.find((file) => file.toLowerCase() === name.toLowerCase()) ?? suggest(name, files);
  return near === null ? null : posix.join(directory, near);
}

function nearest(name: string, names: readonly string[]): string | null {
  const bare = (text: string): string => text.replace(/\/$|\.ya?ml$/u, "");
  const same = names.find((each) => bare(each).toLowerCase() === bare(name).toLowerCase());
  if (same !== undefined) return same;
  const near = suggest(bare(name), names.map(bare));
  return names.find((each) => bare(each) === near) ?? null;
}

function namesOf(names: readonly string[]): string {
  if (names.length === 0) return "no files";
  const shown = names.slice(0, mostNames).join(", ");
  return names.length > mostNames ? `${shown} and ${names.length - mostNames} more` : shown;
}
