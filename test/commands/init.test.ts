import { spawnSync } from "node:child_process";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { version } from "../../src/core/version.ts";
import { root } from "../repository/source-files.ts";
import { stage } from "./stage.ts";

const program = ".edgewise/edgewise.mjs";
const built = readFile(join(root, "dist/edgewise.mjs"), "utf8");

function check(directory: string): number | null {
  return spawnSync("sha256sum", ["--check", "edgewise.mjs.sha256"], { cwd: join(directory, ".edgewise") }).status;
}

const other = (its: string) => `#!/usr/bin/env node\n// edgewise ${its}\nconsole.log("other");\n`;

describe("init", () => {
  it("makes a repository whose first apply creates nothing, and whose example is one comment away", async () => {
    const { run, runWith, dir, env, read, write, writes } = await stage();
    const { exit, out } = await run("init", "repo");
    expect(exit).toBe(0);
    expect(out).toMatch(/^wrote repo\/edgewise\.yaml\n/u);
    expect(out).toMatch(/^wrote repo\/\.edgewise\/edgewise\.mjs$/mu);
    const there = { cwd: `${dir}/repo`, env };
    expect((await runWith(there, "validate").ran).exit).toBe(0);
    expect((await runWith(there, "apply", "-y").ran).exit).toBe(0);
    expect(writes()).toBe(0);
    const example = await read("repo/edge/example.yaml");
    await write("repo/edge/example.yaml", example.replaceAll(/^# (?!yaml|An|`)/gmu, ""));
    const plan = await runWith(there, "plan", "-o", "json").ran;
    expect(JSON.parse(plan.out)).toMatchObject({ stack: "repo", summary: { create: 2 }, refusals: [] });
  });

  it("never overwrites, and adds to .gitignore only what is missing", async () => {
    const { run, write, read } = await stage();
    const before = await read("edgewise.yaml");
    await write(".gitignore", "node_modules\nplan.json");
    const { out } = await run("init");
    expect(out).toContain("kept  edgewise.yaml\n");
    expect(await read("edgewise.yaml")).toBe(before);
    const ignored = await read(".gitignore");
    expect(ignored.startsWith("node_modules\nplan.json\n")).toBe(true);
    expect(ignored.match(/plan\.json/gu)).toHaveLength(1);
    expect(ignored).toContain("\nedgewise-plans/\n");
    expect((await run("init")).out).not.toContain("wrote");
    expect(await read(".gitignore")).toBe(ignored);
  });

  it("writes pipelines for the system that --ci names", async () => {
    const { run, dir } = await stage();
    await run("init", "gitlab", "--ci", "gitlab");
    await run("init", "none", "--ci", "none");
    const files = async (name: string) => readdir(join(dir, name));
    expect(await files("gitlab")).toContain(".gitlab-ci.yml");
    expect(await files("gitlab")).not.toContain(".github");
    expect(await files("none")).not.toContain(".github");
    const refused = await run("init", "other", "--ci", "gitlab", "--no-vendor");
    expect(refused).toMatchObject({ exit: 1, err: expect.stringContaining("runs the program in the repository") });
  });
});

describe("init puts the program into the repository", () => {
  it("as it was built, with a checksum that holds, licences, and attributes that keep its bytes", async () => {
    const { run, dir, read } = await stage();
    expect((await run("init", "repo")).exit).toBe(0);
    expect(await read(`repo/${program}`)).toBe(await built);
    expect(await readdir(join(dir, "repo/.edgewise"))).toEqual(["edgewise.mjs", "edgewise.mjs.sha256", "schemas"]);
    expect(check(join(dir, "repo"))).toBe(0);
    expect(await read("repo/.gitattributes")).toContain(".edgewise/** -text linguist-vendored\n");
    expect(await read("repo/.edgewise/edgewise.mjs")).toContain("Apache License");
    expect(await read("repo/.github/workflows/edgewise-apply.yaml")).toContain("node .edgewise/edgewise.mjs ci plan");
  });

  it("but not with --no-vendor, whose workflows say what to do instead", async () => {
    const { run, dir, read } = await stage();
    expect((await run("init", "repo", "--no-vendor")).exit).toBe(0);
    expect(await readdir(join(dir, "repo"))).not.toContain(".gitattributes");
    expect(await readdir(join(dir, "repo/.edgewise"))).toEqual(["schemas"]);
    for (const name of ["plan", "apply", "drift"]) {
      const workflow = await read(`repo/.github/workflows/edgewise-${name}.yaml`);
      expect(workflow).toMatch(/# Put edgewise \S+ on the PATH here/);
      expect(workflow).not.toContain("edgewise.mjs");
    }
  });

  it("keeps another version, tells of it, and gives it no checksum", async () => {
    const { run, dir, write, read } = await stage();
    await write(`repo/${program}`, other("0.0.9"));
    const { exit, err } = await run("init", "repo");
    expect(exit).toBe(0);
    expect(err).toContain(`The repository holds edgewise 0.0.9, which differs from this edgewise ${version}.`);
    expect(await read(`repo/${program}`)).toBe(other("0.0.9"));
    expect(await readdir(join(dir, "repo/.edgewise"))).toEqual(["edgewise.mjs", "schemas"]);
  });
});

describe("init --upgrade", () => {
  it("renews the program, says which it was, and adds no stack", async () => {
    const { run, dir, read, write } = await stage();
    await write(`repo/${program}`, other("99.0.0"));
    await write(`repo/${program}.sha256`, "0000  edgewise.mjs\n");
    const { exit, out, err } = await run("init", "repo", "--upgrade");
    expect({ exit, err }).toEqual({
      exit: 0,
      err: expect.stringContaining("The repository held edgewise 99.0.0, and now holds edgewise"),
    });
    expect(out).toMatch(/^renewed repo\/\.edgewise\/edgewise\.mjs\nrenewed repo\/\.edgewise\/edgewise\.mjs\.sha256\n/u);
    expect(await read(`repo/${program}`)).toBe(await built);
    expect(check(join(dir, "repo"))).toBe(0);
    expect(await readdir(join(dir, "repo"))).toEqual([".edgewise", ".gitattributes"]);
  });

  it("renews a pipeline as it was written, shows how a changed one differs, and adds none", async () => {
    const { run, read, write } = await stage();
    await run("init", "repo");
    const workflows = "repo/.github/workflows";
    const plan = await read(`${workflows}/edgewise-plan.yaml`);
    await run("init", "earlier", "--no-vendor");
    await write(`${workflows}/edgewise-plan.yaml`, await read("earlier/.github/workflows/edgewise-plan.yaml"));
    const own = (await read(`${workflows}/edgewise-drift.yaml`)).replace("17 3 * * *", "5 4 * * *");
    await write(`${workflows}/edgewise-drift.yaml`, own);
    const { exit, out } = await run("init", "repo", "--upgrade");
    expect(exit).toBe(0);
    expect(out).toContain("renewed repo/.github/workflows/edgewise-plan.yaml");
    expect(await read(`${workflows}/edgewise-plan.yaml`)).toBe(plan);
    expect(out).toContain('-  schedule: [{ cron: "5 4 * * *" }]\n+  schedule: [{ cron: "17 3 * * *" }]\n');
    expect(await read(`${workflows}/edgewise-drift.yaml`)).toBe(own);
    expect(out).not.toContain("gitlab");
  });

  it("by the program in the repository: gives itself no new checksum after it was changed", async () => {
    const { run, dir } = await stage();
    await run("init", "repo");
    const file = join(dir, "repo", program);
    await writeFile(file, `${await built}// changed\n`);
    const before = await readFile(`${file}.sha256`, "utf8");
    const args = [program, "init", "--upgrade"];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: join(dir, "repo"), encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("can't vouch for itself") });
    expect(await readFile(`${file}.sha256`, "utf8")).toBe(before);
  });
});

describe("init below the top of a repository", () => {
  it.each([
    ["", []],
    ["a pipeline runs only from there", ["--ci", "gitlab"]],
  ])("that holds the program adds only a stack: no pipeline, program or schemas %s", async (told, flags) => {
    const { run, runWith, dir, env, read } = await stage();
    spawnSync("git", ["init", "--quiet", join(dir, "repo")]);
    await run("init", "repo");
    const { exit, out, err } = await run("init", "repo/a", ...flags);
    expect({ exit, err }).toEqual({ exit: 0, err: expect.stringContaining("here is only a stack") });
    expect(err).toContain(told);
    expect(out.match(/^wrote \S+/gmu)).toEqual(["wrote repo/a/edgewise.yaml", "wrote repo/a/edge/example.yaml"]);
    expect(await readdir(join(dir, "repo/a"))).toEqual(["edge", "edgewise.yaml"]);
    expect(await read("repo/a/edge/example.yaml")).toContain("$schema=../../.edgewise/schemas/manifest.schema.json\n");
    const stacks = await runWith({ cwd: join(dir, "repo"), env }, "stacks").ran;
    expect(stacks.out).toContain("a     -c a/edgewise.yaml");
    expect(await run("init", "repo/a", "--upgrade")).toMatchObject({ exit: 1 });
  });
});
