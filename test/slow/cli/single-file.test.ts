import { spawn, spawnSync } from "node:child_process";
import { copyFile, cp, mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "../../repository/source-files.ts";
import { firstLine } from "../../support/first-line.ts";
import { sandboxProcess, temporary } from "../../support/cli.ts";

const built = join(root, "dist/edgewise.mjs");

async function alone() {
  const dir = await temporary();
  const program = join(dir, "edgewise.mjs");
  await copyFile(built, program);
  const run = (args: readonly string[], { cwd = dir, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: dir, ...env },
      encoding: "utf8",
    });
    return { exit: status, out: stdout, err: stderr };
  };
  return { dir, program, run };
}

describe("the program as one file, with nothing beside it", () => {
  it("puts itself into a repository, and goes from nothing to applied and destroyed there", async () => {
    const { dir, run } = await alone();
    const env = await sandboxProcess();
    expect(run(["init", "repo"])).toMatchObject({ exit: 0 });
    const example = join(dir, "repo/edge/example.yaml");
    await writeFile(example, (await readFile(example, "utf8")).replaceAll(/^# (?!An|yaml|`)/gmu, ""));
    const at = { cwd: join(dir, "repo"), env };
    const theirs = (file: string) => readFile(join(dir, "repo/.edgewise", file), "utf8");
    expect(await theirs("edgewise.mjs")).toBe(await readFile(built, "utf8"));
    expect(run(["validate"], at)).toMatchObject({ exit: 0 });
    const config = join(dir, "repo/edgewise.yaml");
    await writeFile(config, (await readFile(config, "utf8")).replace("\nlock: true\n", "\nlock: {settle: 0s}\n"));
    expect(run(["plan", "--out", "plan.json", "--detailed-exitcode"], at)).toMatchObject({ exit: 2 });
    expect(run(["show", "plan.json", "-o", "html"], at).out).toContain("<!doctype html>");
    expect(run(["apply", "plan.json", "-y"], at)).toMatchObject({ exit: 0 });
    expect(run(["drift"], at)).toMatchObject({ exit: 0 });
    expect(run(["export", "--all"], at).out).toContain("kind: TLSEdge");
    expect(run(["destroy", "-y"], at)).toMatchObject({ exit: 0 });
  });

  it("is the sandbox, too, and reads YAML that needs the library", async () => {
    const { dir, program, run } = await alone();
    const child = spawn(process.execPath, [program, "sandbox", "-o", "json"], {
      cwd: dir,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    onTestFinished(async () => {
      child.kill("SIGTERM");
      await ended;
    });
    const { baseUrl, apiKey } = JSON.parse(await firstLine(child.stdout)) as { baseUrl: string; apiKey: string };
    await cp(join(root, "examples/quickstart"), join(dir, "quickstart"), { recursive: true });
    const env = { EDGEWISE_BASE_URL: baseUrl, EDGEWISE_API_KEY: apiKey };
    expect(run(["ping"], { env })).toMatchObject({ exit: 0 });
    expect(run(["validate"], { cwd: join(dir, "quickstart") })).toMatchObject({ exit: 0 });
  });

  it("writes nothing into the repository, and keeps compiled code only where nobody else can write", async () => {
    const { dir, run } = await alone();
    // Home is the repository here, as in some containers.
    await mkdir(join(dir, ".cache"));
    expect(run(["schema", "Config"])).toMatchObject({ exit: 0 });
    expect(await readdir(join(dir, ".cache"))).toEqual([]);
    const home = await temporary();
    await mkdir(join(home, ".cache"), { mode: 0o700 });
    expect(run(["schema", "Config"], { env: { HOME: home } })).toMatchObject({ exit: 0 });
    expect(await readdir(join(home, ".cache"))).toEqual(keepsCompiled ? ["edgewise"] : []);
  });
});

/** Node 22.1 and later can. */
const keepsCompiled = Number.parseFloat(process.versions.node) >= 22.1;

describe("the file itself", () => {
  it("can be executed, and says its version in the second line", async () => {
    const { mode } = await stat(built);
    expect(mode & 0o111).toBe(0o111);
    expect((await readFile(built, "utf8")).split("\n").slice(0, 2)).toEqual([
      "#!/usr/bin/env node",
      expect.stringMatching(/^\/\/ edgewise \d+\.\d+\.\d+/),
    ]);
  });

  it("imports nothing but what Node has", async () => {
    const text = await readFile(built, "utf8");
    const imported = [...text.matchAll(/^import (?:[^"]*? from )?"([^"]+)";$|\b__require\("([^"]+)"\)/gm)]
      .map(([, a, b]) => a ?? b ?? "")
      .filter((id) => !id.startsWith("node:"));
    // pg asks for these two and does without.
    expect([...new Set(imported)].filter((id) => !builtinModules.includes(id))).toEqual(["pg-cloudflare", "pg-native"]);
  });

  it("has the licence of every package inside of it", async () => {
    const licenses = await readFile(built, "utf8");
    for (const name of ["commander", "diff", "fast-deep-equal", "tinyqueue", "undici", "yaml"]) {
      const file = (await readdir(join(root, "node_modules", name))).find((each) => /^licen[cs]e/i.test(each)) ?? "";
      const text = (await readFile(join(root, "node_modules", name, file), "utf8")).replaceAll("\r\n", "\n").trim();
      expect(licenses).toContain(text);
    }
    expect(licenses).toContain((await readFile(join(root, "LICENSE"), "utf8")).trim());
  });

  it("is readable", async () => {
    const text = await readFile(built, "utf8");
    const lines = text.split("\n");
    // The longest is a schema for editors; minified, the program had one of more than a million characters.
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(150_000);
    expect(lines.length).toBeGreaterThan(50_000);
  });
});
