import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { isAbsolute, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nodeProblem } from "../../../src/commands/support/node-version.ts";
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
  it("from nothing to applied, clean and destroyed", async () => {
    const dir = await temporary();
    const env = await sandboxProcess();
    const at = { cwd: join(dir, "edge-config"), env };
    expect((await cli(["init", "edge-config"], { cwd: dir })).exit).toBe(0);
    expect((await cli(["validate"], at)).exit).toBe(0);
    expect((await cli(["ping"], at)).exit).toBe(0);
    expect((await cli(["plan", "--out", "plan.json", "--detailed-exitcode"], at)).exit).toBe(2);
    expect((await cli(["apply", "plan.json"], at)).exit).toBe(1);
    const applied = await cli(["apply", "plan.json", "-y", "-o", "json"], at);
    expect(applied.exit).toBe(0);
    expect(JSON.parse(applied.out)).toMatchObject({ outcome: "applied", verified: true });
    expect(await cli(["plan", "--detailed-exitcode", "-q"], at)).toMatchObject({ exit: 0, err: "" });
    expect((await cli(["drift"], at)).exit).toBe(0);
    expect((await cli(["apply", "plan.json", "-y"], at)).exit).toBe(4);
    expect((await cli(["destroy", "-y"], at)).exit).toBe(0);
    expect((await cli(["drift"], at)).exit).toBe(2);
  });

  it("a reader that closes the pipe is not a failure", async () => {
    const dir = await withLongResult();
    const { child, ended } = start(["graph", "-f", "all.yaml", "-o", "json"], { cwd: dir });
    child.stdout.once("data", () => child.stdout.destroy());
    const { exit, err } = await ended;
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
  });

  it("a signal does not cut off a result that is still being read, a second one does", async () => {
    const dir = await withLongResult();
    for (const signals of [1, 2]) {
      const { child, ended } = start(["graph", "-f", "all.yaml", "-o", "json"], { cwd: dir });
      // What is written begins to arrive when all of it is known.
      await once(child.stdout, "data");
      child.stdout.pause();
      for (let sent = 0; sent < signals; sent += 1) {
        await setTimeout(500);
        expect(child.exitCode).toBeNull();
        child.kill("SIGTERM");
      }
      if (signals === 2) await once(child, "exit");
      child.stdout.resume();
      const { exit, out } = await ended;
      expect(exit).toBe(0);
      expect(out.endsWith("}\n")).toBe(signals === 1);
    }
  });

  it("signals at the very end of a run do not change its exit code", async () => {
    const dir = await temporary();
    const env = await sandboxProcess();
    await cli(["init"], { cwd: dir });
    const { child, ended } = start(["apply", "-y"], { cwd: dir, env });
    await once(child.stdout, "data");
    const more = setInterval(() => child.kill("SIGINT"), 1);
    onTestFinished(() => clearInterval(more));
    expect(await ended).toMatchObject({ exit: 0 });
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

  it.each(["version", "version -o json", "schema Config", "completion bash", "validate", "graph -o json"])(
    "a full disk is an error of %s, though nothing follows the write",
    async (command) => {
      const dir = await temporary();
      const args = command.split(" ");
      expect((await cli(["init"], { cwd: dir })).exit).toBe(0);
      expect((await cli(args, { cwd: dir })).exit).toBe(0);
      const { status, stderr } = onFullDisk(args, dir);
      expect(status).toBe(1);
      expect(stderr.match(/stdout can't be written/gu)).toHaveLength(1);
    },
  );

  it.each([
    ["SIGINT", "apply", ["-y"]],
    ["SIGTERM", "apply", ["-y"]],
    ["SIGINT", "plan", []],
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

  it.each(["SIGINT", "SIGTERM"] as const)("%s at the question of pull or apply ends it with 130", async (signal) => {
    const dir = await temporary();
    const env = await sandboxProcess();
    await cli(["init"], { cwd: dir });
    const asked = async (command: string): Promise<void> => {
      const { child, ended } = start([command], { cwd: dir, env, terminal: true });
      let told = "";
      await new Promise<void>((resolve) => {
        child.stderr.on("data", (text: string) => {
          told += text;
          if (told.includes("Type yes: ")) resolve();
        });
        child.once("close", () => resolve());
      });
      child.kill(signal);
      expect((await ended).exit, told).toBe(130);
    };
    await asked("apply");
    expect((await cli(["apply", "-y"], { cwd: dir, env })).exit).toBe(0);
    const edge = join(dir, "edge");
    for (const file of await readdir(edge)) {
      const text = await readFile(join(edge, file), "utf8");
      await writeFile(join(edge, file), text.replace(/status_code: \d+/u, "status_code: 418"));
    }
    await asked("pull");
  });

  it.each(["SIGINT", "SIGTERM"] as const)("%s while pull reads ends it at once", async (signal) => {
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

  it("no package is loaded to show help", async () => {
    const dir = await temporary();
    const hook = join(dir, "hook.cjs");
    const trace = join(dir, "loaded.txt");
    await writeFile(hook, recorder(trace));
    const packages = async (args: readonly string[]): Promise<readonly string[]> => {
      await writeFile(trace, "");
      await cli(args, { cwd: dir, env: { NODE_OPTIONS: `--require=${hook}` } });
      const loaded = (await readFile(trace, "utf8")).split("\n").filter((id) => id !== "" && !isBuiltin(id));
      return loaded.filter((id) => !isAbsolute(id));
    };
    expect(await packages(["plan", "--help"])).toEqual([]);
    await writeFile(join(dir, "edgewise.yaml"), "apiVersion: edgewise/v1\nkind: Config\nstack: &name x\n");
    expect(await packages(["validate"])).toContain("yaml");
  });

  it("nothing of policies is loaded or started where there are none, and CEL never in the program itself", async () => {
    const dir = await temporary();
    const env = await sandboxProcess();
    const trace = join(dir, "loaded.txt");
    const hook = join(dir, "hook.cjs");
    await writeFile(hook, recorder(trace));
    const record = { NODE_OPTIONS: `--require=${hook}` };
    await writeFile(
      join(dir, "a.yaml"),
      "apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: a}\nspec: {status_code: 503}\n",
    );
    const config = "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [a.yaml]\n";
    await writeFile(join(dir, "edgewise.yaml"), config);
    const loaded = async (...args: readonly string[]): Promise<string> => {
      await writeFile(trace, "");
      expect(await cli(args, { cwd: dir, env: { ...env, ...record } })).toMatchObject({ exit: 0 });
      return readFile(trace, "utf8");
    };
    for (const command of ["plan", "validate"])
      expect(await loaded(command)).not.toMatch(/judge-plan|ask-process|cel-js|re2js/);
    await writeFile(join(dir, "edgewise.yaml"), `${config}policies: [{name: a, expression: "false", message: m}]\n`);
    const withPolicies = await loaded("plan");
    expect(withPolicies).toMatch(/judge-plan/);
    expect(withPolicies).not.toMatch(/cel-js|re2js/);
  });
});

describe("a signal while policies are evaluated", () => {
  const ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
  const endless = [..."abcdefghijk"].reduce((inner, name) => `${ten}.all(${name}, ${inner})`, "true");

  it.each([
    ["SIGINT", ["plan"], 130, ""],
    ["SIGINT", ["apply", "-y"], 130, "error: interrupted: nothing was changed\n"],
    ["SIGTERM", ["destroy", "-y"], 130, "error: interrupted: nothing was changed\n"],
    ["SIGKILL", ["plan"], null, ""],
  ] as const)("%s ends %j, and the process that evaluates them", async (signal, command, exit, err) => {
    const dir = await temporary();
    const env = await sandboxProcess();
    const backend =
      "apiVersion: edgewise/v1\nkind: HTTPResponseBackend\nmetadata: {name: a}\nspec: {status_code: 503}\n";
    await writeFile(join(dir, "a.yaml"), backend);
    const config = "apiVersion: edgewise/v1\nkind: Config\nstack: demo\nmanifests: [a.yaml]\n";
    await writeFile(join(dir, "edgewise.yaml"), config);
    if (command[0] === "destroy") expect(await cli(["apply", "-y"], { cwd: dir, env })).toMatchObject({ exit: 0 });
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

/** A preloaded script that records every module that is loaded, and every part of the program. */
function recorder(file: string): string {
  return `const { Module } = require("node:module"), fs = require("node:fs"), load = Module._load, read = fs.readFileSync;
const record = (id) => fs.appendFileSync(${JSON.stringify(file)}, id + "\\n");
Module._load = function (id, ...rest) { record(id); return load.call(this, id, ...rest); };
fs.readFileSync = (path, ...rest) => { if (String(path).endsWith(".js")) record(path); return read(path, ...rest); };`;
}

describe("nodeProblem", () => {
  it.each(["20.19.0", "20.20.0", "21.0.0", "22.1.0", "100.0.0"])("%s is fine", (version) => {
    expect(nodeProblem(version)).toBeNull();
  });
  it.each(["20.18.3", "20.9.5", "18.20.4", "4.0.0"])("%s is too old", (version) => {
    expect(nodeProblem(version)).toContain(`this is Node ${version}`);
  });
});
