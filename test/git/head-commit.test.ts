import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { headCommit } from "../../src/git/resolve-commit.ts";

const host = { env: process.env, platform: process.platform, uid: process.geteuid?.() ?? null };

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "edgewise-head-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" }).trim();
}

it("the commit that is checked out, from any directory of the work tree", async () => {
  const top = await folder();
  git(top, "init", "--quiet");
  expect(await headCommit(top, host)).toBeNull();
  git(top, "commit", "--quiet", "--allow-empty", "--message", "one");
  await mkdir(join(top, "edge"));
  expect(await headCommit(join(top, "edge"), host)).toBe(git(top, "rev-parse", "HEAD"));
});

it("is null outside of a repository, and without git", async () => {
  const top = await folder();
  expect(await headCommit(top, host)).toBeNull();
  git(top, "init", "--quiet");
  git(top, "commit", "--quiet", "--allow-empty", "--message", "one");
  expect(await headCommit(top, { ...host, env: { PATH: "" } })).toBeNull();
});
