import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EdgewiseError } from "../../src/core/errors.ts";
import { findRepository } from "../../src/git/find-repository.ts";
import { type GitHost, type Repository, runGit } from "../../src/git/run-git.ts";
import { GitCommit } from "../../src/git/git-commit.ts";
import { gitTree } from "../../src/git/git-tree.ts";
import { resolveBase } from "../../src/git/resolve-commit.ts";
import { loadManifests } from "../../src/manifest/load-manifests.ts";
import { optionsFor } from "../manifest/support/load-text.ts";

let top: string;
let repository: string;

const identity = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
const quiet = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function git(cwd: string, ...args: readonly string[]): string {
  const env = { ...process.env, ...identity, ...quiet };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

const edge = (name: string, host: string) => `apiVersion: edgewise/v1
kind: TLSEdge
metadata: {name: ${name}}
spec:
  hostports: ["${host}:443"]
  traffic_policy: {value: {file: policies/p.yaml}}
`;

beforeAll(async () => {
  top = await mkdtemp(join(tmpdir(), "edgewise-git-"));
  repository = join(top, "repository");
  await mkdir(join(repository, "infra/policies"), { recursive: true });
  git(repository, "init", "-q", "-b", "main");
  await writeFile(join(repository, "infra/a.yaml"), edge("old", "old.example"));
  await writeFile(join(repository, "infra/policies/p.yaml"), "on_tcp_connect: []\n");
  await writeFile(join(repository, "infra/sp ace ü.yaml"), "# nothing\n");
  await writeFile(join(repository, "infra/.hidden.yaml"), "broken: [\n");
  await symlink("a.yaml", join(repository, "infra/link.yaml"));
  git(repository, "add", "-A");
  git(repository, "commit", "-qm", "one");
  git(repository, "branch", "base");
  await writeFile(join(repository, "infra/a.yaml"), edge("new", "new.example"));
  git(repository, "commit", "-qam", "two");
  git(repository, "checkout", "-q", "base");
  await writeFile(join(repository, "other.txt"), "x");
  git(repository, "add", "-A");
  git(repository, "commit", "-qm", "three");
  git(repository, "checkout", "-q", "main");
});

afterAll(() => rm(top, { recursive: true, force: true }));

const host: GitHost = { env: process.env };
const at = (directory: string): Promise<Repository> => findRepository(directory, host);
const baseAt = async (directory: string, ref: string) => resolveBase(await at(directory), ref);

async function failure(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof EdgewiseError)) throw new Error(`no EdgewiseError: ${String(error)}`);
  return `${error.code}: ${error.message} → ${error.remedy ?? ""}`;
}

describe("resolveBase", () => {
  it("distinguishes a shallow clone from unrelated histories", async () => {
    git(top, "clone", "-q", "--depth", "1", "--no-single-branch", `file://${repository}`, "shallow");
    const shallow = await failure(baseAt(join(top, "shallow"), "origin/base"));
    expect(shallow).toContain("this clone is shallow");
    expect(shallow).toContain("fetch-depth: 0");
    git(repository, "checkout", "-q", "--orphan", "island");
    git(repository, "commit", "-qm", "island");
    git(repository, "checkout", "-q", "main");
    const unrelated = await failure(baseAt(repository, "island"));
    expect(unrelated).toContain("have no common commit →");
  });
});

async function withProgram(script: string): Promise<Repository> {
  const found = await at(repository);
  const program = join(await mkdtemp(join(top, "program-")), "git");
  await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ...found, git: { ...found.git, program } };
}

describe("runGit", () => {
  it("says so when git is not installed", async () => {
    const without = findRepository(repository, { ...host, env: { PATH: "/nowhere" } });
    expect(await failure(without)).toContain("git can't be run: it is not installed");
  });

  it("stops a git that hangs, and doesn't wait for its child processes", async () => {
    const found = await withProgram("sleep 2 & exec sleep 600");
    const short = { ...found, git: { ...found.git, deadline: 50 } };
    expect(await failure(runGit(short, ["version"]))).toContain("git did not finish within 0.05 s and was stopped");
  });

  it("stops a git with endless output", async () => {
    expect(await failure(runGit(await withProgram("exec cat /dev/zero"), ["version"]))).toContain("more than 64 MiB");
  });
});

describe("gitTree", () => {
  it("loads the manifests of a commit with the files that they name, whatever the work tree holds", async () => {
    const root = join(repository, "infra");
    const tree = await gitTree(new GitCommit(await at(root), git(repository, "rev-parse", "main~1")), root);
    const { manifests, diagnostics } = await loadManifests(
      optionsFor(root, { tree, patterns: ["*.yaml"], complete: false }),
    );
    expect(manifests.map(({ address, spec }) => [address, spec["traffic_policy"]])).toEqual([
      ["TLSEdge/old", { value: { on_tcp_connect: [] } }],
    ]);
    // link.yaml leads to a.yaml, which is read once.
    expect(diagnostics).toEqual([]);
  });
});
