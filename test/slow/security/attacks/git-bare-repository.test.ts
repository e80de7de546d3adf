import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "vitest";
import { git, proposal, writeCanary, type Proposal } from "../support/proposal.ts";

/** Puts a bare repository's files into a directory, with a HEAD that is missing and has to be fetched. */
async function bareRepository(p: Proposal, directory: string, config: string): Promise<void> {
  const made = join(p.outside, "bare");
  git(p.outside, "init", "-q", "--bare", made);
  await rm(join(made, "hooks"), { recursive: true, force: true });
  await mkdir(join(made, "refs"), { recursive: true });
  await writeFile(join(made, "refs", "keep"), "");
  await writeFile(join(made, "objects", "keep"), "");
  await writeFile(join(made, "HEAD"), `${"1".repeat(40)}\n`);
  await writeFile(join(made, "config"), config);
  await mkdir(directory, { recursive: true });
  for (const part of ["HEAD", "config", "objects", "refs"]) await rename(join(made, part), join(directory, part));
  p.git("add", "-A");
  p.git("commit", "-qm", "bare");
}

const core = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tworktree = .\n";
const promisor = (url: string, more = "") =>
  `${core}[extensions]\n\tpartialClone = evil\n[remote "evil"]\n\tpromisor = true\n\turl = ${url}\n${more}`;

describe("A pull request commits a bare repository beside the configuration → git reads only the work tree's own repository and runs nothing", () => {
  it.each<readonly [string, (p: Proposal) => string]>([
    ["a promisor remote with an uploadpack of its own", (p) => promisor(p.top, `\tuploadpack = ${p.canary}\n`)],
    ["a remote that is a command", (p) => `${promisor(`ext::${p.canary}`)}[protocol "ext"]\n\tallow = always\n`],
    ["an ssh command", (p) => `${promisor("ssh://127.0.0.1/x")}[core]\n\tsshCommand = ${p.canary}\n`],
    ["a proxy command", (p) => `${promisor("git://127.0.0.1/x")}[core]\n\tgitProxy = ${p.canary}\n`],
    ["fsmonitor", (p) => `${core}\tfsmonitor = ${p.canary}\n`],
    ["a pager", (p) => `${core}\tpager = ${p.canary}\n[pager]\n\trev-parse = ${p.canary}\n\tls-tree = ${p.canary}\n`],
    ["a configuration that includes another", (p) => `[include]\n\tpath = included\n${promisor(p.top)}`],
    [
      "bare, and without a work tree",
      (p) => promisor(p.top, `\tuploadpack = ${p.canary}\n`).replace(/\tworktree.*\n/u, ""),
    ],
    [
      "the real repository as its work tree",
      (p) => `${core}[core]\n\tworktree = ${p.top}\n\tfsmonitor = ${p.canary}\n`,
    ],
  ])("%s", async (_, config) => {
    const p = await proposal();
    await p.write("infra/included", `[remote "evil"]\n\tuploadpack = ${p.canary}\n`);
    await bareRepository(p, p.infra, config(p));
    await p.expectOrdinary();
  });

  it.each<readonly [string, string, string]>([
    ["beside the manifests", "edge", "edge"],
    ["below the configuration, where edgewise is started", "deeper/and/deeper", "deeper/and/deeper"],
    ["above the configuration", "..", "."],
  ])("%s", async (_, directory, cwd) => {
    const p = await proposal("services/infra");
    await bareRepository(p, join(p.infra, directory), promisor(p.top, `\tuploadpack = ${p.canary}\n`));
    await p.expectOrdinary({ cwd: join(p.infra, cwd) });
  });

  // Names that a file system might take for .git. Git refuses to check out those that one really does.
  it.each([".Git", ".git ", ".git.", "git~1", "GIT~1", ".git::$INDEX_ALLOCATION", ".g\u200cit", ".git\n", ".gitdir"])(
    "in a directory called %j",
    async (name) => {
      const p = await proposal();
      await bareRepository(p, join(p.infra, name), promisor(p.top, `\tuploadpack = ${p.canary}\n`)).catch(
        () => undefined,
      );
      await p.expectOrdinary();
    },
  );

  it("with hooks", async () => {
    const p = await proposal();
    await bareRepository(p, p.infra, `${core}[core]\n\thooksPath = hooks\n`);
    for (const hook of ["fsmonitor-watchman", "post-checkout", "reference-transaction", "post-index-change"]) {
      await writeCanary(join(p.infra, "hooks", hook), join(p.outside, "ran"));
    }
    await p.expectOrdinary();
  });
});
