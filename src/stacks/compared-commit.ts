import { parseConfigFile } from "../config/checked-file.js";
import { EdgewiseError } from "../core/errors.js";
import { decodeUtf8 } from "../files/read-bounded.js";
import type { ConfigDocument } from "../generated/config-types.js";
import { asDirectory } from "../git/git-tree.js";
import type { GitHost } from "../git/git-program.js";
import type { GitCommit } from "../git/git-commit.js";
import { FileProblem, type FileTree } from "../manifest/file-tree.js";

export interface Comparison {
  readonly cwd: string;
  readonly env: GitHost["env"];
  readonly base: GitCommit;
  /** What commits changed, from the root of the repository. */
  readonly committed: ReadonlySet<string>;
}

/** Relative to the directory; "" is the root of the repository. */
export function pathsBelow(paths: ReadonlySet<string>, directory: string): readonly string[] {
  const prefix = asDirectory(directory);
  return [...paths].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
}

export async function textAt(tree: FileTree, path: string): Promise<string | null> {
  try {
    return (await tree.stat(path)) === "file" ? decodeUtf8(await tree.read(path)) : null;
  } catch (error) {
    // A link, for one: links are not followed in a commit.
    if (error instanceof FileProblem) return null;
    throw error;
  }
}

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
