import { execFileSync } from "node:child_process";
import { appendFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findRepository } from "../../../../src/git/find-repository.ts";
import { resolveBase } from "../../../../src/git/resolve-commit.ts";
import { backend } from "../../../commands/stage.ts";
import { type Proposal, git, proposal } from "../support/proposal.ts";

/** A commit that says of itself what main is not. */
async function otherCommit(p: Proposal): Promise<string> {
  p.git("checkout", "-q", "--orphan", "other");
  await p.write("infra/edge/b.yaml", backend("b", "status_code: 500"));
  p.git("add", "-A");
  p.git("commit", "-qm", "other");
  const commit = p.git("rev-parse", "HEAD");
  p.git("checkout", "-qf", "proposal");
  return commit;
}

describe("The repository presents another history than its commits → the commits themselves count", () => {
  it("a replaced commit", async () => {
    const p = await proposal();
    p.git("replace", "main", await otherCommit(p));
    await p.expectOrdinary();
  });

  it("a replaced blob", async () => {
    const p = await proposal();
    await p.write("infra/edge/c.yaml", "broken: [\n");
    const broken = p.git("hash-object", "-w", "infra/edge/c.yaml");
    await rm(join(p.infra, "edge", "c.yaml"));
    p.git("replace", p.git("rev-parse", "main:infra/edge/b.yaml"), broken);
    await p.expectOrdinary();
  });

  it("a graft", async () => {
    const p = await proposal();
    const other = await otherCommit(p);
    await writeFile(join(p.top, ".git", "info", "grafts"), `${p.git("rev-parse", "proposal")} ${other}\n`);
    await p.expectOrdinary();
  });

  it("a commit graph that says something else", async () => {
    const p = await proposal();
    // Git reads the commits that it is asked for from their objects, and those between from the graph.
    p.git("commit", "-q", "--allow-empty", "-m", "three");
    p.git("commit-graph", "write", "--reachable");
    const graph = join(p.top, ".git", "objects", "info", "commit-graph");
    const bytes = await readFile(graph);
    // The commits' data: every parent becomes "none".
    const data = bytes.indexOf("CDAT");
    const at = Number(bytes.readBigUInt64BE(data + 4));
    for (let row = 0; row < 3; row += 1) bytes.writeUInt32BE(0x70000000, at + row * 36 + 20);
    await rm(graph, { force: true });
    await writeFile(graph, bytes);
    await p.expectOrdinary();
  });
});

describe("A tag or a branch takes the name of the branch that is compared with → an ambiguous name is refused, and a full name means itself", () => {
  const ambiguous: readonly (readonly [string, readonly string[]])[] = [
    ["a tag", ["refs/tags/origin/main"]],
    ["a local branch", ["refs/heads/origin/main"]],
    ["a tag and a branch", ["refs/tags/origin/main", "refs/heads/origin/main"]],
    ["a ref of no room", ["refs/origin/main"]],
    ["a remote of this name", ["refs/remotes/origin/main/HEAD"]],
  ];
  it.each(ambiguous)("%s", async (_, names) => {
    const p = await proposal();
    const other = await otherCommit(p);
    // A branch can't be a directory too, so that one stands elsewhere.
    const real = names[0]?.endsWith("/HEAD") === true ? "refs/tags/origin/main" : "refs/remotes/origin/main";
    p.git("update-ref", real, "main");
    for (const name of names) p.git("update-ref", name, other);
    const { exit, out, err } = await p.run(["plan", "--base", "origin/main"]);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain('"origin/main" is ambiguous');
    const full = await p.run(["plan", "--base", real, "-o", "json"]);
    expect(JSON.parse(full.out).base).toBe(p.git("rev-parse", "main"));
  });

  it.each(["origin/main~0", "origin/main^0", "origin/main@{0}"])("with a step: %s", async (ref) => {
    const p = await proposal();
    const other = await otherCommit(p);
    p.git("update-ref", "--create-reflog", "refs/remotes/origin/main", "main");
    p.git("update-ref", "--create-reflog", "refs/tags/origin/main", other);
    const { exit, err } = await p.run(["plan", "--base", ref]);
    expect(exit).toBe(1);
    expect(err).toContain("is ambiguous");
  });

  it("a tag that is called like the short id of another commit", async () => {
    const p = await proposal();
    const short = p.git("rev-parse", "--short=10", "main");
    expect((await p.run(["plan", "--base", short])).exit).toBe(0);
    p.git("update-ref", `refs/tags/${short}`, await otherCommit(p));
    const { exit, err } = await p.run(["plan", "--base", short]);
    expect(exit).toBe(1);
    expect(err).toContain(`"${short}" is ambiguous`);
    const full = await p.run(["plan", "--base", p.git("rev-parse", "main")]);
    expect(full.exit).toBe(0);
  });

  it("a tag that is called like a full name does not stand in for what is missing", async () => {
    const p = await proposal();
    p.git("update-ref", "refs/tags/refs/heads/gone", await otherCommit(p));
    const { exit, err } = await p.run(["plan", "--base", "refs/heads/gone"]);
    expect(exit).toBe(1);
    expect(err).toContain('git does not know a commit or branch "refs/heads/gone"');
  });

  it("two names of one commit are not ambiguous", async () => {
    const p = await proposal();
    p.git("update-ref", "refs/tags/origin/main", "main");
    p.git("update-ref", "refs/remotes/origin/main", "main");
    const { exit, out } = await p.run(["plan", "--base", "origin/main", "-o", "json"]);
    expect(exit).toBe(0);
    expect(JSON.parse(out).base).toBe(p.git("rev-parse", "main"));
  });

  it("a tag called HEAD", async () => {
    const p = await proposal();
    p.git("update-ref", "refs/tags/HEAD", await otherCommit(p));
    await p.expectOrdinary();
  });

  it.each(["FETCH_HEAD", "ORIG_HEAD"])("a tag called %s", async (name) => {
    const p = await proposal();
    await writeFile(join(p.top, ".git", name), `${p.git("rev-parse", "main")}\n`);
    expect((await p.run(["plan", "--base", name])).exit).toBe(0);
    p.git("update-ref", `refs/tags/${name}`, await otherCommit(p));
    const { exit, err } = await p.run(["plan", "--base", name]);
    expect(exit).toBe(1);
    expect(err).toContain(`"${name}" is ambiguous: ${name} and refs/tags/${name} are different commits`);
  });

  it("a branch called like a file", async () => {
    const p = await proposal();
    await p.write("main", "a file");
    await p.write("infra/main", "a file");
    p.git("add", "-A");
    p.git("commit", "-qm", "files");
    await p.expectOrdinary();
  });
});

