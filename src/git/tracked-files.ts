import { dirname, relative, sep } from "node:path";
import { EdgewiseError } from "../core/errors.js";
import { findRepository, realPathOf } from "./find-repository.js";
import type { GitHost } from "./git-program.js";
import { linesOf, runGit } from "./run-git.js";

/** Which of some files, by absolute paths, Git tracks. Outside of repositories, and without Git, none is. */
export async function trackedFiles(paths: readonly string[], host: GitHost): Promise<ReadonlySet<string>> {
  const tracked = await Promise.all(paths.map(async (path) => ((await isTracked(path, host)) ? [path] : [])));
  return new Set(tracked.flat());
}

async function isTracked(path: string, host: GitHost): Promise<boolean> {
  try {
    const file = await realPathOf(path);
    const repository = await findRepository(dirname(file), host);
    const inside = relative(repository.workTree, file).split(sep).join("/");
    return linesOf(await runGit(repository, ["ls-files", "--", inside])).length > 0;
  } catch (error) {
    if (error instanceof EdgewiseError) return false;
    throw error;
  }
}
