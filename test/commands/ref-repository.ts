import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Stage, stage } from "./stage.ts";

export interface Repository extends Stage {
  git(...args: readonly string[]): string;
  commit(message: string): string;
}

export async function repository(): Promise<Repository> {
  const on = await stage();
  // Git starts no maintenance of its own: that is a process for each commit.
  const settings = ["user.name=t", "user.email=t@example.com", "commit.gpgsign=false", "maintenance.auto=false"];
  const allowed = ["protocol.file.allow=always", "filter.lfs.clean=", "filter.lfs.required=false"];
  const given = [...settings, ...allowed].flatMap((each) => ["-c", each]);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...given, ...args], {
      cwd: on.dir,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  git("init", "-q", "-b", "main", "--template=");
  const commit = (message: string): string => {
    git("add", "-A");
    git("commit", "-qm", message);
    const at = (path: string): string => readFileSync(join(on.dir, ".git", path), "utf8").trim();
    return at(at("HEAD").replace("ref: ", ""));
  };
  return { ...on, git, commit };
}
