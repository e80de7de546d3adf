import { parseConfigFile } from "../config/checked-file.js";
import { EdgewiseError } from "../core/errors.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { asDirectory } from "../git/git-tree.js";
import type { GitHost } from "../git/git-program.js";
import type { GitCommit } from "../git/git-commit.js";
import { FileProblem, type FileTree } from "../manifest/file-tree.js";

/** What is compared: the work tree, and the commit where HEAD left a branch. */
export interface Comparison {
  readonly cwd: string;
  readonly env: GitHost["env"];
  readonly base: GitCommit;
  /** What commits changed, from the root of the repository. */
  readonly committed: ReadonlySet<string>;
}

/** Those of some paths that are below a directory, relative to it; "" is the repository's root. */
export function pathsBelow(paths: ReadonlySet<string>, directory: string): readonly string[] {
  const prefix = asDirectory(directory);
  return [...paths].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}

/** The text of a file; null when it isn't there, or can't be followed. */
export async function textAt(tree: FileTree, path: string): Promise<string | null> {
  try {
    return (await tree.stat(path)) === "file" ? decodeUtf8(await tree.read(path)) : null;
  } catch (error) {
    // A link, for one: links are not followed in a commit.
    if (error instanceof FileProblem) return null;
    throw error;
  }
}

/** A configuration's text as a document; null when it has an error. */
export function documentOf(text: string): ConfigDocument | null {
  try {
    return parseConfigFile(text, "edgewise.yaml").document;
  } catch (error) {
    return unusable(error);
  }
}

/** Null = a configuration of the past had an error, which this change may have corrected. */
export function unusable(error: unknown): null {
  if (error instanceof EdgewiseError) return null;
  throw error;
}
