import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeCertificate } from "../../scripts/certificate.mjs";
import { violations } from "../schemas/all-schemas.ts";
import { repository } from "./ref-repository.ts";
import { backend, edge } from "./stage.ts";

/** Two commits, both applied one after the other; the second adds a backend and changes the first. */
async function applied() {
  const on = await repository();
  await on.write("edge/pages.yaml", backend("page", 'status_code: 503, body: {file: "../content/page.html"}'));
  await on.write("content/page.html", "first");
  const first = on.commit("first");
  expect((await on.run("apply", "-y")).exit).toBe(0);
  await on.write("edge/pages.yaml", backend("page", 'status_code: 500, body: {file: "../content/page.html"}'));
  await on.write("edge/more.yaml", backend("more"));
  await on.write("content/page.html", "second");
  const second = on.commit("second");
  expect((await on.run("apply", "-y")).exit).toBe(0);
  return { ...on, first, second };
}

const actions = (out: string): readonly string[] =>
  JSON.parse(out).changes.map(({ action, address }: { action: string; address: string }) => `${action} ${address}`);

describe("--ref", () => {
  it("plans and rolls back to a commit, contents of files included, whatever the work tree holds", async () => {
    const { run, write, first, behind, id, dir } = await applied();
    await write("edge/pages.yaml", "not: [yaml");
    await rm(join(dir, "content"), { recursive: true });
    const { exit, out } = await run("plan", "--ref", "HEAD~1", "-o", "json");
    expect(exit).toBe(0);
    expect(violations("plan", JSON.parse(out))).toEqual([]);
    expect(JSON.parse(out)).toMatchObject({ commit: first, ref: "HEAD~1" });
    expect(actions(out)).toEqual(["delete HTTPResponseBackend/more", "update HTTPResponseBackend/page"]);

    const rolledBack = await run("apply", "--ref", "HEAD~1", "-y", "-o", "json");
    expect(rolledBack.exit, rolledBack.err).toBe(0);
    expect(violations("result", JSON.parse(rolledBack.out))).toEqual([]);
    expect(JSON.parse(rolledBack.out)).toMatchObject({ outcome: "applied", commit: first, ref: "HEAD~1" });
    expect(behind("GET", `/backends/http_response/${id("HTTPResponseBackend")}`)).toMatchObject({
      status_code: 503,
      body: "first",
    });
    expect((await run("plan", "--ref", "HEAD~1", "--detailed-exitcode")).exit).toBe(0);
    expect((await run("drift", "--ref", "HEAD~1")).exit).toBe(0);
    expect((await run("plan")).exit).toBe(1);
  });

  it("is named in every report, once, and in the question of apply", async () => {
    const { run, runWith, first } = await applied();
    const short = first.slice(0, 12);
    const line = `Manifests of commit ${short} (HEAD~1)`;
    for (const command of [["plan"], ["drift"], ["plan", "-o", "html"], ["drift", "-o", "html"], ["validate"]]) {
      const { out } = await run(...command, "--ref", "HEAD~1");
      expect(out.split(line).length, `${command.join(" ")}: ${out}`).toBe(2);
    }
    const inMarkdown = `Manifests of commit \`${short}\` (\`HEAD~1\`).`;
    for (const command of [["plan"], ["drift"]])
      expect((await run(...command, "--ref", "HEAD~1", "-o", "markdown")).out).toContain(inMarkdown);
    expect((await run("graph", "--ref", "HEAD~1")).out).toContain(`%% ${line}`);
    expect((await run("graph", "--ref", "HEAD~1")).out).toContain(`%% ${line}`);
    expect((await run("plan", "--ref", "HEAD~1")).err).toBe(
      `Reading configuration and manifests of commit ${short} (HEAD~1).\n`,
    );
    const { io, ran } = runWith({ terminal: true, answer: () => "yes" }, "apply", "--ref", "HEAD~1");
    const result = await ran;
    expect(result.exit, result.err).toBe(0);
    expect(result.out).toContain(line);
    expect(result.out).toContain("Next: An apply without --ref brings back what is checked out: revert in Git, too.");
    expect(io.questions.join()).toContain(`Apply commit ${short} (HEAD~1) with this plan (2 requests for stack demo`);
    expect((await run("apply", "--ref", "HEAD~1", "-y", "-o", "markdown")).out).toContain(inMarkdown);
    // Nothing changes without the flag.
    for (const output of ["text", "markdown", "html"])
      expect((await run("plan", "-o", output)).out).not.toContain(short);
  });

  it("is named in what machines read, as a commit and a ref that match the schemas", async () => {
    const { run, git, first, second } = await applied();
    const line = `%0AManifests of commit ${first.slice(0, 12)} (HEAD~1)\n`;
    for (const command of ["plan", "drift"])
      expect((await run(command, "--ref", "HEAD~1", "-o", "github")).out).toContain(line);
    const junit = (await run("drift", "--ref", "HEAD~1", "-o", "junit")).out;
    expect(junit).toContain(`<property name="commit" value="${first}"/>`);
    expect(junit).toContain('<property name="ref" value="HEAD~1"/>');
    expect((await run("drift", "-o", "junit")).out).not.toContain("<propert");
    const sarif = JSON.parse((await run("validate", "--ref", "HEAD", "-o", "sarif")).out);
    expect(sarif.runs[0].properties).toEqual({ commit: second, ref: "HEAD" });
    for (const [schema, command] of [
      ["drift", "drift"],
      ["graph", "graph"],
      ["diagnostics", "validate"],
    ] as const) {
      const document: unknown = JSON.parse((await run(command, "--ref", first, "-o", "json")).out);
      expect(document).toMatchObject({ commit: first, ref: first });
      expect(violations(schema, document)).toEqual([]);
      expect(JSON.parse((await run(command, "-o", "json")).out)).not.toHaveProperty("commit");
    }
    git("tag", "-a", "-m", "m", "heavy", first);
    git("branch", "older", first);
    for (const ref of ["heavy", "older", first.slice(0, 10), "HEAD@{1}"])
      expect(JSON.parse((await run("validate", "--ref", ref, "-o", "json")).out), ref).toMatchObject({ commit: first });
    const { exit, out } = await run("apply", "--ref", first, "-y", "--no-verify");
    expect(exit, out).toBe(0);
    const words = `whether anything still differs. Give --ref ${first} again: without it, what is checked out is read.`;
    expect(out.replaceAll(/\s+/gu, " ")).toContain(words);
  });

  it("refuses what names no commit, and says what is amiss", async () => {
    const { run, git, dir, first, runWith, env } = await applied();
    for (const [ref, message] of [
      ["", "--ref is empty"],
      ["nothing-of-the-kind", 'git does not know a commit or branch "nothing-of-the-kind"'],
      ["--output=x", '"--output=x" is not the name of a commit or branch'],
      ["HEAD:edge", '"HEAD:edge" is not the name of a commit or branch'],
      ["HEAD~1..HEAD", "names a range, not a commit\nName one commit"],
      ["^HEAD", "names a range"],
      ["HEAD^!", "names a range"],
      [
        "@{upstream}",
        "no upstream configured for branch 'main'\nThis clone doesn't record where that was. Name a branch",
      ],
      // Git itself would take the oldest place that it knows, and in CI that is the newest commit.
      ["HEAD@{3.weeks.ago}", "only goes back to"],
      ["main~99", 'branch "main~99"\nGit knows main, but not that commit of it: `git log main` shows'],
      ["HEAD^{tree}", "Git knows HEAD, but not that commit of it"],
      ["abcdef12", "`git branch --all` lists the branches, and there is no remote"],
    ] as const) {
      const { exit, err } = await run("plan", `--ref=${ref}`);
      expect({ ref, exit }).toEqual({ ref, exit: 1 });
      expect(err).toContain(message);
    }
    git("clone", "-q", "--depth", "1", `file://${dir}`, "shallow");
    const { exit, err } = await runWith({ cwd: join(dir, "shallow"), env }, "plan", "--ref", first).ran;
    expect(exit).toBe(1);
    expect(err).toMatch(/git does not know a commit[^]*This clone is shallow: `git fetch --unshallow` /u);
    await rm(join(dir, ".git"), { recursive: true });
    const outside = await run("validate", "--ref", "HEAD");
    expect([outside.exit, outside.err]).toEqual([1, expect.stringContaining("is not in a git work tree")]);
  });

  it("gives Git neither the API key nor a secret, and runs no program that the repository names", async () => {
    const { run, env, git } = await applied();
    const programs = await mkdtemp(join(tmpdir(), "edgewise-ref-"));
    onTestFinished(() => rm(programs, { recursive: true, force: true }));
    const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    const seen = join(programs, "seen");
    await writeFile(join(programs, "git"), `#!/bin/sh\nenv >> ${seen}\nexec ${real} "$@"\n`, { mode: 0o755 });
    await writeFile(join(programs, "evil"), `#!/bin/sh\ntouch ${join(programs, "ran")}\n`, { mode: 0o755 });
    await writeFile(join(programs, "more"), `[core]\n\tpager = ${join(programs, "evil")}\n`);
    for (const setting of ["core.fsmonitor", "core.sshCommand", "diff.external", "core.alternateRefsCommand"])
      git("config", setting, join(programs, "evil"));
    for (const setting of ["alias.ls-tree", "alias.cat-file", "credential.helper"])
      git("config", setting, `!${join(programs, "evil")}`);
    git("config", "remote.origin.url", `ext::${join(programs, "evil")}`);
    git("config", "remote.origin.uploadpack", join(programs, "evil"));
    git("config", "remote.origin.promisor", "true");
    git("config", "protocol.ext.allow", "always");
    git("config", "include.path", join(programs, "more"));
    git("config", "core.worktree", programs);
    env["PATH"] = `${programs}:${env["PATH"] ?? ""}`;
    env["SOME_SECRET"] = "not-for-git";
    expect((await run("plan", "--ref", "HEAD~1")).exit).toBe(0);
    const environment = await readFile(seen, "utf8");
    expect(environment).toContain("GIT_NO_LAZY_FETCH=1");
    expect(environment).not.toContain(env["EDGEWISE_API_KEY"]);
    expect(environment).not.toContain("not-for-git");
    await expect(readFile(join(programs, "ran"))).rejects.toThrow("ENOENT");
  });
});

