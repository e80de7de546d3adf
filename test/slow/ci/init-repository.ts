import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cli, plainEnvironment } from "../../../scripts/sandbox.mjs";

/** A repository on a server, and a clone in which a person works. It holds what `init` wrote, with a lock that doesn't wait. */
export interface InitRepository {
  /** The bare repository that pipelines fetch from. */
  readonly origin: string;
  /** Gets a directory for each job. */
  readonly scratch: string;
  /** The clone. */
  readonly work: string;
  /** Without `edgewise` on the PATH, and without any setting of edgewise. */
  readonly env: NodeJS.ProcessEnv;
  /** Commits a file to a branch of the server, which begins at `main`. Null removes the file. */
  change(branch: string, path: string, text: string | null | ((before: string) => string)): string;
  /** Merges a branch into `main`, and removes it. */
  merge(branch: string): string;
  commitOf(branch: string): string;
  /** Sets a tag on the server. */
  tag(name: string, commit: string): void;
  remove(): void;
}

/** Each stack besides the first one has a directory, and an edge of its own. */
export function initRepository(ci: "github" | "gitlab", others: readonly string[] = []): InitRepository {
  const base = mkdtempSync(join(tmpdir(), "edgewise-ci-"));
  const [origin, work, scratch] = [join(base, "origin.git"), join(base, "edge-config"), join(base, "jobs")];
  const env = { ...plainEnvironment(), NO_COLOR: "1", TMPDIR: base };
  const run = (program: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: base, encoding: "utf8", env });
    if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  const git = (...args: readonly string[]) => run("git", ...identity, "-C", work, ...args);

  mkdirSync(scratch);
  run("git", "init", "--quiet", "--bare", "--initial-branch", "main", origin);
  run("git", "-C", origin, "config", "uploadpack.allowAnySHA1InWant", "true");
  run(process.execPath, cli, "init", work, "--ci", ci);
  for (const name of others) {
    run(process.execPath, cli, "init", join(work, name), "--stack", name, "--ci", "none", "--no-vendor");
    const file = join(work, name, "edge/example.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("edge.example.com", `${name}.example.com`));
  }
  for (const file of ["", ...others].map((name) => join(work, name, "edgewise.yaml")))
    // The sandbox's lists show every write at once.
    writeFileSync(file, readFileSync(file, "utf8").replace("\nlock: true\n", "\nlock: {settle: 0s}\n"));
  git("init", "--quiet", "--initial-branch", "main");
  git("remote", "add", "origin", origin);
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
  git("push", "--quiet", "origin", "main");
  const commitOf = (branch: string) => run("git", "-C", origin, "rev-parse", branch);

  return {
    origin,
    scratch,
    work,
    env,
    change: (branch, path, text) => {
      if (git("branch", "--list", branch) === "") git("branch", "--quiet", branch, "main");
      git("checkout", "--quiet", branch);
      mkdirSync(dirname(join(work, path)), { recursive: true });
      const file = join(work, path);
      if (text === null) rmSync(file);
      else writeFileSync(file, typeof text === "string" ? text : text(readFileSync(file, "utf8")));
      git("add", "--all");
      git("commit", "--quiet", "--message", `Change ${path}`);
      git("push", "--quiet", "--force", "origin", branch);
      return commitOf(branch);
    },
    merge: (branch) => {
      git("checkout", "--quiet", "main");
      git("merge", "--quiet", "--no-ff", "--message", `Merge ${branch}`, branch);
      git("branch", "--quiet", "--delete", branch);
      git("push", "--quiet", "origin", "main");
      return commitOf("main");
    },
    commitOf,
    tag: (name, commit) => {
      run("git", "-C", origin, "update-ref", `refs/tags/${name}`, commit);
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

const everything = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"];

/** Checks a commit out as a runner does, into a directory that doesn't exist yet; `whole` = with every branch and tag. */
export function checkOut(
  { origin, env }: InitRepository,
  directory: string,
  commit: { readonly sha: string; readonly whole: boolean },
): void {
  const git = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync("git", args, { cwd: directory, encoding: "utf8", env });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  };
  mkdirSync(directory, { recursive: true });
  git("init", "--quiet");
  git("remote", "add", "origin", `file://${origin}`);
  // The server's objects are read where they are: a copy for each job takes most of the time.
  if (commit.whole) appendFileSync(join(directory, ".git/objects/info/alternates"), `${origin}/objects\n`);
  if (commit.whole) git("fetch", "--quiet", "origin", ...everything, commit.sha);
  else git("fetch", "--quiet", "--depth", "1", "origin", commit.sha);
  git("checkout", "--quiet", "--detach", commit.sha);
}

/** What a job left in its checkout that Git would commit: `init` must ignore the files of the recipes. */
export function untracked(directory: string, env: NodeJS.ProcessEnv): string {
  return spawnSync("git", ["status", "--porcelain"], { cwd: directory, encoding: "utf8", env }).stdout;
}
