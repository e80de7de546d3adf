import { execFileSync } from "node:child_process";
import { chownSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GitWorld, git, gitWorld, never } from "./support/git-world.ts";

let world: GitWorld;
let repository: string;
beforeEach(() => {
  world = gitWorld();
  repository = world.repository();
});
afterEach(() => world.end());

function trap(): { readonly program: string; readonly sprung: () => boolean } {
  const trace = join(world.top, "sprung");
  const program = join(world.top, "trap.sh");
  writeFileSync(program, `#!/bin/sh\ntouch ${trace}\nexec "$@"\n`, { mode: 0o755 });
  return { program, sprung: () => existsSync(trace) };
}

describe("a repository of this machine", () => {
  it("runs none of the programs that its configuration and its hooks name", async () => {
    const { program, sprung } = trap();
    const settings = [
      "uploadpack.packObjectsHook",
      "core.fsmonitor",
      "core.sshCommand",
      "gpg.program",
      "filter.f.smudge",
    ];
    for (const setting of settings) git(repository, "config", setting, program);
    git(repository, "config", "protocol.allow", "always");
    git(repository, "config", "core.hooksPath", join(repository, ".git/hooks"));
    for (const hook of ["post-upload-pack", "reference-transaction", "post-checkout"])
      writeFileSync(join(repository, ".git/hooks", hook), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
    const source = world.source(repository);
    const reader = world.reader();
    const record = await reader.fetch(source, null, never);
    expect(record.problem).toBeNull();
    await (await reader.open(source, record.followed ?? "")).tree("");
    expect(sprung()).toBe(false);
  });

  it("fetches nothing from a repository that it names itself, and runs no program for that", async () => {
    const { program, sprung } = trap();
    const blob = git(repository, "rev-parse", "HEAD:edgewise.yaml");
    git(repository, "config", "core.repositoryFormatVersion", "1");
    git(repository, "config", "extensions.partialClone", "evil");
    git(repository, "config", "remote.evil.url", world.repository("evil"));
    git(repository, "config", "remote.evil.promisor", "true");
    git(repository, "config", "remote.evil.uploadpack", program);
    rmSync(join(repository, ".git/objects", blob.slice(0, 2), blob.slice(2)));
    const record = await world.reader().fetch(world.source(repository), null, never);
    expect(record).toMatchObject({ followed: null });
    expect(record.problem).not.toBeNull();
    expect(sprung()).toBe(false);
  });

  it("must not borrow the objects of another one", async () => {
    git(world.top, "clone", "-q", "--shared", repository, "shared");
    const { problem } = await world.reader().fetch(world.source(join(world.top, "shared")), null, never);
    expect(problem?.code).toBe("unusable");
    expect(problem?.message).toContain("borrows objects of another repository; run `git repack -ad`");
  });

  // Only root can give files away.
  it.runIf(userInfo().uid === 0)("of another user is refused", async () => {
    chownSync(join(repository, ".git"), 12_345, 12_345);
    const host = { env: { PATH: process.env["PATH"] } };
    const { problem } = await world.reader({ host }).fetch(world.source(repository), null, never);
    expect(problem).toMatchObject({ code: "unusable" });
    expect(problem?.message).toContain("safe.directory");
  });
});

describe("the clone", () => {
  it("takes no tree with names that lead out", async () => {
    const blob = git(repository, "rev-parse", "HEAD:edgewise.yaml");
    const mktree = (line: string) =>
      execFileSync("git", ["mktree"], { cwd: repository, input: line, encoding: "utf8" }).trim();
    for (const name of ["..", ".git", ".GIT"]) {
      const inner = mktree(`100644 blob ${blob}\tx\n`);
      const tree = mktree(`040000 tree ${inner}\t${name}\n`);
      git(repository, "update-ref", "refs/heads/main", git(repository, "commit-tree", tree, "-m", "x"));
      const record = await world.reader().fetch(world.source(repository), null, never);
      expect(record, name).toMatchObject({ followed: null, problem: { code: "unusable" } });
    }
  });
});

describe("an address", () => {
  it.each([
    ["ext::sh -c touch% /tmp/x", "none of"],

    ["git://example.com/x", "none of"],

    ["http://example.com/x", "https"],
    ["https://me:pass@example.com/x", "password"],

    ["ssh://-oProxyCommand=x/y", "ssh"],

    ["host:-x", "none of"],
    ["--upload-pack=x", "none of"],
    ["relative/path", "none of"],

    ["/path\nwith", "none of"],
  ])("like %j is refused, without its password", async (address, why) => {
    const { problem } = await world.reader().fetch(world.source(address), null, never);
    expect(problem).toMatchObject({ code: "unusable" });
    expect(problem?.message).toContain(why);
    expect(problem?.message).not.toContain("pass@");
    expect(existsSync(world.state)).toBe(false);
  });

  it.each(["--upload-pack=x", "a b", "ref*", "a..b", "x.lock"])("like the ref %j is refused", async (ref) => {
    const { problem } = await world.reader().fetch(world.source(repository, { ref }), null, never);
    expect(problem).toMatchObject({ code: "unusable" });
  });
});