describe("the manifests of --ref", () => {
  it("have their problems at file, line and column of that commit", async () => {
    const { write, commit, run } = await repository();
    await write(
      "edge/api.yaml",
      "apiVersion: edgewise/v1\nkind: TLSEdge\nmetadata: {name: api}\nspec:\n  hostport: []\n",
    );
    const broken = commit("broken");
    await write("edge/api.yaml", edge("api", "a.example:443"));
    const { exit, out } = await run("validate", "--ref", broken);
    expect(exit).toBe(1);
    expect(out).toContain(`Manifests of commit ${broken.slice(0, 12)}:`);
    expect(out).toContain("edge/api.yaml:5:3");
    expect(out.split(broken.slice(0, 12)).length).toBe(2);
    const plan = await run("plan", "--ref", broken);
    expect(plan.exit).toBe(1);
    expect(plan.err).toContain("edge/api.yaml:5:3");
    expect(plan.err.replaceAll(broken, "REF").split(broken.slice(0, 12)).length).toBe(2);
    expect(plan.err).toContain(`\`edgewise validate --ref ${broken}\` checks the manifests`);
    expect((await run("validate")).exit).toBe(0);
  });

  it("follow links of the commit, and none of the work tree", async () => {
    const { write, commit, run, dir } = await repository();
    await write("shared/page.html", "linked");
    await write("shared/two/b.yaml", backend("b"));
    await write("edge/a.yaml", backend("a", "status_code: 503, body: {file: page.html}"));
    await symlink("../shared/page.html", join(dir, "edge/page.html"));
    await symlink("../shared/two", join(dir, "edge/linked"));
    commit("one");
    await rm(join(dir, "edge/linked"));
    await symlink("/etc", join(dir, "edge/linked"));
    const { exit, out, err } = await run("plan", "--ref", "HEAD", "-o", "json");
    expect(exit, err).toBe(0);
    expect(actions(out)).toEqual(["create HTTPResponseBackend/a", "create HTTPResponseBackend/b"]);
    expect(out).toContain("linked");
  });

  it("may not come through a link out of the root, or to a hidden file", async () => {
    const { write, commit, run, dir } = await repository();
    await write(".secret/page.html", "hidden");
    for (const [name, target, reason] of [
      ["out", "../../elsewhere", "leads out of the root directory"],
      ["loop", "loop", "leads out of the root directory"],
      ["hidden", "../.secret/page.html", "begins with a dot"],
    ] as const) {
      await rm(join(dir, "edge"), { recursive: true, force: true });
      await write("edge/a.yaml", backend("a", `status_code: 503, body: {file: ../content/${name}}`));
      await rm(join(dir, "content"), { recursive: true, force: true });
      await mkdir(join(dir, "content"));
      await symlink(target, join(dir, "content", name));
      commit(name);
      const { exit, out } = await run("validate", "--ref", "HEAD");
      expect({ name, exit, told: out.includes(reason) }, out).toEqual({ name, exit: 1, told: true });
    }
  });

  it("may not be in a submodule: its files would look as if they had been deleted", async () => {
    const { write, commit, run, git, dir } = await repository();
    await write("edge/a.yaml", backend("a"));
    commit("one");
    git("clone", "-q", dir, "other");
    git("submodule", "add", "-q", `${dir}/other`, "edge/sub");
    await rm(join(dir, "other"), { recursive: true, force: true });
    commit("submodule");
    const { exit, out } = await run("validate", "--ref", "HEAD");
    expect(exit).toBe(1);
    expect(out).toContain('"edge" needs the submodule "edge/sub", and commit');
    expect((await run("validate", "--ref", "HEAD~1")).exit).toBe(0);
  });

  it("and the files that they name may not be pointers of Git LFS, on disk either", async () => {
    const { write, commit, run } = await repository();
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 12345\n";
    await write("edge/a.yaml", backend("a", "status_code: 503, body: {file: ../page.html}"));
    await write("page.html", pointer);
    commit("pointer");
    for (const flags of [["--ref", "HEAD"], []]) {
      const { exit, out } = await run("validate", ...flags);
      expect(exit).toBe(1);
      expect(out).toMatch(
        /"page.html" is a pointer of Git LFS[^]*edge\/a\.yaml:4:\d+|edge\/a\.yaml:4:\d+[^]*pointer of Git LFS/u,
      );
    }
    await write("page.html", "real");
    await write("edgewise.yaml", pointer);
    commit("configuration");
    expect((await run("validate", "--ref", "HEAD")).err).toContain("it is a pointer of Git LFS");
  });
});

