import { appendFile, chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, proposal, writeCanary, type Proposal } from "../support/proposal.ts";

/** Makes the objects of the merge base's manifests missing, as in a partial clone. */
async function withoutBlobs(p: Proposal): Promise<void> {
  for (const path of ["infra/edge/a.yaml", "infra/edge/b.yaml"]) {
    const object = p.git("rev-parse", `main:${path}`);
    await rm(join(p.top, ".git", "objects", object.slice(0, 2), object.slice(2)));
  }
}

describe("The settings of the checkout itself name programs → none of them runs", () => {
  it.each<readonly [string, (p: Proposal) => string]>([
    ["core.fsmonitor", (p) => `[core]\n\tfsmonitor = ${p.canary}\n`],
    [
      "core.pager and pager.*",
      (p) => `[core]\n\tpager = ${p.canary}\n[pager]\n\tcat-file = ${p.canary}\n\tls-tree = ${p.canary}\n`,
    ],
    ["core.editor", (p) => `[core]\n\teditor = ${p.canary}\n`],
    [
      "core.askPass and a credential helper",
      (p) => `[core]\n\taskPass = ${p.canary}\n[credential]\n\thelper = ${p.canary}\n`,
    ],
    ["diff.external", (p) => `[diff]\n\texternal = ${p.canary}\n`],
    [
      "aliases of the commands that are run",
      (p) => `[alias]\n\tcat-file = !${p.canary}\n\tls-tree = !${p.canary}\n\tmerge-base = !${p.canary}\n`,
    ],
    ["gpg.program, for every log", (p) => `[gpg]\n\tprogram = ${p.canary}\n[log]\n\tshowSignature = true\n`],
    ["maintenance", (p) => `[gc]\n\tauto = 1\n\trecentObjectsHook = ${p.canary}\n[maintenance]\n\tauto = true\n`],
    ["another work tree", (p) => `[core]\n\tworktree = ${p.outside}\n`],
    ["bare", () => "[core]\n\tbare = true\n"],
  ])("%s", async (_, config) => {
    const p = await proposal();
    await appendFile(join(p.top, ".git", "config"), config(p));
    await p.expectOrdinary();
  });

  it("hooks", async () => {
    const p = await proposal();
    for (const hook of ["fsmonitor-watchman", "post-index-change", "reference-transaction", "pre-auto-gc"]) {
      await writeCanary(join(p.top, ".git", "hooks", hook), join(p.outside, "ran"));
    }
    await p.expectOrdinary();
  });

  it.each(["include", `includeIf "onbranch:proposal"`])("[%s] of a file that was committed", async (section) => {
    const p = await proposal();
    await p.write("infra/included", `[core]\n\tfsmonitor = ${p.canary}\n\tpager = ${p.canary}\n`);
    await appendFile(join(p.top, ".git", "config"), `[${section}]\n\tpath = ${p.infra}/included\n`);
    await p.expectOrdinary();
  });

  it("the settings of one work tree", async () => {
    const p = await proposal();
    p.git("config", "extensions.worktreeConfig", "true");
    await writeFile(join(p.top, ".git", "config.worktree"), `[core]\n\tfsmonitor = ${p.canary}\n\thooksPath = infra\n`);
    await p.expectOrdinary();
  });

  it.each(["alternateRefsCommand", "fsmonitor"])("objects borrowed from elsewhere, and core.%s", async (setting) => {
    const p = await proposal();
    const fake = join(p.infra, "fake");
    git(p.outside, "clone", "-q", "--bare", p.top, fake);
    await appendFile(join(fake, "config"), `[core]\n\t${setting} = ${p.canary}\n`);
    await mkdir(join(p.top, ".git", "objects", "info"), { recursive: true });
    await writeFile(join(p.top, ".git", "objects", "info", "alternates"), `${fake}/objects\n`);
    p.git("config", `core.${setting}`, p.canary);
    await withoutBlobs(p);
    await p.expectOrdinary();
  });

  it("a submodule's", async () => {
    const p = await proposal();
    const inner = join(p.outside, "inner");
    git(p.outside, "init", "-q", "-b", "main", inner);
    git(inner, "commit", "-q", "--allow-empty", "-m", "inner");
    p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "infra/edge/sub");
    p.git("commit", "-qm", "submodule");
    await appendFile(join(p.top, ".git/modules/infra/edge/sub/config"), `[core]\n\tfsmonitor = ${p.canary}\n`);
    p.git("config", "submodule.recurse", "true");
    await p.expectOrdinary();
  });
});

