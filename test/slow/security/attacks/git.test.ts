import { execFileSync } from "node:child_process";
import { appendFile, chmod, lchown, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backend } from "../../../commands/stage.ts";
import { type Proposal, git, proposal, writeCanary } from "../support/proposal.ts";

const path = process.env["PATH"] ?? "";
type Environment = { readonly [name: string]: string };

const base = (p: Proposal, ref = "main", more: { readonly cwd?: string; readonly env?: Environment } = {}) =>
  p.run(["plan", `--base=${ref}`, "-o", "json"], more);

async function expectError(p: Proposal, words: RegExp | string, ref = "main", more = {}): Promise<void> {
  const { exit, out, err } = await base(p, ref, more);
  expect({ exit, out }).toEqual({ exit: 1, out: "" });
  expect(err).toMatch(words);
  expect(err).not.toContain("bug in edgewise");
  expect(await p.canaryRan()).toBeNull();
}

async function otherCommit(p: Proposal): Promise<string> {
  p.git("checkout", "-q", "--orphan", "other");
  await p.write("infra/edge/b.yaml", backend("b", "status_code: 500"));
  p.git("add", "-A");
  p.git("commit", "-qm", "other");
  const commit = p.git("rev-parse", "HEAD");
  p.git("checkout", "-qf", "proposal");
  return commit;
}

async function withoutBlobs(p: Proposal): Promise<void> {
  for (const file of ["infra/edge/a.yaml", "infra/edge/b.yaml"]) {
    const object = p.git("rev-parse", `main:${file}`);
    await rm(join(p.top, ".git", "objects", object.slice(0, 2), object.slice(2)));
  }
}

const core = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tworktree = .\n";
const promisor = (url: string, more: string): string =>
  `[extensions]\n\tpartialClone = evil\n[remote "evil"]\n\tpromisor = true\n\turl = ${url}\n${more}`;

describe("a pull request commits a bare repository beside the configuration: only the work tree's own is read", () => {
  it("with a promisor", async () => {
    const p = await proposal();
    const made = join(p.outside, "bare");
    git(p.outside, "init", "-q", "--bare", made);
    await writeFile(join(made, "HEAD"), `${"1".repeat(40)}\n`);
    await writeFile(join(made, "config"), core + promisor(p.top, `\tuploadpack = ${p.canary}\n`));
    for (const part of ["HEAD", "config", "objects", "refs"]) await rename(join(made, part), join(p.infra, part));
    await p.expectOrdinary();
  });
});

describe("settings, attributes and hooks of the checkout name programs: none of them runs", () => {
  it.each<readonly [string, (p: Proposal) => string]>([
    [
      "fsmonitor, pager, editor",
      (p) => `[core]\n\tfsmonitor = ${p.canary}\n\tpager = ${p.canary}\n\teditor = ${p.canary}\n`,
    ],
    [
      "a filter, a conversion",
      (p) => `[filter "evil"]\n\tsmudge = ${p.canary}\n[diff "evil"]\n\ttextconv = ${p.canary}\n`,
    ],
    ["a file that was committed", (p) => `[include]\n\tpath = ${p.infra}/included\n`],
  ])("%s", async (_, config) => {
    const p = await proposal();
    await p.write("infra/included", `[core]\n\tfsmonitor = ${p.canary}\n`);
    await p.write(".gitattributes", "*.yaml filter=evil diff=evil working-tree-encoding=UTF-16\n");
    for (const hook of ["fsmonitor-watchman", "post-index-change", "reference-transaction"])
      await writeCanary(join(p.top, ".git", "hooks", hook), join(p.outside, "ran"));
    await appendFile(join(p.top, ".git", "config"), config(p));
    await p.expectOrdinary();
  });

  it("a partial clone that lacks the merge base says how to get it: nothing is fetched", async () => {
    const p = await proposal();
    await withoutBlobs(p);
    await appendFile(
      join(p.top, ".git/config"),
      promisor("ssh://127.0.0.1:1/x", `[core]\n\tsshCommand = ${p.canary}\n`),
    );
    p.git("config", "core.repositoryformatversion", "1");
    // An old git knows no GIT_NO_LAZY_FETCH.
    const old = join(p.outside, "old");
    await mkdir(old);
    await writeFile(join(old, "git"), `#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nPATH='${path}'\nexec git "$@"\n`);
    await chmod(join(old, "git"), 0o755);
    for (const env of [{ PATH: path }, { PATH: `${old}:${path}` }])
      await expectError(p, "git fetch --refetch --no-filter origin", "main", { env });
  });
});