describe("the configuration of --ref", () => {
  it("is that of the commit, with environments, variables and stacks from flags", async () => {
    const { write, commit, run, dir } = await repository();
    const config = (more: string) =>
      `apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\nvariables: {code: 501}\n${more}`;
    await write("edgewise.yaml", config("environments: {blue: {stack: blue, variables: {code: 502}}}\n"));
    await write("edge/a.yaml", backend("a", 'status_code: "${{ vars.code }}"'));
    commit("one");
    await write("edgewise.yaml", config(""));
    commit("two");
    await rm(join(dir, "edgewise.yaml"));
    const codeAndStack = async (...flags: readonly string[]) => {
      const { out, err } = await run("plan", "--ref", "HEAD~1", "-o", "json", ...flags);
      expect(out, err).not.toBe("");
      const plan = JSON.parse(out) as { stack: string; operations: { body: { status_code: number } }[] };
      return `${plan.operations[0]?.body.status_code} ${plan.stack}`;
    };
    expect(await codeAndStack()).toBe("501 demo");
    expect(await codeAndStack("-e", "blue")).toBe("502 blue");
    expect(await codeAndStack("--var", "code=504", "--stack", "other")).toBe("504 other");
    expect(await codeAndStack("-c", "edgewise.yaml")).toBe("501 demo");
    expect((await run("plan", "--ref", "HEAD", "-e", "blue")).err).toContain("edgewise.yaml has no environments");
    expect((await run("plan")).exit).not.toBe(0);
  });

  it("may be a link to another file of the repository, as on disk, and is then that of the commit", async () => {
    const { write, read, commit, run, runWith, env, dir } = await repository();
    await write("shared/edgewise.yaml", await read("edgewise.yaml"));
    await write("infra/edge/a.yaml", backend("a"));
    await symlink("../shared/edgewise.yaml", join(dir, "infra/edgewise.yaml"));
    commit("one");
    await write("shared/edgewise.yaml", "nonsense");
    const inside = { cwd: join(dir, "infra"), env };
    const planned = await runWith(inside, "plan", "--ref", "HEAD", "-o", "json").ran;
    expect(planned.exit, planned.err).toBe(0);
    expect(actions(planned.out)).toEqual(["create HTTPResponseBackend/a"]);
    commit("two");
    await write("shared/edgewise.yaml", await read("edgewise.yaml"));
    const { exit, out, err } = await runWith(inside, "plan", "--base", "HEAD~1", "-o", "json").ran;
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(JSON.parse(out).base).not.toBeUndefined();

    await rm(join(dir, "infra/edgewise.yaml"));
    await symlink("../../elsewhere.yaml", join(dir, "infra/edgewise.yaml"));
    commit("three");
    expect((await run("validate", "--ref", "HEAD", "-c", "infra/edgewise.yaml")).err).toContain(
      "leads out of the root",
    );
  });

  it("is said to be missing where a later commit moved it", async () => {
    const { write, commit, run, runWith, git, dir, env } = await repository();
    await write("old/edgewise.yaml", "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n");
    await write("old/edge/a.yaml", backend("a"));
    await rm(join(dir, "edgewise.yaml"));
    const first = commit("one");
    git("mv", "old", "moved");
    commit("two");
    const { exit, err } = await runWith({ cwd: join(dir, "moved"), env }, "plan", "--ref", "HEAD~1").ran;
    expect(exit).toBe(1);
    expect(err).toContain(`commit ${first.slice(0, 12)} (HEAD~1) holds no configuration moved/edgewise.yaml`);
    expect(err).toContain("The commit holds old/edgewise.yaml: run in its directory, or name it with -c ");
    const named = await run("plan", "--ref", "HEAD~1", "-c", "old/edgewise.yaml", "-o", "json");
    expect(named.exit, named.err).toBe(0);
    expect(actions(named.out)).toEqual(["create HTTPResponseBackend/a"]);
    expect((await run("plan", "--ref", "HEAD~1")).err).toContain("holds no configuration edgewise.yaml");
  });

  it("may not send the API key elsewhere, and its mistakes have their places", async () => {
    const { write, commit, run } = await repository();
    const config = "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [edge/]\n";
    await write("edge/a.yaml", backend("a"));
    await write("edgewise.yaml", `${config}api: {baseUrl: https://elsewhere.example}\n`);
    commit("one");
    await write("edgewise.yaml", `${config}stacks: x\n`);
    commit("two");
    await write("edgewise.yaml", config);
    const elsewhere = await run("plan", "--ref", "HEAD~1");
    expect(elsewhere.exit).toBe(1);
    expect(elsewhere.err).toContain("base-url-elsewhere");
    const wrong = await run("validate", "--ref", "HEAD");
    expect(wrong.exit).toBe(1);
    expect(wrong.out).toMatch(/Manifests of commit [0-9a-f]{12} \(HEAD\):[^]*edgewise\.yaml:5:1/u);
  });
});

