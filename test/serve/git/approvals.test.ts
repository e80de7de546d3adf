import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ApprovalQuestion } from "../../../src/serve/git/source-reader.ts";
import { createSourceReader } from "../../../src/serve/git/create-source-reader.ts";
import { type GitWorld, git, gitWorld, killGroup, never } from "./support/git-world.ts";

let keys: GitWorld;
let world: GitWorld;
let repository: string;
let approvers: string;
let tip: string;
const digest = "d".repeat(64);

beforeAll(() => {
  keys = gitWorld();
  for (const name of ["ann", "ann2", "bob", "eve"]) key(name);
});
afterAll(() => keys.end());
beforeEach(() => {
  world = gitWorld();
  repository = world.repository();
  git(repository, "config", "gpg.format", "ssh");
  approvers = world.file("approvers", `ann@example.com ${publicKey("ann")}bob@example.com ${publicKey("bob")}`);
  tip = world.commit(repository, "shop/a.yaml");
});
afterEach(() => world.end());

function key(name: string): void {
  const path = join(keys.top, name);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path], { stdio: "ignore" });
}
const publicKey = (name: string) => readFileSync(join(keys.top, `${name}.pub`), "utf8");

const nameOf = (approver: string, more: Partial<ApprovalQuestion> = {}) =>
  `edgewise/approve/${more.stack ?? "shop"}/${more.digest ?? digest}/${approver}@example.com`;

function tag(approver: string, { by = approver, name = nameOf(approver), message = "why not" } = {}): string {
  git(repository, "tag", "-f", "-s", "-u", join(keys.top, by), "-m", message, name);
  return git(repository, "rev-parse", name);
}

function signedCommit(by: string, path: string, ...more: readonly string[]): string {
  git(repository, "config", "user.signingKey", join(keys.top, by));
  return world.commit(repository, path, `${path} ${by}`, "-S", ...more);
}

function makeReader() {
  return createSourceReader({
    directory: world.state,
    host: { env: process.env },
    now: Date.now,
    readSecret: async () => "",
    killGroup,
  });
}

async function asked(more: Partial<ApprovalQuestion> = {}, source = {}) {
  const reader = makeReader();
  const from = world.source(repository, source);
  try {
    await reader.fetch(from, null, never);
    const at = git(repository, "rev-parse", "HEAD");
    const question = { stack: "shop", digest, approvers, since: at, tip: at, directory: "shop", ...more };
    return await reader.readApprovals(from, question, never);
  } finally {
    await reader.close();
  }
}

describe("a tag that approves", () => {
  it("counts for a stack whose name has a slash, over any number of approvers, and among any number of tags", async () => {
    const others = Array.from({ length: 600 }, (_, number) => nameOf(`eve${number}`, { stack: "tenants/acme" }));
    const input = others.map((name) => `create refs/tags/${name} ${tip}\n`).join("");
    execFileSync("git", ["update-ref", "--stdin"], { cwd: repository, input });
    const object = tag("ann", { name: nameOf("ann", { stack: "tenants/acme" }), message: "the launch\n\nsecond line" });
    tag("bob", { name: nameOf("bob", { stack: "tenants/acme" }) });
    const { approvals } = await asked({ stack: "tenants/acme" });
    expect(approvals.map(({ approver }) => approver)).toEqual(["ann@example.com", "bob@example.com"]);
    expect(approvals[0]).toEqual({
      tag: object,
      digest,
      approver: "ann@example.com",
      message: "the launch second line",
    });
  });

  it("does not count when it is not annotated, not signed, tampered with, of a stranger, or for something else", async () => {
    for (const [make, problem] of [
      [() => git(repository, "tag", nameOf("ann")), /is not annotated/],
      [() => git(repository, "tag", "-a", "--no-sign", "-m", "x", nameOf("ann")), /is not signed by ann/],
      [() => tag("ann", { by: "eve" }), /is not signed by ann/],
      [
        () => {
          const text = execFileSync("git", ["cat-file", "tag", tag("ann")], { cwd: repository, encoding: "utf8" });
          const other = execFileSync("git", ["hash-object", "-t", "tag", "-w", "--stdin"], {
            cwd: repository,
            input: text.replace("why not", "why yes"),
            encoding: "utf8",
          }).trim();
          git(repository, "update-ref", `refs/tags/${nameOf("ann")}`, other);
        },
        /is not signed by ann/,
      ],
    ] as const) {
      make();
      expect(await asked()).toEqual({ approvals: [], problems: [expect.stringMatching(problem)] });
      git(repository, "tag", "-d", nameOf("ann"));
    }
    tag("eve");
    tag("ann", { name: nameOf("ann", { digest: "e".repeat(64) }) });
    tag("ann", { name: nameOf("ann", { stack: "shop2" }) });
    expect(await asked()).toEqual({ approvals: [], problems: [] });
  });

  it("does not count when its key has expired, whatever date is in it", async () => {
    writeFileSync(approvers, `ann@example.com valid-before="20250101" ${publicKey("ann")}`);
    execFileSync("git", ["-C", repository, "tag", "-s", "-u", join(keys.top, "ann"), "-m", "x", nameOf("ann")], {
      env: { ...process.env, GIT_COMMITTER_DATE: "2024-06-01T00:00:00Z" },
    });
    const { approvals, problems } = await asked();
    expect(approvals).toEqual([]);
    expect(problems.join()).toMatch(/is not signed by ann@example.com with a key .* that is valid today/);
  });
});