describe("A committed .gitattributes filters, converts or encodes files → the objects are read as they are and no filter runs", () => {
  it.each<readonly [string, string]>([
    ["a filter", "*.yaml filter=evil\n"],
    ["a long-running filter that must not fail", "*.yaml filter=evil-process\n"],
    ["a text conversion", "*.yaml diff=evil\n"],
    ["an encoding", "*.yaml working-tree-encoding=UTF-16\n"],
    ["expanded identifiers", "*.yaml ident export-subst\n"],
    ["line ends", "*.yaml text eol=crlf\n"],
    ["a merge driver", "*.yaml merge=evil\n"],
  ])("%s", async (_, attributes) => {
    const p = await proposal();
    await p.write(".gitattributes", attributes);
    await p.write("infra/.gitattributes", attributes);
    p.git("add", ".gitattributes", "infra/.gitattributes");
    p.git("commit", "-qm", "attributes");
    const sections = `[filter "evil"]\n\tsmudge = ${p.canary}\n\tclean = ${p.canary}\n[filter "evil-process"]\n\tprocess = ${p.canary}\n\trequired = true\n[diff "evil"]\n\ttextconv = ${p.canary}\n\tcommand = ${p.canary}\n[merge "evil"]\n\tdriver = ${p.canary}\n`;
    await appendFile(join(p.top, ".git", "config"), sections);
    await p.expectOrdinary();
  });
});

describe("A partial clone lacks the merge base's objects and its settings say how to get them → nothing is fetched, nothing runs, and the error says to fetch", () => {
  const remotes: readonly (readonly [string, (p: Proposal) => string])[] = [
    ["an uploadpack", (p) => `\turl = ${p.top}\n\tuploadpack = ${p.canary}\n`],
    [
      "a command as the address",
      (p) => `\turl = ext::${p.canary}\n[protocol "ext"]\n\tallow = always\n[protocol]\n\tallow = always\n`,
    ],
    ["a helper of one's own", (p) => `\turl = x\n\tvcs = evil\n[core]\n\tsshCommand = ${p.canary}\n`],
    ["ssh", (p) => `\turl = ssh://127.0.0.1:1/x\n[core]\n\tsshCommand = ${p.canary}\n`],
    ["a proxy", (p) => `\turl = git://127.0.0.1:1/x\n[core]\n\tgitProxy = ${p.canary}\n`],
    ["https and a credential helper", (p) => `\turl = https://127.0.0.1:1/x\n[credential]\n\thelper = ${p.canary}\n`],
    [
      "an address that is rewritten",
      (p) => `\turl = x:y\n[url "ext::${p.canary} "]\n\tinsteadOf = x:\n[protocol "ext"]\n\tallow = always\n`,
    ],
    ["nothing but the origin", (p) => `\turl = ${p.top}\n`],
  ];
  const variants = remotes.flatMap(([name, config]) => [
    [name, config, false] as const,
    [`${name}, with a git that knows no GIT_NO_LAZY_FETCH`, config, true] as const,
  ]);

  it.each(variants)("%s", async (_, config, old) => {
    const p = await proposal();
    await withoutBlobs(p);
    await appendFile(
      join(p.top, ".git/config"),
      `[extensions]\n\tpartialClone = evil\n[remote "evil"]\n\tpromisor = true\n${config(p)}`,
    );
    p.git("config", "core.repositoryformatversion", "1");
    const path = await mkdtemp(join(p.outside, "path-"));
    await writeCanary(join(path, "git-remote-evil"), join(p.outside, "ran"));
    const wrapper = `#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nPATH=${path}:${process.env["PATH"]}\nexec git "$@"\n`;
    await mkdir(join(p.outside, "old"));
    await writeFile(join(p.outside, "old", "git"), wrapper);
    await chmod(join(p.outside, "old", "git"), 0o755);
    const env = { PATH: `${old ? `${join(p.outside, "old")}:` : ""}${path}:${process.env["PATH"]}` };
    const { exit, out, err } = await p.run(["plan", "--base", "main", "-o", "json"], { env });
    expect(await p.canaryRan()).toBeNull();
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toMatch(/^error: git /u);
    expect(err).toContain("git fetch --refetch --no-filter origin");
  });
});