describe("secrets with --ref", () => {
  const certificate = (name: string, key: string) =>
    `apiVersion: edgewise/v1\nkind: TLSCertificate\nmetadata: {name: ${name}}\nspec:\n  certificate_pem: {file: ../pem/${name}.pem}\n  private_key_pem: ${key}\n`;

  it("come from the environment, from the commit if it holds the file, and else from the disk", async () => {
    const { write, commit, run, dir, env, behind, id } = await repository();
    const [one, two, three, other] = await Promise.all(
      ["one.example", "two.example", "three.example", "four.example"].map(async (host) => makeCertificate([host])),
    );
    if (one === undefined || two === undefined || three === undefined || other === undefined) throw new Error("none");
    await write("pem/one.pem", one.certificate);
    await write("pem/two.pem", two.certificate);
    await write("pem/three.pem", three.certificate);
    await write("edge/one.yaml", certificate("one", "{env: KEY_ONE}"));
    await write("edge/two.yaml", certificate("two", "{file: ../keys/two.key}"));
    await write("edge/three.yaml", certificate("three", "{file: ../keys/three.key}"));
    await write("keys/two.key", two.key);
    await write(".gitignore", "three.key\n");
    commit("one");
    await write("keys/two.key", other.key);
    await write("keys/three.key", three.key);
    for (const name of ["two", "three"]) await chmod(join(dir, `keys/${name}.key`), 0o600);
    env["KEY_ONE"] = one.key;
    // The key on disk is not that of the certificate.
    expect((await run("validate")).exit).toBe(1);
    expect(await run("validate", "--ref", "HEAD", "--allow-inline-secrets")).toMatchObject({ exit: 0 });
    const { exit, out, err } = await run("apply", "--ref", "HEAD", "-y", "-v", "--allow-inline-secrets");
    expect(exit, err).toBe(0);
    expect(out + err).not.toContain("PRIVATE KEY-----\nM");
    expect(behind("GET", `/tls_certificates/${id("TLSCertificate")}`)).toHaveProperty("certificate_pem");
  });

  it("are never the API key's own file, which is never read from a commit", async () => {
    const { write, commit, run, env, dir } = await repository();
    const pair = await makeCertificate(["one.example"]);
    await write("pem/one.pem", pair.certificate);
    await write("edge/one.yaml", certificate("one", "{file: ../key.txt}"));
    await write("key.txt", "another-key-in-the-commit");
    commit("one");
    await write("key.txt", env["EDGEWISE_API_KEY"] ?? "");
    await chmod(join(dir, "key.txt"), 0o600);
    const { exit, out } = await run("validate", "--ref", "HEAD", "--api-key-file", "key.txt");
    expect(exit).toBe(1);
    expect(out).toContain("file-is-api-key");
    await write("edge/one.yaml", backend("a"));
    commit("two");
    delete env["EDGEWISE_API_KEY"];
    const planned = await run("plan", "--ref", "HEAD", "--api-key-file", "key.txt");
    expect(planned.exit, planned.err).toBe(0);
  });
});

