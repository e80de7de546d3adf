import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GitServer, gitServer } from "./support/git-server.ts";
import { type GitWorld, git, gitWorld, never } from "./support/git-world.ts";

let world: GitWorld;
let repository: string;
const servers: GitServer[] = [];
beforeEach(() => {
  world = gitWorld();
  repository = world.repository();
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.end()));
  await world.end();
});

const clone = () => join(world.state, readdirSync(world.state).find((name) => !name.endsWith(".new")) ?? "");

async function silent(): Promise<GitServer> {
  const server = await gitServer(world.top, { answer: () => true });
  servers.push(server);
  return server;
}

function running(text: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false;
    }
  });
}

describe("a remote that never answers", () => {
  it("is unreachable after the deadline, and no process is left", async () => {
    const { url } = await silent();
    const record = await world.reader({ deadline: 700 }).fetch(world.source(`${url}edge.git`), null, never);
    expect(record.problem).toMatchObject({ code: "unreachable" });
    expect(record.problem?.message).toContain("took longer than 0.7 s");
    // Those that were killed need a moment to end.
    await expect.poll(() => running(url)).toEqual([]);
  });
});

describe("a remote whose small pack becomes large", () => {
  const hash = (type: string, input: Uint8Array | string): string =>
    execFileSync("git", ["hash-object", "-t", type, "-w", "--stdin"], {
      cwd: repository,
      input,
      encoding: "utf8",
    }).trim();
  const mktree = (lines: readonly string[]): string =>
    execFileSync("git", ["mktree"], { cwd: repository, input: lines.join(""), encoding: "utf8" }).trim();
  const commitOf = (bytes: number): string => {
    const text = execFileSync("git", ["cat-file", "commit", "HEAD"], { cwd: repository });
    return hash("commit", Buffer.concat([text, Buffer.alloc(bytes, "a")]));
  };
  const files = (count: number, name: (index: number) => string): string => {
    const blob = git(repository, "rev-parse", "HEAD:edgewise.yaml");
    return mktree(Array.from({ length: count }, (_, index) => `100644 blob ${blob}\t${name(index)}\n`));
  };
  const holding = (tree: string): string => git(repository, "commit-tree", "-p", "HEAD", "-m", "x", tree);

  it.each<[string, () => string, string, RegExp]>([
    [
      "a commit of 160 MiB",
      () => commitOf(160 << 20),
      "too-large",
      /sends a commit, tag, tree or delta of more than 128 MiB/,
    ],
    ["a commit of 2 MiB", () => commitOf(2 << 20), "too-large", /is a commit or tag of more than 1 MiB/],

    [
      "200,000 files",
      () => {
        const tree = files(1000, (index) => `f${index}`);
        const trees = Array.from({ length: 200 }, (_, index) => `040000 tree ${tree}\td${index}\n`);
        return holding(mktree(trees));
      },
      "unusable",
      /holds more than 100,000 files and directories/,
    ],
  ])("is refused with %s, what was followed stays, and another source goes on", async (_, make, code, message) => {
    const reader = world.reader();
    const before = await reader.fetch(world.source(repository), null, never);
    const ref = make();
    const isTag = git(repository, "cat-file", "-t", ref) === "tag";
    git(repository, "update-ref", isTag ? "refs/tags/main" : "refs/heads/main", ref);
    if (isTag) git(repository, "update-ref", "-d", "refs/heads/main");
    const record = await reader.fetch(world.source(repository), before, never);
    expect(record).toMatchObject({ followed: before.followed, problem: { code } });
    expect(record.problem?.message).toMatch(message);
    const other = world.source(world.repository("other"), { name: "other" });
    expect(await reader.fetch(other, null, never)).toMatchObject({ problem: null });
  });
});

describe("one clone", () => {
  it("that lost bytes says so, and is made anew when it is removed", async () => {
    const source = world.source(repository);
    // Not compressible, so that the middle of the pack is in this file.
    const tip = world.commit(repository, "big", randomBytes(100_000).toString("base64"));
    const before = await world.reader().fetch(source, null, never);
    const packs = join(clone(), "objects/pack");
    const pack = join(packs, readdirSync(packs).find((name) => name.endsWith(".pack")) ?? "");
    const bytes = readFileSync(pack);
    chmodSync(pack, 0o600);
    const middle = bytes.length >> 1;
    writeFileSync(pack, bytes.fill(0, middle, middle + 100));
    await expect((await world.reader().open(source, tip)).readConfig("big")).rejects.toThrow("git");
    rmSync(clone(), { recursive: true });
    const reader = world.reader();
    expect(await reader.fetch(source, before, never)).toMatchObject({ followed: tip, problem: null });
    expect(await (await reader.open(source, tip)).readConfig("big")).toHaveLength(133_336);
  });
});
