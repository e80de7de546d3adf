import { posix } from "node:path";
import { suggest } from "../diagnostics/suggest.js";
import { FileProblem, type SearchedTree } from "./file-tree.js";
import { isGlob, staticPrefix } from "./glob.js";

/** Why a pattern matches no manifest, and what to do. */
interface PatternWords {
  readonly message: string;
  readonly remedy: string;
}

/** So many names are listed in a message. */
const mostNames = 3;

/**
 * Looks at what is there instead of what a pattern names. Reads directories, so it is asked only about patterns that match
 * nothing.
 * @param path the pattern as a path of the tree
 * @param shown the pattern as messages show it, in quotes
 */
export async function explainPattern(tree: SearchedTree, path: string, shown: string): Promise<PatternWords> {
  const none = `the pattern ${shown} matches no manifest`;
  try {
    if ((await tree.stat(path)) === "directory") return inDirectory(tree, path, none);
    const fixed = isGlob(path) ? staticPrefix(path) : path;
    if (fixed !== path && (await tree.stat(fixed)) === "directory") return besideGlob(tree, fixed, none);
    return await notThere(tree, fixed, none);
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return { message: none, remedy: `Remove it from \`manifests\`: ${error.message}.` };
  }
}

/** A directory without manifests. */
async function inDirectory(tree: SearchedTree, path: string, none: string): Promise<PatternWords> {
  const files = await tree.list(path);
  const directory = JSON.stringify(path === "" ? "." : `${path}/`);
  if (files.length === 0) {
    return {
      message: `${none}: ${directory} holds no files, apart from those whose names begin with a dot`,
      remedy: "Put manifests there, without a dot before their names, or remove the pattern.",
    };
  }
  const names = namesOf(files.map((file) => file.path));
  const json = files.some((file) => file.path.endsWith(".json"));
  return {
    message: `${none}: ${directory} holds ${names}, but no files that end in .yaml or .yml`,
    remedy: json
      ? "Rename the JSON files that are manifests to .yaml: YAML reads JSON, too."
      : "Put manifests there, or remove the pattern.",
  };
}

/** A glob that none of the files below its directory matches. */
async function besideGlob(tree: SearchedTree, fixed: string, none: string): Promise<PatternWords> {
  const files = await tree.list(fixed);
  const directory = JSON.stringify(fixed === "" ? "." : `${fixed}/`);
  if (files.length === 0) return { message: `${none}: ${directory} holds no files`, remedy: "Remove the pattern." };
  const manifests = files.map((file) => file.path).filter((file) => /\.ya?ml$/u.test(file));
  return {
    message: `${none}: ${directory} holds ${namesOf(files.map((file) => file.path))}`,
    remedy:
      manifests.length > 0
        ? `To read all manifests below it, write ${directory}.`
        : "Put manifests there, which end in .yaml or .yml, or remove the pattern.",
  };
}

/** A file or directory that does not exist: there may be one with a similar name. */
async function notThere(tree: SearchedTree, path: string, none: string): Promise<PatternWords> {
  let parent = posix.dirname(path);
  let missing = path;
  while (parent !== "." && (await tree.stat(parent)) === null) {
    missing = parent;
    parent = posix.dirname(parent);
  }
  const base = parent === "." ? "" : parent;
  const inside = base === "" ? "" : `${base}/`;
  const files = (await tree.list(base)).map((file) => file.path.slice(inside.length));
  const names = [...new Set(files.map((file) => (file.includes("/") ? `${file.split("/")[0]}/` : file)))];
  const near = nearest(posix.basename(missing), names);
  const message = `${none}: there is no ${JSON.stringify(missing)}`;
  if (near !== null) return { message, remedy: `Did you mean ${JSON.stringify(inside + near)}?` };
  const where = base === "" ? "The root directory" : JSON.stringify(inside);
  const remedy = `${where} holds ${namesOf(names)}. Correct the pattern, or remove it.`;
  return { message, remedy };
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
