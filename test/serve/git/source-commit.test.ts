import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
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

async function opened() {
  const reader = world.reader();
  const record = await reader.fetch(world.source(repository), null, never);
  expect(record.problem).toBeNull();
  return reader.open(world.source(repository), record.followed ?? "");
}
const link = (target: string, path: string) => {
  mkdirSync(join(repository, path, ".."), { recursive: true });
  symlinkSync(target, join(repository, path));
};

describe("findConfigs", () => {
  it("finds what a pattern with one * matches, sorted", async () => {
    for (const path of ["t/b/edgewise.yaml", "t/a/edgewise.yaml", "t/a/x/edgewise.yaml", "t/.git2/edgewise.yaml"])
      world.commit(repository, path);
    world.commit(repository, "t/edgewise.yaml");
    const commit = await opened();
    expect(await commit.findConfigs("t/*/edgewise.yaml")).toEqual([
      { path: "t/a/edgewise.yaml", match: "a" },
      { path: "t/b/edgewise.yaml", match: "b" },
    ]);
    expect(await commit.findConfigs("t/a/*.yaml")).toEqual([{ path: "t/a/edgewise.yaml", match: "edgewise" }]);
    expect(await commit.findConfigs("*/a/edgewise.yaml")).toEqual([{ path: "t/a/edgewise.yaml", match: "t" }]);
    expect(await commit.findConfigs("none/*/edgewise.yaml")).toEqual([]);
  });

  it("survives file names from hell", async () => {
    const blob = git(repository, "rev-parse", "HEAD:edgewise.yaml");
    const names = [
      Buffer.from("new\nline"),
      Buffer.from([0x66, 0xff, 0xfe]),
      Buffer.from("-option"),
      Buffer.from('"quoted"\ttab\\'),
      Buffer.from("*"),
      Buffer.from("x".repeat(3000)),
      Buffer.from("..."),
      Buffer.from("…ü\u202e"),
    ];
    const tree = (lines: readonly Buffer[]) =>
      execFileSync("git", ["mktree", "-z"], { cwd: repository, input: Buffer.concat(lines), encoding: "utf8" }).trim();
    const inner = tree([Buffer.from(`100644 blob ${blob}\tedgewise.yaml\0`)]);
    const middle = tree(
      names.map((name) => Buffer.concat([Buffer.from(`040000 tree ${inner}\t`), name, Buffer.from("\0")])),
    );
    const top = tree([Buffer.from(`040000 tree ${middle}\tt\0`), Buffer.from(`100644 blob ${blob}\tedgewise.yaml\0`)]);
    git(repository, "update-ref", "refs/heads/main", git(repository, "commit-tree", top, "-m", "x"));
    const commit = await opened();
    const found = await commit.findConfigs("t/*/edgewise.yaml");
    // The dot names are hidden, and what is not UTF-8 has no name.
    expect(found.map(({ match }) => match).sort()).toEqual(
      ["new\nline", "-option", '"quoted"\ttab\\', "*", "x".repeat(3000), "…ü\u202e"].sort(),
    );
    for (const { path } of found) expect(await commit.readConfig(path)).toContain("edgewise/v1");
    const ids = await commit.directoryIds(found.map(({ match }) => `t/${match}`));
    expect(new Set([...ids.values()].map((one) => one?.id))).toEqual(new Set([inner]));
  });
});

describe("readConfig", () => {
  it("gives the text, null without one, and follows a link inside the commit only", async () => {
    world.commit(repository, "shared/base.yaml", "shared: true\n");
    link("../shared/base.yaml", "a/edgewise.yaml");
    link("/etc/passwd", "b/edgewise.yaml");
    link("../../../../../../etc/passwd", "c/edgewise.yaml");
    link("edgewise.yaml", "d/edgewise.yaml");
    world.commit(repository, "x");
    const commit = await opened();
    expect(await commit.readConfig("a/edgewise.yaml")).toBe("shared: true\n");
    expect(await commit.readConfig("none/edgewise.yaml")).toBeNull();
    expect(await commit.readConfig("shared")).toBeNull();
    for (const path of ["b", "c", "d"])
      await expect(commit.readConfig(`${path}/edgewise.yaml`)).rejects.toMatchObject({ code: "config" });
  });
});

describe("tree", () => {
  it("follows no link out of its directory", async () => {
    world.commit(repository, "t/b/secret.yaml", "secret");
    link("../b/secret.yaml", "t/a/x.yaml");
    link("../b", "t/a/dir");
    link("/etc/passwd", "t/a/y.yaml");
    world.commit(repository, "x");
    const tree = await (await opened()).tree("t/a");
    for (const path of ["x.yaml", "y.yaml", "dir/secret.yaml"])
      await expect(tree.read(path)).rejects.toThrow("leads out");
  });

  it("does not read a file that is too large, whatever its size", async () => {
    writeFileSync(join(repository, "large.yaml"), Buffer.alloc(100 * 1024 * 1024));
    world.commit(repository, "small.yaml", "small");
    const commit = await opened();
    const tree = await commit.tree("");
    await expect(tree.read("large.yaml")).rejects.toThrow("it has more than");
    expect(Buffer.from(await tree.read("small.yaml")).toString()).toBe("small");
  });
});
