import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { cli, plainEnvironment, startSandbox } from "../../../scripts/sandbox.mjs";
import { startHost } from "../../commands/ci-hosts.ts";

export interface Strings {
  readonly [name: string]: string;
}

export interface Repository {
  readonly origin: string;
  readonly scratch: string;
  readonly work: string;
  /** Without `edgewise` on the PATH, and without any setting of edgewise. */
  readonly env: NodeJS.ProcessEnv;
  commit(branch: string, edit: (work: string) => void): string;
  addStack(name: string): void;
  merge(branch: string): string;
  commitOf(ref: string): string;
  setRef(ref: string, commit: string): void;
  remove(): void;
}

export function initRepository(ci: "github" | "gitlab"): Repository {
  const base = mkdtempSync(join(tmpdir(), "edgewise-ci-"));
  const [origin, work, scratch] = [join(base, "origin.git"), join(base, "edge-config"), join(base, "jobs")];
  const env = { ...plainEnvironment(), NO_COLOR: "1", TMPDIR: base };
  const run = (program: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: base, encoding: "utf8", env });
    if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  const settings = ["user.name=Test", "user.email=test@example.com", "commit.gpgsign=false", "core.compression=0"];
  const flags = settings.flatMap((setting) => ["-c", setting]);
  const git = (...args: readonly string[]) => run("git", ...flags, "-C", work, ...args);

  mkdirSync(scratch);
  run("git", "init", "--quiet", "--bare", "--initial-branch", "main", origin);
  run("git", "init", "--quiet", "--initial-branch", "main", work);
  const addStack = (name: string, ...flags: readonly string[]): void => {
    run(process.execPath, cli, "init", join(work, name), ...flags);
    edit(join(work, name, "edge/example.yaml"), (text) =>
      text.replaceAll(/^# (?!yaml|An|`)/gmu, "").replace("edge.example.com", `${name || "edge"}.example.com`),
    );
    // The sandbox's lists show every write at once.
    edit(join(work, name, "edgewise.yaml"), (text) => text.replace("\nlock: true\n", "\nlock: {settle: 0s}\n"));
  };
  addStack("", "--ci", ci);
  git("remote", "add", "origin", origin);
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
  git("push", "--quiet", "origin", "main");

  return {
    origin,
    scratch,
    work,
    env,
    addStack,
    commit: (branch, edits) => {
      if (git("branch", "--list", branch) === "") git("branch", "--quiet", branch, "main");
      git("checkout", "--quiet", branch);
      edits(work);
      git("add", "--all", "--force");
      git("commit", "--quiet", "--message", `Change ${branch}`);
      git("push", "--quiet", "--force", "origin", branch);
      return run("git", "-C", origin, "rev-parse", branch);
    },
    merge: (branch) => {
      git("checkout", "--quiet", "main");
      git("merge", "--quiet", "--no-ff", "--message", `Merge ${branch}`, branch);
      git("branch", "--quiet", "--delete", branch);
      git("push", "--quiet", "origin", "main");
      return run("git", "-C", origin, "rev-parse", "main");
    },
    commitOf: (ref) => run("git", "-C", origin, "rev-parse", ref),
    setRef: (ref, commit) => void run("git", "-C", origin, "update-ref", ref, commit),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

export async function team(ci: "github" | "gitlab") {
  const sandbox = await startSandbox();
  const repository = initRepository(ci);
  onTestFinished(() => {
    sandbox.stop();
    repository.remove();
  });
  const backends = async (): Promise<readonly { readonly id: string; readonly status_code: number }[]> =>
    (await sandbox.request("GET", "/backends/http_response")).backends;
  return {
    host: await startHost(),
    repository,
    sandbox,
    expectStatuses: async (...codes: readonly number[]) =>
      expect((await backends()).map(({ status_code }) => status_code).toSorted()).toEqual(codes),
    changeLive: async (from: number, to: number) => {
      const own = (await backends()).find(({ status_code }) => status_code === from);
      await sandbox.request("PATCH", `/backends/http_response/${own?.id}`, { status_code: to });
    },
  };
}

export function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

export function put(work: string, path: string, text: string): void {
  mkdirSync(dirname(join(work, path)), { recursive: true });
  writeFileSync(join(work, path), text);
}

export function checkOut({ env, origin, scratch }: Repository, sha: string): string {
  const directory = mkdtempSync(join(scratch, "job-"));
  const git = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync("git", args, { cwd: directory, encoding: "utf8", env });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  };
  git("init", "--quiet");
  // The server's objects are read where they are: a copy for each job takes most of the time.
  writeFileSync(join(directory, ".git/objects/info/alternates"), `${origin}/objects\n`);
  git("remote", "add", "origin", `file://${origin}`);
  git("fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*", sha);
  git("checkout", "--quiet", "--detach", sha);
  return directory;
}

export async function runBash(
  script: string,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly code: number; readonly log: string }> {
  const child = spawn("bash", ["--noprofile", "--norc", "-e", "-c", script], {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (piece) => (log += piece));
  const code = await new Promise<number>((resolve) => child.on("close", (status) => resolve(status ?? 1)));
  return { code, log };
}
