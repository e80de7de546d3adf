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
export async function explainPattern(tree: SearchedTree, pattern: UnmatchedPattern): Promise<PatternWords> {
  const { none, path } = pattern;
  try {
    if ((await tree.stat(path)) === "directory") return inDirectory(tree, pattern);
    const fixed = isGlob(path) ? staticPrefix(path) : path;
    if (fixed !== path && (await tree.stat(fixed)) === "directory")
      return besideGlob(tree, { ...pattern, path: fixed });
    return await notThere(tree, { ...pattern, path: fixed });
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return { message: none, remedy: `Remove the pattern: ${error.message}.` };
  }
}

/** A directory without manifests. */
async function inDirectory(tree: SearchedTree, { base, none, path }: UnmatchedPattern): Promise<PatternWords> {
  const files = await filesIn(tree, path, base);
  const directory = directoryFrom(base, path);
  if (files.length === 0) {
    return {
      message: `${none}: ${directory} holds no files, apart from those whose names begin with a dot`,
      remedy: "Put manifests there, without a dot before their names, or remove the pattern.",
    };
  }
  const names = namesOf(files);
  const json = files.some((file) => file.endsWith(".json"));
  return {
    message: `${none}: ${directory} holds ${names}, but no files that end in .yaml or .yml`,
    remedy: json
      ? "Rename the JSON files that are manifests to .yaml: YAML reads JSON, too."
      : "Put manifests there, or remove the pattern.",
  };
}

/** A glob that none of the files below its directory matches. */
async function besideGlob(tree: SearchedTree, { base, none, path }: UnmatchedPattern): Promise<PatternWords> {
  const files = await filesIn(tree, path, base);
  const directory = directoryFrom(base, path);
  if (files.length === 0) return { message: `${none}: ${directory} holds no files`, remedy: "Remove the pattern." };
  const manifests = files.filter((file) => /\.ya?ml$/u.test(file));
  return {
    message: `${none}: ${directory} holds ${namesOf(files)}`,
    remedy:
      manifests.length > 0
        ? `To read all manifests below it, write ${directory}.`
        : "Put manifests there, which end in .yaml or .yml, or remove the pattern.",
  };
}

/** A file or directory that does not exist: there may be one with a similar name. */
async function notThere(tree: SearchedTree, { base, none, path }: UnmatchedPattern): Promise<PatternWords> {
  let parent = posix.dirname(path);
  let missing = path;
  while (parent !== "." && (await tree.stat(parent)) === null) {
    missing = parent;
    parent = posix.dirname(parent);
  }
  const directory = parent === "." ? "" : parent;
  const names = await namesIn(tree, directory);
  const near = nearest(posix.basename(missing), names);
  const message = `${none}: there is no ${JSON.stringify(posix.relative(base, missing))}`;
  if (near !== null) {
    const meant = posix.relative(base, posix.join(directory, near)) + (near.endsWith("/") ? "/" : "");
    return { message, remedy: `Did you mean ${JSON.stringify(meant)}?` };
  }
  const where = directory === "" && base === "" ? "The root directory" : directoryFrom(base, directory);
  const remedy = `${where} holds ${namesOf(names)}. Correct the pattern, or remove it.`;
  return { message, remedy };
}

/** The files and directories right inside a directory; directories end in a slash. */
async function namesIn(tree: SearchedTree, directory: string): Promise<readonly string[]> {
  const inside = directory === "" ? "" : `${directory}/`;
  const files = (await tree.list(directory)).map((file) => file.path.slice(inside.length));
  return [...new Set(files.map((file) => (file.includes("/") ? `${file.split("/")[0]}/` : file)))];
}

/** The file beside a missing one that was most likely meant, by its name in their directory; null = none. */
export async function similarFile(tree: SearchedTree, missing: string): Promise<string | null> {
  const parent = posix.dirname(missing);
  const directory = parent === "." ? "" : parent;
  if ((await tree.stat(directory)) !== "directory") return null;
  const files = (await namesIn(tree, directory)).filter((name) => !name.endsWith("/"));
  const name = posix.basename(missing);
  return files.find((file) => file.toLowerCase() === name.toLowerCase()) ?? suggest(name, files);
}

async function filesIn(tree: SearchedTree, directory: string, base: string): Promise<readonly string[]> {
  return (await tree.list(directory)).map((file) => posix.relative(base, file.path));
}

function directoryFrom(base: string, directory: string): string {
  const path = posix.relative(base, directory);
  return JSON.stringify(path === "" ? "." : `${path}/`);
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
