import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, cliPath, said, sandboxProcess, start, temporary } from "../../support/cli.ts";

function onFullDisk(args: readonly string[], cwd: string): { status: number | null; stderr: string } {
  const full = openSync("/dev/full", "w");
  const env = { PATH: process.env["PATH"] ?? "" };
  const stdio = ["ignore", full, "pipe"] as const;
  const ended = spawnSync(process.execPath, [cliPath, ...args], { cwd, env, stdio: [...stdio], encoding: "utf8" });
  closeSync(full);
  return ended;
}

async function withLongResult(): Promise<string> {
  const dir = await temporary();
  const many = Array.from(
    { length: 3000 },
    (_, index) =>
      `apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: b${index}}\nspec: {status_code: 200}\n`,
  );
  await writeFile(join(dir, "all.yaml"), many.join("---\n"));
  return dir;
}

describe("the program as a process", () => {
  it("a reader that closes the pipe is not a failure", async () => {
    const dir = await withLongResult();
    const { child, ended } = start(["graph", "-f", "all.yaml", "-o", "json"], { cwd: dir });
    child.stdout.once("data", () => child.stdout.destroy());
    const { exit, err } = await ended;
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
  });

  it("a full disk is an error, shown once however many reports are written", async () => {
    const dir = await temporary();
    for (const name of ["a", "b", "c"]) {
      await mkdir(join(dir, name));
      await writeFile(join(dir, name, "edgewise.yaml"), "stack: [\n");
    }
    const { status, stderr } = onFullDisk(["plan", "--all", "--log-format", "json"], dir);
    expect(status).toBe(1);
    expect(stderr.match(/stdout can't be written/gu)).toHaveLength(1);
  });

  it.each([
    ["SIGINT", "apply", ["-y"]],
    ["SIGTERM", "drift", []],
  ] as const)("%s during %s, which has written nothing, ends it with 130", async (signal, command, flags) => {
    const dir = await temporary();
    const env = await sandboxProcess("--latency", "20s");
    await cli(["init"], { cwd: dir });
    const { child, ended } = start([command, ...flags, "-v"], { cwd: dir, env });
    await said(child, /> #1 GET/u);
    child.kill(signal);
    expect(await ended).toMatchObject({ exit: 130, out: "" });
  });

  it.each([
    ["", "failed"],
    ["--lock", null],
  ])("SIGINT ends an apply %s that was told to wait, and sends nothing more", async (flag, outcome) => {
    const dir = await temporary();
    const env = await sandboxProcess("--fault", "status=429,method=POST,retry-after=18");
    await writeFile(
      join(dir, "a.yaml"),
      "apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: a}\nspec: {status_code: 503}\n",
    );
    const args = ["apply", "--stack", "demo", "-f", "a.yaml", "-y", "-v", "-o", "json", ...(flag === "" ? [] : [flag])];
    const { child, ended } = start(args, { cwd: dir, env });
    await said(child, /#\d+ POST \S+: again in \d+ ms/u);
    child.kill("SIGINT");
    const { exit, out, err } = await ended;
    expect(exit, err).toBe(130);
    expect(err.match(/> #\d+ POST/g)).toHaveLength(1);
    if (outcome === null) return expect(out).toBe("");
    expect(JSON.parse(out)).toMatchObject({ outcome, operations: [{ status: "skipped" }] });
  });

  it("the file is executable and has a shebang", async () => {
    expect((await readFile(cliPath, "utf8")).startsWith("#!/usr/bin/env node\n")).toBe(true);
    expect(execFileSync(cliPath, ["--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+/u);
  });
});