describe("--ref with --base, and saved plans", () => {
  it("shows what a roll-back takes back, and what somebody changed live", async () => {
    const { run, behind, id } = await applied();
    behind("PATCH", `/backends/http_response/${id("HTTPResponseBackend", { body: "second" })}`, {
      description: "by hand",
    });
    const { exit, out } = await run("plan", "--ref", "HEAD~1", "--base", "HEAD", "-o", "json");
    expect(exit).toBe(0);
    const { changes } = JSON.parse(out) as {
      changes: { address: string; fields: { path: string; origin: string }[] }[];
    };
    const page = changes.find(({ address }) => address.endsWith("/page"));
    expect(Object.fromEntries(page?.fields.map(({ path, origin }) => [path, origin]) ?? [])).toEqual({
      "spec.body": "desired",
      "spec.description": "drift",
      "spec.status_code": "desired",
    });
    const drift = await run("drift", "--ref", "HEAD~1", "--base", "HEAD", "-o", "json");
    expect(drift.exit).toBe(2);
    const types = JSON.parse(drift.out).findings.map(
      ({ type, address }: { type: string; address: string }) => `${type} ${address}`,
    );
    expect(types).toContain("pending HTTPResponseBackend/page");
    expect(types).toContain("modified HTTPResponseBackend/page");
  });

  it("compares a branch with its own merge base, not with that of HEAD", async () => {
    const { run, git, write, commit, first } = await applied();
    git("checkout", "-q", "-b", "topic", first);
    await write("content/page.html", "topic");
    commit("topic");
    git("checkout", "-q", "main");
    const { out } = await run("plan", "--ref", "topic", "--base", "main", "-o", "json");
    expect(JSON.parse(out).base).toBe(first);
  });

  it("is recorded in a saved plan, which is applied with that commit only", async () => {
    const { run, read, first, second, git } = await applied();
    expect((await run("plan", "--ref", "HEAD~1", "--out", "plan.json")).exit).toBe(0);
    expect(JSON.parse(await read("plan.json"))).toMatchObject({ commit: first, ref: "HEAD~1" });
    const shown = await run("show", "plan.json");
    expect(shown.out).toContain(`Manifests of commit ${first.slice(0, 12)} (HEAD~1)`);
    const without = await run("apply", "plan.json", "-y");
    expect(without.exit).toBe(4);
    expect(without.err).toContain("and this run reads what is on disk");
    expect(without.err).toContain(`--ref ${first}`);
    const other = await run("apply", "plan.json", "-y", "--ref", "HEAD");
    expect(other.exit).toBe(4);
    expect(other.err).toContain(`and this run reads commit ${second.slice(0, 12)} (HEAD)`);
    git("commit", "-q", "--allow-empty", "-m", "later");
    // Another name of the same commit is as good.
    const applying = await run("apply", "plan.json", "-y", "--ref", "HEAD~2", "-o", "json");
    expect(applying.exit, applying.err).toBe(0);
    expect((await run("plan", "--ref", first, "--detailed-exitcode")).exit).toBe(0);
    // A plan from the disk at a commit can be applied from that commit.
    expect((await run("plan", "--out", "plan.json")).exit).toBe(0);
    expect((await run("apply", "plan.json", "-y", "--ref", "HEAD~1")).exit).toBe(4);
    expect((await run("apply", "plan.json", "-y", "--ref", "HEAD")).exit).toBe(0);
  });
});
