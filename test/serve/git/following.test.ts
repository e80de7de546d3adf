import { readdirSync, rmSync } from "node:fs";
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

const clones = () => readdirSync(world.state);

describe("fetching a source", () => {
  it("refuses a name that is a branch and a tag, unless it is written in full", async () => {
    git(repository, "tag", "main");
    const head = world.commit(repository, "b");
    const reader = world.reader();
    const record = await reader.fetch(world.source(repository), null, never);
    expect(record.problem).toMatchObject({ code: "unusable" });
    expect(record.problem?.message).toContain("write refs/heads/main or refs/tags/main in `ref`");
    const full = world.source(repository, { ref: "refs/heads/main" });
    expect(await reader.fetch(full, null, never)).toMatchObject({ followed: head, problem: null });
  });

  it("can't read a repository whose ids are of another sort, and says so", async () => {
    const other = join(world.top, "sha256");
    git(world.top, "init", "-q", "-b", "main", "--object-format=sha256", other);
    world.commit(other, "a");
    const { problem } = await world.reader().fetch(world.source(other), null, never);
    expect(problem).toMatchObject({ code: "unusable" });
    expect(problem?.message).toContain("sha256");
  });

  it("does not follow a tag of something that is not a commit", async () => {
    git(repository, "tag", "blob", git(repository, "rev-parse", "HEAD:edgewise.yaml"));
    const record = await world.reader().fetch(world.source(repository, { ref: "blob" }), null, never);
    expect(record).toMatchObject({ followed: null, problem: { code: "unusable" } });
  });

  it("fetches nothing but the ref", async () => {
    git(repository, "tag", "v1");
    git(repository, "branch", "other");
    git(repository, "checkout", "-q", "other");
    const other = world.commit(repository, "secret");
    const reader = world.reader();
    const record = await reader.fetch(world.source(repository), null, never);
    const clone = join(world.state, clones()[0] ?? "");
    expect(git(clone, "for-each-ref", "--format=%(refname)").split("\n")).toEqual([
      "refs/edgewise/followed",
      "refs/edgewise/tip/0",
    ]);
    expect(record.problem).toBeNull();
    await expect(reader.open(world.source(repository), other)).rejects.toThrow("git has no object");
  });
});

describe("a tip", () => {
  it("that does not descend from the followed commit is not followed, until it is accepted", async () => {
    const followed = world.commit(repository, "b");
    const reader = world.reader();
    const before = await reader.fetch(world.source(repository), null, never);
    git(repository, "reset", "-q", "--hard", "HEAD~1");
    const tip = world.commit(repository, "c");
    const record = await reader.fetch(world.source(repository), before, never);
    expect(record).toMatchObject({ followed, tip, problem: { code: "rewound" } });
    expect(record.problem?.message).toContain(`list ${tip} below \`accept\` of the source edge`);
    expect((await reader.open(world.source(repository), followed)).commit).toBe(followed);
    const again = await reader.fetch(world.source(repository), record, never);
    expect(again.problem?.since).toBe(record.problem?.since);
    const accepted = await reader.fetch(world.source(repository, { accept: [tip] }), again, never);
    expect(accepted).toMatchObject({ followed: tip, tip, problem: null });
  });

  it("is rewound even when the clone was lost meanwhile", async () => {
    const followed = world.commit(repository, "b");
    const before = await world.reader().fetch(world.source(repository), null, never);
    rmSync(world.state, { recursive: true });
    git(repository, "reset", "-q", "--hard", "HEAD~1");
    world.commit(repository, "c");
    const record = await world.reader().fetch(world.source(repository), before, never);
    expect(record).toMatchObject({ followed, problem: { code: "rewound" } });
  });
});

describe("a pin", () => {
  it("holds the source at its commit, and lets it go on from there", async () => {
    const old = git(repository, "rev-parse", "HEAD");
    const tip = world.commit(repository, "b");
    const reader = world.reader();
    let record = await reader.fetch(world.source(repository), null, never);
    record = await reader.fetch(world.source(repository, { pin: old }), record, never);
    expect(record).toMatchObject({ followed: old, tip, problem: null });
    record = await reader.fetch(world.source(repository), record, never);
    expect(record).toMatchObject({ followed: tip, problem: null });
  });
});

describe("what is gone", () => {
  it("keeps the followed commit: a branch, and a repository", async () => {
    const reader = world.reader();
    const source = world.source(repository);
    const before = await reader.fetch(source, null, never);
    git(repository, "branch", "-m", "elsewhere");
    const branch = await reader.fetch(source, before, never);
    expect(branch).toMatchObject({ followed: before.followed, problem: { code: "missing" } });
    expect(branch.fetchedAt).toBe(before.fetchedAt);
    expect(branch.problem?.message).toContain('has no branch or tag "main"');
    rmSync(repository, { recursive: true });
    expect(await reader.fetch(source, before, never)).toMatchObject({
      followed: before.followed,
      problem: { code: "missing" },
    });
    expect(await (await reader.open(source, before.followed ?? "")).readConfig("edgewise.yaml")).not.toBeNull();
  });
});

describe("another address or ref of the same source", () => {
  it("starts anew, with objects of its own", async () => {
    const reader = world.reader();
    // Of two repositories that are made within a second, the first commits are one.
    world.commit(repository, "own");
    const before = await reader.fetch(world.source(repository), null, never);
    const other = world.repository("other");
    const head = world.commit(other, "x");
    const source = world.source(other);
    expect(await reader.fetch(source, before, never)).toMatchObject({ followed: head, problem: null });
    expect(clones()).toHaveLength(2);
    await expect(reader.open(source, before.followed ?? "")).rejects.toThrow("git has no object");
    expect((await reader.open(world.source(repository), before.followed ?? "")).commit).toBe(before.followed);
  });
});