describe("A ref looks like an option, a path or a command → it is a ref or it is refused", () => {
  const host = { env: process.env, platform: process.platform, uid: process.geteuid?.() ?? null };
  const refused = ["-x", "--output=ran", "--upload-pack=touch ran", "--git-dir=infra", "", " ", "a b", "a\0b"];
  const odd = ["main\nHEAD", "main\u001b[2J", "main\u0085", ":infra/edge/a.yaml", ":/one", "main:infra"];

  it.each([...refused, ...odd])("%j is refused", async (ref) => {
    const p = await proposal();
    const answer = resolveBase(await findRepository(p.infra, host), ref);
    await expect(answer).rejects.toThrow("is not the name of a commit or branch");
  });

  const paths = ["../../etc/passwd", "/etc/passwd", "config", "info/exclude", "main.lock"];
  const patterns = ["main..HEAD", "main...HEAD", "^main", "*", "ma?n", "ma[i]n", "%(refname)"];
  const others = ["@{-9}", "@{u}", "main^{tree}", "main^{blob}", "0", "gone"];

  it.each([...paths, ...patterns, ...others])("%j is unknown", async (ref) => {
    const p = await proposal();
    const answer = resolveBase(await findRepository(p.infra, host), ref);
    await expect(answer).rejects.toThrow(
      /^git (?:does not know a commit or branch|can't resolve)|names a range, not a commit$/u,
    );
  });

  const commands = ["$(touch${IFS}ran)", "`touch${IFS}ran`", "a;b", "a'b", 'a"b', "a|b", "a&b", "a%b", "#a"];
  const names = [
    "ü/ß",
    "@a",
    "a@b",
    "a{b}",
    "heads/x",
    "%(refname)",
    "0123456",
    "HEAD2",
    "config",
    "index",
    "hooks",
    "stash",
  ];

  it.each([...commands, ...names])("a branch called %j is read", async (name) => {
    const p = await proposal();
    p.git("update-ref", `refs/heads/${name}`, "main");
    const { mergeBase } = await resolveBase(await findRepository(p.infra, host), name);
    expect(mergeBase).toBe(p.git("rev-parse", "main"));
    expect(await readdir(p.infra)).not.toContain("ran");
  });

  it("what is to be pasted into a shell is quoted", async () => {
    const p = await proposal();
    p.git("remote", "add", "origin", "https://git.example.com/infra.git");
    const { err } = await p.run(["plan", "--base=origin/$(touch${IFS}ran)'"]);
    const branch = `$(touch\${IFS}ran)'\\''`;
    expect(err).toContain(`git fetch origin '${branch}:refs/remotes/origin/${branch}'`);
  });
});

describe("A commit holds odd names, or very many of them → they are files like others, or an error that says why", () => {
  /** A commit made of entries that a checkout would refuse. */
  function commitOf(p: Proposal, files: readonly (readonly [Buffer | string, string])[]): string {
    const stream: (Buffer | string)[] = ["commit refs/heads/odd\ncommitter a <a@b> 0 +0000\ndata 0\n"];
    for (const [path, text] of files) {
      const quoted = Buffer.concat([Buffer.from('"'), Buffer.from(path), Buffer.from('"')]);
      stream.push("M 100644 inline ", quoted, `\ndata ${Buffer.byteLength(text)}\n${text}\n`);
    }
    const input = Buffer.concat(stream.map((part) => Buffer.from(part)));
    execFileSync("git", ["fast-import", "--quiet", "--force"], { cwd: p.top, input, stdio: ["pipe", "pipe", "pipe"] });
    return p.git("rev-parse", "odd");
  }
  const config: readonly [string, string] = [
    "infra/edgewise.yaml",
    "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n",
  ];
  /** Makes the proposal a child of the commit. */
  function onto(p: Proposal, commit: string): void {
    const tree = p.git("rev-parse", "HEAD^{tree}");
    p.git("reset", "-q", "--soft", p.git("commit-tree", tree, "-p", commit, "-m", "onto"));
  }

  it.each<readonly [string, string]>([
    ["a newline", "infra/edge/a\\nb.yaml"],
    ["a tab", "infra/edge/a\\tb.yaml"],
    ["a quote and a backslash", 'infra/edge/a\\"\\\\b.yaml'],
    ["a dash", "infra/edge/--output=ran.yaml"],
    ["an escape sequence", "infra/edge/\\033[2Jb.yaml"],
    ["a command", "infra/edge/$(touch ran).yaml"],
    ["a very long name", `infra/edge/${"x".repeat(4000)}.yaml`],
    ["very many directories", `infra/edge/${"d/".repeat(900)}b.yaml`],
  ])("%s", async (_, path) => {
    const p = await proposal();
    onto(p, commitOf(p, [config, [path, backend("b")]]));
    const { exit, out } = await p.run(["plan", "--base", "odd", "-o", "json"]);
    expect(exit).toBe(0);
    const { changes } = JSON.parse(out) as { changes: { address: string; fields: { origin: string }[] }[] };
    expect(changes.map(({ address, fields }) => [address, fields[0]?.origin])).toEqual([
      ["HTTPResponseBackend/a", "desired"],
      ["HTTPResponseBackend/b", "drift"],
    ]);
  });

  it("names that are not UTF-8, and look alike", async () => {
    const p = await proposal();
    onto(p, commitOf(p, [config, ["infra/edge/\\377.yaml", backend("b")], ["infra/edge/\\376.yaml", backend("c")]]));
    const { exit, err } = await p.run(["plan", "--base", "odd"]);
    expect(exit).toBe(0);
    expect(err).toContain("is not UTF-8");
  });

  it("fifty thousand files", async () => {
    const p = await proposal();
    const many = Array.from({ length: 50_000 }, (_, n) => [`infra/edge/assets/${n % 100}/${n}.txt`, "x"] as const);
    onto(p, commitOf(p, [config, ["infra/edge/b.yaml", backend("b")], ...many]));
    const { exit, out } = await p.run(["plan", "--base", "odd", "-o", "json"]);
    expect(exit).toBe(0);
    expect(JSON.parse(out).base).toBe(p.git("rev-parse", "odd"));
  });

  it("a manifest that is too large", async () => {
    const p = await proposal();
    onto(p, commitOf(p, [config, ["infra/edge/b.yaml", `# ${"x".repeat(9_000_000)}\n`]]));
    const { exit, err } = await p.run(["plan", "--base", "odd"]);
    expect(exit).toBe(0);
    expect(err).toContain("more than the limit of 8388608");
  });
});

describe("The merge base can't be read → an error says what to do", () => {
  it("a shallow clone", async () => {
    const p = await proposal();
    const clone = join(p.outside, "clone");
    git(p.outside, "clone", "-q", "--depth", "1", "--no-single-branch", `file://${p.top}`, clone);
    const { exit, err } = await p.run(["plan", "--base", "origin/main"], { cwd: join(clone, "infra") });
    expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining("fetch-depth: 0") });
  });

  it.each(["commit", "tree"])("a missing %s", async (kind) => {
    const p = await proposal();
    const object = p.git("rev-parse", `main^{${kind}}`);
    await rm(join(p.top, ".git/objects", object.slice(0, 2), object.slice(2)));
    const { exit, out, err } = await p.run(["plan", "--base", "main"]);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toMatch(/[Ff]etch/u);
  });

  it.each<readonly [string, (p: Proposal) => Promise<void>]>([
    ["settings that are not settings", (p) => appendFile(join(p.top, ".git/config"), "]]]\n")],
    [
      "a version of the future",
      (p) => appendFile(join(p.top, ".git/config"), "[core]\n\trepositoryformatversion = 99\n"),
    ],
    ["a HEAD of nonsense", (p) => writeFile(join(p.top, ".git/HEAD"), "nonsense\n")],
    ["packed refs of nonsense", (p) => writeFile(join(p.top, ".git/packed-refs"), "nonsense\n")],
  ])("%s", async (_, spoil) => {
    const p = await proposal();
    await spoil(p);
    const { exit, out, err } = await p.run(["plan", "--base", "main"]);
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toMatch(/^error: git can't /u);
  });

  it("no repository", async () => {
    const p = await proposal();
    await rm(join(p.top, ".git"), { recursive: true });
    const { exit, err } = await p.run(["plan", "--base", "main"]);
    expect(exit).toBe(1);
    expect(err).toContain("is not in a git work tree");
  });

  it("an empty .git", async () => {
    const p = await proposal();
    await mkdir(join(p.infra, ".git"));
    // As git does, this one is passed by.
    await p.expectOrdinary();
  });
});
