import { lchown, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findRepository } from "../../src/git/find-repository.ts";
import { type GitHost, findGit } from "../../src/git/git-program.ts";
import { gitTree } from "../../src/git/git-tree.ts";
import { resolveBase } from "../../src/git/resolve-commit.ts";
import { git } from "../slow/security/support/proposal.ts";

const host: GitHost = { env: process.env, platform: process.platform, uid: process.geteuid?.() ?? null };
let top: string;
let main: string;

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "edgewise-find-")));
  main = join(top, "main");
  await mkdir(join(main, "infra"), { recursive: true });
  git(main, "init", "-q", "-b", "main");
  await writeFile(join(main, "infra", "a.yaml"), "a");
  git(main, "add", "-A");
  git(main, "commit", "-qm", "one");
});

afterEach(() => rm(top, { recursive: true, force: true }));

/** Finds the repository of a directory, and reads `a.yaml` of HEAD below it. */
async function found(directory: string, as: GitHost = host) {
  const repository = await findRepository(directory, as);
  const { commit } = await resolveBase(repository, "HEAD");
  const tree = await gitTree(repository, commit, directory);
  const content = Buffer.from(await tree.read("a.yaml")).toString();
  return { gitDir: repository.gitDir, workTree: repository.workTree, content };
}

describe("findRepository", () => {
  it("looks upward from a subdirectory", async () => {
    expect(await found(join(main, "infra"))).toEqual({ gitDir: join(main, ".git"), workTree: main, content: "a" });
  });

  it("takes a work tree of git worktree add", async () => {
    const linked = join(top, "linked");
    git(main, "worktree", "add", "-q", linked, "-b", "linked");
    expect(await found(join(linked, "infra"))).toEqual({
      gitDir: join(main, ".git", "worktrees", "linked"),
      workTree: linked,
      content: "a",
    });
  });

  it("accepts a repository in another place", async () => {
    git(main, "init", "-q", "--separate-git-dir", join(top, "elsewhere"));
    expect((await found(join(main, "infra"))).gitDir).toBe(join(top, "elsewhere"));
  });

  it("doesn't accept a bare repository", async () => {
    git(top, "clone", "-q", "--bare", main, join(top, "bare"));
    await expect(findRepository(join(top, "bare"), host)).rejects.toThrow("is not in a git work tree");
  });

  it.skipIf(process.getuid?.() !== 0)("lets git check the owner where Node can't", async () => {
    const windows = { ...host, uid: null };
    expect((await found(join(main, "infra"), windows)).content).toBe("a");
    await lchown(main, 12_345, 12_345);
    await expect(findRepository(main, windows)).rejects.toThrow("dubious ownership");
    const trusted = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: main };
    expect((await found(join(main, "infra"), { ...windows, env: { ...process.env, ...trusted } })).content).toBe("a");
  });
});

describe("findGit", () => {
  it("needs no HOME, and takes none that is relative or in the work tree", async () => {
    for (const home of [undefined, "", "here", main, join(main, "infra")]) {
      const { environment } = await findGit({ ...host, env: { PATH: process.env["PATH"], HOME: home } }, main);
      expect(environment).not.toHaveProperty("HOME");
    }
    const { environment } = await findGit({ ...host, env: { PATH: process.env["PATH"], HOME: top } }, main);
    expect(environment["HOME"]).toBe(top);
  });

  it("removes relative directories and those of the work tree from git's PATH", async () => {
    const path = `:.:bin:${main}:${join(main, "infra")}:${process.env["PATH"] ?? ""}:${main}/`;
    const { environment } = await findGit({ ...host, env: { PATH: path } }, main);
    expect(environment["PATH"]).toBe(process.env["PATH"]);
  });
});
