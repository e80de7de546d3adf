import { EdgewiseError } from "../errors.js";
import { findRepository } from "./find-repository.js";
import type { GitHost } from "./git-program.js";
import { resolveCommits } from "./resolve-ref.js";

/**
 * The full id of the commit that is checked out where a directory is. Null where there is no Git, no repository, or
 * one that may not be used: a plan can do without.
 */
export async function headCommit(directory: string, host: GitHost): Promise<string | null> {
  try {
    const [commit = null] = await resolveCommits(await findRepository(directory, host), ["HEAD"]);
    return commit;
  } catch (error) {
    if (error instanceof EdgewiseError) return null;
    throw error;
  }
}