describe("the environment", () => {
  it("gives git a PATH, a home and its own switches, and neither the key nor another secret", async () => {
    const p = await proposal("infra", "process");
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const notes = join(p.outside, "notes");
    await mkdir(join(p.outside, "bin"));
    const script = `#!/bin/sh\n{ env; echo "$@"; } >> '${notes}'\nexec '${real}' "$@"\n`;
    await writeFile(join(p.outside, "bin", "git"), script, { mode: 0o755 });
    const secrets = { GITHUB_TOKEN: "canary-1", GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.extraHeader" };
    const env = { ...secrets, GIT_CONFIG_VALUE_0: "canary-2", LD_LIBRARY_PATH: "/canary-3", HOME: p.outside };
    await p.expectOrdinary({ env: { ...env, PATH: `${join(p.outside, "bin")}:${path}` } });
    const seen = await readFile(notes, "utf8");
    expect(seen).toContain("GIT_CONFIG_GLOBAL=/dev/null");
    expect(seen).toContain("-c core.hooksPath=/dev/null");
    expect(seen).not.toMatch(/key-of-the-stage|canary-|EDGEWISE_/u);
  });

  it.each<readonly [string, (p: Proposal) => Environment]>([
    ["GIT_DIR and GIT_WORK_TREE", (p) => ({ GIT_DIR: join(p.infra, "edge"), GIT_WORK_TREE: p.outside })],
    [
      "GIT_CONFIG_COUNT",
      (p) => ({ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.fsmonitor", GIT_CONFIG_VALUE_0: p.canary }),
    ],
  ])("points git elsewhere by %s: the configuration's own repository is read", async (_, env) => {
    const p = await proposal("infra", "process");
    await p.expectOrdinary({ env: { PATH: path, ...env(p) } });
  });

  it("has a PATH with node_modules/.bin, as npm sets it, and a git there: the one outside of the work tree is run", async () => {
    const p = await proposal("infra", "process");
    for (const directory of [".", "infra", "infra/bin", "node_modules/.bin"])
      await writeCanary(join(p.top, directory, "git"), join(p.outside, "ran"));
    await p.expectOrdinary({ env: { PATH: `${p.top}/node_modules/.bin:${path}` } });
    await expectError(p, "git can't be run: it is not installed", "main", { env: { PATH: `.:${p.infra}/bin:` } });
  });
});

describe("the history", () => {
  it.each<readonly [string, (p: Proposal) => Promise<unknown>]>([
    [
      "a graft",
      async (p) =>
        writeFile(join(p.top, ".git/info/grafts"), `${p.git("rev-parse", "proposal")} ${await otherCommit(p)}\n`),
    ],
    ["a tag called HEAD", async (p) => p.git("update-ref", "refs/tags/HEAD", await otherCommit(p))],
  ])("that %s presents does not count: the commits themselves do", async (_, present) => {
    const p = await proposal();
    await present(p);
    await p.expectOrdinary();
  });

  it.each(["refs/tags/origin/main", "refs/heads/origin/main"])(
    "under a name that %s took: an ambiguous name is refused, a full one means itself",
    async (name) => {
      const p = await proposal();
      p.git("update-ref", "refs/remotes/origin/main", "main");
      p.git("update-ref", name, await otherCommit(p));
      await expectError(p, '"origin/main" is ambiguous', "origin/main");
      const full = await base(p, "refs/remotes/origin/main");
      expect(JSON.parse(full.out)).toMatchObject({ base: p.git("rev-parse", "main") });
    },
  );

  it.each(["--upload-pack=touch ran", "main\nHEAD"])("by the ref %j is refused", async (ref) => {
    const p = await proposal();
    await expectError(p, /^error: /u, ref);
    expect(await readdir(p.infra)).not.toContain("ran");
  });

  it("by a branch called like a command is read", async () => {
    const p = await proposal();
    p.git("update-ref", "refs/heads/$(touch${IFS}ran)", "main");
    expect((await base(p, "$(touch${IFS}ran)")).exit).toBe(0);
  });

  it.each<readonly [string, RegExp, (p: Proposal) => Promise<unknown>]>([
    ["no repository", /is not in a git work tree/u, (p) => rm(join(p.top, ".git"), { recursive: true })],
    [
      "a .git that leads nowhere",
      /can't be used: fatal: not a git repository/u,
      (p) => p.write("infra/.git", "gitdir: ../none\n"),
    ],
  ])("that can't be read, by %s, is an error in words", async (_, words, spoil) => {
    const p = await proposal();
    await spoil(p);
    await expectError(p, words);
  });
});

// Only root can give files away: so do the tests, in containers.
describe.runIf(process.getuid?.() === 0)(
  "a repository of another user is refused unless safe.directory names it",
  () => {
    const other = 12_345;
    const userSays = (p: Proposal, ...values: readonly string[]): Promise<void> =>
      writeFile(join(p.outside, ".gitconfig"), `[safe]\n${values.map((value) => `\tdirectory = ${value}\n`).join("")}`);
    type Say = (p: Proposal) => Promise<Environment | void>;
    async function given(say: Say): Promise<{ readonly p: Proposal; readonly env: Environment }> {
      const p = await proposal();
      const env = { HOME: p.outside, PATH: path, ...(await say(p)) };
      for (const part of ["", ".git"]) await lchown(join(p.top, part), other, other);
      return { p, env };
    }

    it.each<readonly [string, Say]>([
      ["the repository's own settings", async (p) => void p.git("config", "safe.directory", "*")],
      ["another directory", (p) => userSays(p, `${p.top}x`, p.infra, `${p.infra}/*`)],
      ["a committed HOME", (p) => p.write(".gitconfig", "[safe]\n\tdirectory = *\n").then(() => ({ HOME: p.top }))],
    ])("by %s it is not trusted", async (_, say) => {
      const { p, env } = await given(say);
      await expectError(p, `git config --global --add safe.directory ${p.top}`, "main", { env });
    });

    it.each<readonly [string, Say]>([
      ["its path", (p) => userSays(p, p.top)],
      ["the caller of sudo", async () => ({ SUDO_UID: String(other) })],
    ])("by %s it is trusted, and still runs nothing", async (_, say) => {
      const { p, env } = await given(say);
      await appendFile(join(p.top, ".git/config"), `[core]\n\tfsmonitor = ${p.canary}\n\tpager = ${p.canary}\n`);
      await p.expectOrdinary({ env });
    });
  },
);
