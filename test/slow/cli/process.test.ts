import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { cli, cliPath, said, sandboxProcess, start, temporary } from "../../support/cli.ts";

/** Runs the program with the stdout of a full disk. */
function onFullDisk(args: readonly string[], cwd: string): { status: number | null; stderr: string } {
  const full = openSync("/dev/full", "w");
  const env = { PATH: process.env["PATH"] ?? "" };
  const stdio = ["ignore", full, "pipe"] as const;
  const ended = spawnSync(process.execPath, [cliPath, ...args], { cwd, env, stdio: [...stdio], encoding: "utf8" });
  closeSync(full);
  return ended;
}

/** A directory with manifests whose graph is longer than what a pipe takes while nobody reads. */
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
    ["SIGTERM", "apply", ["-y"]],
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

  it.each(["SIGTERM"] as const)("%s while pull reads ends it at once", async (signal) => {
    const dir = await temporary();
    const env = await sandboxProcess("--latency", "20s");
    await cli(["init"], { cwd: dir });
    const { child, ended } = start(["pull", "-y", "-v"], { cwd: dir, env });
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
    // While the lock is being taken there is no result yet.
    if (outcome === null) return expect(out).toBe("");
    expect(JSON.parse(out)).toMatchObject({ outcome, operations: [{ status: "skipped" }] });
  });

  it("--version loads no other package", async () => {
    const dir = await temporary();
    execFileSync("cp", ["-r", join(cliPath, "../.."), join(dir, "dist")]);
    await writeFile(join(dir, "package.json"), '{"name":"edgewise","version":"9.8.7","type":"module"}');
    const out = execFileSync(process.execPath, [join(dir, "dist", "bin", "edgewise.js"), "--version"], {
      encoding: "utf8",
    });
    expect(out).toBe("9.8.7\n");
  });

  it("the file is executable and has a shebang", async () => {
    expect((await readFile(cliPath, "utf8")).startsWith("#!/usr/bin/env node\n")).toBe(true);
    expect(execFileSync(cliPath, ["--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+/u);
  });
});

describe("a signal while policies are evaluated", () => {
  const ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
  const endless = [..."abcdefghijk"].reduce((inner, name) => `${ten}.all(${name}, ${inner})`, "true");

  it.each([
    ["SIGINT", ["apply", "-y"], 130, "error: interrupted: nothing was changed\n"],
    ["SIGKILL", ["plan"], null, ""],
  ] as const)("%s ends %j, and the process that evaluates them", async (signal, command, exit, err) => {
    const dir = await temporary();
    const env = await sandboxProcess();
    const backend =
      "apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: a}\nspec: {status_code: 503}\n";
    await writeFile(join(dir, "a.yaml"), backend);
    const config = "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [a.yaml]\n";
    await writeFile(join(dir, "edgewise.yaml"), config);
    await writeFile(join(dir, "edgewise.yaml"), `${config}policies: [{name: slow, expression: "${endless}"}]\n`);
    const { child, ended } = start([...command], { cwd: dir, env });
    let since = 0;
    const working = (): number | null => {
      const found = evaluatorOf(child.pid);
      if (found === null) return null;
      since ||= performance.now();
      // On a machine that is busy it may get no more work done before its deadline.
      return ticksOf(found) > 60 || performance.now() - since > 3000 ? found : null;
    };
    const evaluator = await vi.waitUntil(working, { timeout: 250_000, interval: 50 });
    child.kill(signal);
    expect(await ended).toMatchObject({ exit, out: "", err });
    // It would end by itself after its deadline.
    await vi.waitUntil(() => !runs(evaluator), { timeout: 8000, interval: 50 });
  });

  function evaluatorOf(pid: number | undefined): number | null {
    const children = read(`/proc/${pid}/task/${pid}/children`).trim().split(" ");
    const found = children.find((each) => read(`/proc/${each}/cmdline`).includes("policy-process"));
    return found === undefined ? null : Number(found);
  }

  /** How long a process has worked, in hundredths of a second. */
  function ticksOf(pid: number): number {
    return Number(read(`/proc/${pid}/stat`).split(" ")[13] ?? 0);
  }

  /** Whether a process runs; one that has ended may wait for somebody to ask how. */
  function runs(pid: number): boolean {
    return read(`/proc/${pid}/cmdline`) !== "";
  }

  function read(file: string): string {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return "";
    }
  }
});
