import { chmod, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeCertificate } from "../../scripts/certificate.mjs";
import { violations } from "../schemas/all-schemas.ts";
import { repository } from "./ref-repository.ts";
import { backend } from "./stage.ts";

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
    expect((await run("graph", "--ref", "HEAD~1")).out).toContain(`%% ${line}`);
    const { io, ran } = runWith({ terminal: true, answer: () => "yes" }, "apply", "--ref", "HEAD~1");
    const result = await ran;
    expect(result.exit, result.err).toBe(0);
    expect(result.out).toContain(line);
    expect(result.out).toContain("Next: An apply without --ref brings back what is checked out: revert in Git, too.");
    expect(io.questions.join()).toContain(`Apply commit ${short} (HEAD~1) with this plan (2 requests for stack demo`);
    for (const [schema, command] of [
      ["drift", "drift"],
      ["graph", "graph"],
      ["diagnostics", "validate"],
    ] as const) {
      const document: unknown = JSON.parse((await run(command, "--ref", first, "-o", "json")).out);
      expect(document).toMatchObject({ commit: first, ref: first });
      expect(violations(schema, document)).toEqual([]);
    }
    expect((await run("plan")).out).not.toContain(short);
  });

  it("works in a linked work tree, below its top, and with the repository in another place", async () => {
    const { git, dir, runWith, env } = await applied();
    git("init", "-q", "--separate-git-dir", join(dir, "elsewhere"));
    git("worktree", "add", "-q", "linked", "-b", "linked");
    for (const cwd of ["edge", "linked", "linked/edge"]) {
      const { exit, out, err } = await runWith({ cwd: join(dir, cwd), env }, "plan", "--ref", "HEAD~1", "-o", "json")
        .ran;
      expect(exit, err).toBe(0);
      expect(actions(out)).toContain("update HTTPResponseBackend/page");
    }
  });

  it("refuses what names no commit, and says what is amiss", async () => {
    const { run, git, dir, first, runWith, env } = await applied();
    for (const [ref, message] of [
      ["", "--ref is empty"],
      ["nothing-of-the-kind", 'git does not know a commit or branch "nothing-of-the-kind"'],
      ["HEAD:edge", '"HEAD:edge" is not the name of a commit or branch'],
      ["HEAD~1..HEAD", 'git does not know a commit or branch "HEAD~1..HEAD"'],
      // Git itself would take the oldest place that it knows, and in CI that is the newest commit.
      ["HEAD@{3.weeks.ago}", "only goes back to"],
      ["main~99", 'branch "main~99"\nFetch it first: `git fetch --all --tags`'],
    ] as const) {
      const { exit, err } = await run("plan", `--ref=${ref}`);
      expect({ ref, exit }).toEqual({ ref, exit: 1 });
      expect(err).toContain(message);
    }
    git("clone", "-q", "--depth", "1", `file://${dir}`, "shallow");
    const { exit, err } = await runWith({ cwd: join(dir, "shallow"), env }, "plan", "--ref", first).ran;
    expect(exit).toBe(1);
    expect(err).toMatch(
      /git does not know a commit[^]*This clone is shallow: fetch the rest with `git fetch --unshallow`/u,
    );
    await rm(join(dir, ".git"), { recursive: true });
    const outside = await run("validate", "--ref", "HEAD");
    expect([outside.exit, outside.err]).toEqual([1, expect.stringContaining("is not in a git work tree")]);
  });
});

describe("the manifests of --ref", () => {
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
    expect(out).toContain('"edge/sub" is a submodule, and commit');
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
    expect((await run("plan", "--ref", "HEAD", "-e", "blue")).err).toContain("which edgewise.yaml does not have");
    expect((await run("plan")).exit).not.toBe(0);
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

  it("come from the environment and from the disk, never from the commit", async () => {
    const { write, commit, run, dir, env, behind, id } = await repository();
    const [one, two] = await Promise.all([makeCertificate(["one.example"]), makeCertificate(["two.example"])]);
    await write("pem/one.pem", one.certificate);
    await write("pem/two.pem", two.certificate);
    await write("edge/one.yaml", certificate("one", "{env: KEY_ONE}"));
    await write("edge/two.yaml", certificate("two", "{file: ../keys/two.key}"));
    await write(".gitignore", "keys/\n");
    commit("one");
    env["KEY_ONE"] = one.key;
    await write("keys/two.key", one.key);
    await chmod(join(dir, "keys/two.key"), 0o600);
    const wrong = await run("apply", "--ref", "HEAD", "-y");
    expect(wrong.exit).toBe(1);
    expect(wrong.err).toContain("the private key does not belong to the certificate of two.example");
    await write("keys/two.key", two.key);
    const { exit, out, err } = await run("apply", "--ref", "HEAD", "-y", "-v");
    expect(exit, err).toBe(0);
    expect(out + err).not.toContain("PRIVATE KEY-----\nM");
    expect(behind("GET", `/tls_certificates/${id("TLSCertificate")}`)).toHaveProperty("certificate_pem");
  });

  it("are never the API key, whose file Git must not track", async () => {
    const { write, commit, run, env, dir, git } = await repository();
    await write("edge/one.yaml", backend("a"));
    await write("key.txt", env["EDGEWISE_API_KEY"] ?? "");
    await chmod(join(dir, "key.txt"), 0o600);
    commit("one");
    delete env["EDGEWISE_API_KEY"];
    const tracked = await run("plan", "--api-key-file", "key.txt");
    expect(tracked.exit).toBe(1);
    expect(tracked.err).toContain("the API key's file key.txt is tracked by Git");
    git("rm", "-q", "--cached", "key.txt");
    const untracked = await run("plan", "--api-key-file", "key.txt");
    expect(untracked.exit, untracked.err).toBe(0);
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

  it("is recorded in a saved plan, which is stale where another one plans otherwise", async () => {
    const { run, read, first, git } = await applied();
    expect((await run("plan", "--ref", "HEAD~1", "--out", "plan.json")).exit).toBe(0);
    expect(JSON.parse(await read("plan.json"))).toMatchObject({ commit: first, ref: "HEAD~1" });
    const shown = await run("show", "plan.json");
    expect(shown.out).toContain(`Manifests of commit ${first.slice(0, 12)} (HEAD~1)`);
    const without = await run("apply", "plan.json", "-y");
    expect(without).toMatchObject({ exit: 4, out: expect.stringContaining("stale-plan") });
    const other = await run("apply", "plan.json", "-y", "--ref", "HEAD");
    expect(other).toMatchObject({ exit: 4, out: expect.stringContaining("stale-plan") });
    git("commit", "-q", "--allow-empty", "-m", "later");
    const applying = await run("apply", "plan.json", "-y", "--ref", "HEAD~2", "-o", "json");
    expect(applying.exit, applying.err).toBe(0);
    expect((await run("plan", "--ref", first, "--detailed-exitcode")).exit).toBe(0);
    expect((await run("plan", "--out", "plan.json")).exit).toBe(0);
    expect((await run("apply", "plan.json", "-y", "--ref", "HEAD~1")).exit).toBe(0);
  });
});
