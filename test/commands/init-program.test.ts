import { spawnSync } from "node:child_process";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
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

/** A program of another version that somebody put into the repository. */
const other = (its: string) => `#!/usr/bin/env node\n// edgewise ${its}\nconsole.log("other");\n`;

describe("init puts the program into the repository", () => {
  it("as it was built, with a checksum that holds, licences, and attributes that keep its bytes", async () => {
    const { run, dir, read } = await stage();
    expect((await run("init", "repo")).exit).toBe(0);
    expect(await read(`repo/${program}`)).toBe(await built);
    expect(await readdir(join(dir, "repo/.edgewise"))).toEqual(["edgewise.mjs", "edgewise.mjs.sha256", "schemas"]);
    expect(check(join(dir, "repo"))).toBe(0);
    expect(await read("repo/.gitattributes")).toContain(".edgewise/** -text linguist-vendored\n");
    expect(await read("repo/.edgewise/edgewise.mjs")).toContain("Apache License");
    const workflow = await read("repo/.github/workflows/edgewise-apply-stack.yaml");
    expect(workflow).toContain("node .edgewise/edgewise.mjs plan");
    expect(workflow).not.toContain("npm install");
  });

  it("but not with --no-vendor, whose workflow says what to do instead", async () => {
    const { run, dir, read } = await stage();
    const { exit, out } = await run("init", "repo", "--no-vendor");
    expect(exit).toBe(0);
    expect(out).not.toContain("edgewise.mjs");
    expect(await readdir(join(dir, "repo"))).toEqual([
      ".edgewise",
      ".github",
      ".gitignore",
      ".vscode",
      "edge",
      "edgewise.yaml",
    ]);
    expect(await readdir(join(dir, "repo/.edgewise"))).toEqual(["schemas"]);
    const workflow = await read("repo/.github/workflows/edgewise-apply-stack.yaml");
    expect(workflow).toMatch(/# Put edgewise \S+ on the PATH here/);
    expect(workflow).not.toMatch(/npm install (--global |-g )?edgewise/);
    expect(await read("repo/.github/workflows/edgewise-plan.yaml")).not.toContain("program of the base branch");
  });
});

describe("init where the program is already", () => {
  it("keeps another version, tells of it, and gives it no checksum", async () => {
    const { run, dir, write, read } = await stage();
    await write(`repo/${program}`, other("0.0.9"));
    const { exit, err } = await run("init", "repo");
    expect(exit).toBe(0);
    expect(err).toContain(`The repository holds edgewise 0.0.9, which differs from this edgewise ${version}.`);
    expect(await read(`repo/${program}`)).toBe(other("0.0.9"));
    expect(await readdir(join(dir, "repo/.edgewise"))).toEqual(["edgewise.mjs", "schemas"]);
  });

  it.each([
    [
      "a newer one, with a warning",
      other("99.0.0"),
      `warning: The repository held edgewise 99.0.0, and now holds the older`,
    ],
  ])("--upgrade renews %s, says so, and touches nothing else", async (_, text, told) => {
    const { run, dir, read, write } = await stage();
    await write(`repo/${program}`, text);
    await write(`repo/${program}.sha256`, "0000  edgewise.mjs\n");
    const { exit, out, err } = await run("init", "repo", "--upgrade");
    expect({ exit, err }).toEqual({ exit: 0, err: expect.stringContaining(told) });
    expect(out).toContain(`renewed repo/${program}\nrenewed repo/${program}.sha256\n`);
    expect(await read(`repo/${program}`)).toBe(await built);
    expect(check(join(dir, "repo"))).toBe(0);
    expect(await readdir(join(dir, "repo"))).toEqual([".edgewise", ".gitattributes"]);
  });
});

describe("the program in a repository, run with --upgrade", () => {
  async function renewedByItself(added: string) {
    const { run, dir } = await stage();
    await run("init", "repo");
    const file = join(dir, "repo", program);
    await writeFile(file, (await built) + added);
    const before = await readFile(`${file}.sha256`, "utf8");
    const args = [program, "init", "--upgrade"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: join(dir, "repo"), encoding: "utf8" });
    expect(await readFile(`${file}.sha256`, "utf8")).toBe(before);
    return { status, stdout, stderr };
  }

  it("gives itself no new checksum after it was changed", async () => {
    const { status, stderr } = await renewedByItself("// changed\n");
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("can't vouch for itself") });
    expect(stderr).toContain("git checkout -- .edgewise");
  });
});

describe("init below the top of a repository", () => {
  it("adds only a stack when the program is at the top, which finds it", async () => {
    const { run, runWith, dir, env } = await stage();
    await mkdir(join(dir, "repo/.git"), { recursive: true });
    await run("init", "repo");
    const { exit, out, err } = await run("init", "repo/a");
    expect({ exit, err }).toEqual({ exit: 0, err: expect.stringContaining("here is only a stack") });
    expect(out).not.toContain("kept");
    expect(await readdir(join(dir, "repo/a"))).toEqual([".edgewise", ".gitignore", "edge", "edgewise.yaml"]);
    expect(await readdir(join(dir, "repo/a/.edgewise"))).toEqual(["schemas"]);
    const stacks = await runWith({ cwd: join(dir, "repo"), env }, "stacks").ran;
    expect(stacks.out).toContain("a     -c a/edgewise.yaml");
  });
});
