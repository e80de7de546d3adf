import { runGit } from "./run-git.js";

/** The full id of the commit that is checked out where a directory is; null when Git can't tell. */
export async function headCommit(directory: string): Promise<string | null> {
  try {
    const { ok, stdout } = await runGit(directory, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
    const commit = stdout.toString("utf8").trim();
    return ok && /^[0-9a-f]{40,64}$/u.test(commit) ? commit : null;
  } catch {
    return null;
  }
}