describe("who signed what is approved", () => {
  const since = () => tip;

  it("can't approve it, however far down it is and whichever key it was signed with", async () => {
    const before = since();
    const own = signedCommit("ann", "shop/b.yaml");
    world.commit(repository, "shop/c.yaml", "c", "--no-gpg-sign");
    tag("ann");
    expect(await asked({ since: before })).toEqual({
      approvals: [],
      problems: [expect.stringContaining(`signed commit ${own.slice(0, 12)}`)],
    });
    writeFileSync(approvers, `ann@example.com ${publicKey("ann2")}`);
    tag("ann", { by: "ann2" });
    expect((await asked({ since: before })).approvals).toHaveLength(1);
    const signedBy = world.file("signers", `ann@example.com ${publicKey("ann")}`);
    signedCommit("ann", "other/x");
    expect((await asked({ since: before }, { signedBy })).approvals).toHaveLength(0);
    writeFileSync(
      approvers,
      `ann@example.com ${publicKey("ann2")}ann@example.com valid-before="20200101" ${publicKey("ann")}`,
    );
    expect((await asked({ since: before })).approvals).toHaveLength(0);
  });

  it("can't approve what they wrote or merged, nor anybody what nobody signed, where commits must be signed", async () => {
    const signedBy = world.file("signers", readFileSync(approvers, "utf8"));
    const before = signedCommit("bob", "shop/a.yaml");
    tag("ann");
    tag("bob");
    const approved = async () => {
      const { approvals, problems } = await asked({ since: before }, { signedBy });
      return [approvals.map(({ approver }) => approver.replace(/@.*/, "")).join(), problems.join("; ")];
    };
    const first = signedCommit("bob", "shop/b.yaml");
    expect(await approved()).toEqual(["ann", expect.stringContaining(`wrote or signed commit ${first.slice(0, 12)}`)]);
    const authored = signedCommit("bob", "shop/c.yaml", "--author", "Ann <Ann@example.com>");
    expect(await approved()).toEqual(["", expect.stringContaining(`wrote or signed commit ${authored.slice(0, 12)}`)]);
    git(repository, "reset", "-q", "--hard", before);
    const other = signedCommit("bob", "other/x");
    const back = ["-p", `${before}~1`, "-p", other, `-S${join(keys.top, "ann")}`, `${before}~1^{tree}`, "-m", "x"];
    git(repository, "reset", "-q", "--hard", git(repository, "commit-tree", ...back));
    expect(await approved()).toEqual(["bob", expect.stringContaining("wrote or signed commit")]);
    git(repository, "checkout", "-q", "-b", "side", before);
    const side = world.commit(repository, "shop/side.yaml", "x", "--no-gpg-sign");
    git(repository, "checkout", "-q", "-B", "main", before);
    git(repository, "merge", "-q", "--no-ff", `-S${join(keys.top, "bob")}`, "-m", "merge", "side");
    const message = `commit ${side.slice(0, 12)}, which touches the stack since it was last in sync, is not signed by anyone in`;
    expect(await approved()).toEqual(["", expect.stringContaining(message)]);
  });
});

describe("a list of what may be approved", () => {
  it("tells which stacks have tags, and when they change", async () => {
    tag("ann");
    const reader = makeReader();
    try {
      const source = world.source(repository);
      const waiting = [
        { stack: "shop", digest },
        { stack: "other", digest },
      ];
      const first = await reader.listApprovals(source, waiting, never);
      expect([...first.keys()]).toEqual(["shop"]);
      expect(await reader.listApprovals(source, waiting, never)).toEqual(first);
      tag("bob");
      expect(await reader.listApprovals(source, waiting, never)).not.toEqual(first);
      mkdirSync(join(world.top, "away"));
      expect(await reader.listApprovals(world.source(join(world.top, "away")), waiting, never)).toEqual(new Map());
    } finally {
      await reader.close();
    }
  });
});
