import { execFileSync } from "node:child_process";
import { type Stage, stage } from "./stage.ts";

/** A stage in a Git repository. */
export interface Repository extends Stage {
  git(...args: readonly string[]): string;
  /** Commits everything; its full id. */
  commit(message: string): string;
}

export async function repository(...init: readonly string[]): Promise<Repository> {
  const on = await stage();
  const git = (...args: readonly string[]): string => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
    const allowed = ["-c", "protocol.file.allow=always", "-c", "filter.lfs.clean=", "-c", "filter.lfs.required=false"];
    return execFileSync("git", [...identity, ...allowed, ...args], {
      cwd: on.dir,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  };
  git("init", "-q", "-b", "main", ...init);
  const commit = (message: string): string => {
    git("add", "-A");
    git("commit", "-qm", message);
    return git("rev-parse", "HEAD");
  };
  return { ...on, git, commit };
}
