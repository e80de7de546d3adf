import { describe, expect, it } from "vitest";
import { cli, said, sandboxProcess, start, temporary } from "../../support/cli.ts";
import { address, backend, edge, stage } from "../../commands/stage.ts";

describe("as a process", () => {
  it.each([
    [["aply"], "Did you mean apply?"],
    [["plan", "--ony", "TLSEdge/a"], "--only"],
    [["plan", "-o", "pdf"], "text, json, markdown, html, github, gitlab"],
    [["validate", "-o", "markdown"], "text, json, github, sarif"],
    [["show"], "planfile"],
    [["export", "TlsEdg"], "TLSEdge"],
    [["explain", "TLSEdge.hostprots"], "hostports"],
    [["schema", "TLSEgde"], "TLSEdge"],
  ])("%j is told what is meant, and exits 1", async (args, words) => {
    const { exit, out, err } = await cli(args, { cwd: await temporary() });
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain(words);
    expect(err).not.toMatch(/^\s+at /mu);
  });

  it("without a key, address, stack or configuration, the error explains how to set it", async () => {
    const cwd = await temporary();
    const { EDGEWISE_API_KEY = "", EDGEWISE_BASE_URL = "" } = await sandboxProcess();
    const env = { EDGEWISE_BASE_URL, EDGEWISE_STACK: "demo" };
    expect((await cli(["destroy", "-y"], { cwd, env })).err).toContain("EDGEWISE_API_KEY");
    expect((await cli(["ping"], { cwd, env: { EDGEWISE_API_KEY } })).err).toContain("EDGEWISE_BASE_URL");
    expect((await cli(["destroy", "-y"], { cwd, env: { EDGEWISE_API_KEY, EDGEWISE_BASE_URL } })).err).toContain(
      "--stack",
    );
    expect((await cli(["plan", "-c", "none.yaml"], { cwd, env })).err).toContain("none.yaml");
    expect((await cli(["ping", "--api-key-file", "none"], { cwd, env })).err).toContain("--api-key-file");
  });

  it("without a terminal it neither asks nor sends anything", async () => {
    const cwd = await temporary();
    const env = await sandboxProcess();
    await cli(["init"], { cwd });
    for (const command of ["apply", "destroy"]) {
      const { child, ended } = start([command, "-v"], { cwd, env });
      // There is no reply, and the input stays open.
      const { exit, out, err } = await ended;
      child.stdin.destroy();
      expect({ exit, out }).toEqual({ exit: 1, out: "" });
      expect(err).toContain("--auto-approve");
      expect(err).not.toContain("GET");
    }
  });

  it("an uncaught bug has no stack, and the key is not in it", async () => {
    const cwd = await temporary();
    const key = "key-C4n4ry-0123456789";
    // As soon as the program listens.
    const boom = `const timer = setInterval(() => {
      if (process.listenerCount("uncaughtException") === 0) return;
      clearInterval(timer);
      throw new Error("boom ${key}");
    }, 5);`;
    const { exit, err } = await cli(["schema", "TLSEdge"], {
      cwd,
      env: { EDGEWISE_API_KEY: key, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(boom)}` },
    });
    expect(exit).toBe(1);
    expect(err).toContain("boom (secret)");
    expect(err).not.toMatch(/^\s+at /mu);
  });

  it.each([["plan", "-o", "json"], ["schema", "TLSEdge"], ["--help"]])(
    "a reader that goes away ends %s quietly",
    async (...args) => {
      const cwd = await temporary();
      const env = await sandboxProcess();
      await cli(["init"], { cwd });
      const { child, ended } = start(args, { cwd, env });
      child.stdout.destroy();
      const { exit, err } = await ended;
      expect({ exit, err }).toEqual({ exit: 0, err: "" });
    },
  );
});

describe("exit codes", () => {
  const manifests =
    backend("down") + edge("api", "a.example.com:443", ", backend: {backend: {name: down}}") + address("tcp");

  it("0, 2 and 4 of plan and drift", async () => {
    const { run, write, behind, id } = await stage();
    await write("edge/all.yaml", manifests);
    expect((await run("plan")).exit).toBe(0);
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(2);
    expect((await run("drift")).exit).toBe(2);
    expect((await run("apply", "-y")).exit).toBe(0);
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(0);
    expect((await run("drift")).exit).toBe(0);
    behind("PATCH", `/edges/tls/${id("TLSEdge")}`, { description: "meddled" });
    expect((await run("drift")).exit).toBe(2);
    expect((await run("plan", "--fail-on", "irreversible")).exit).toBe(0);
    expect((await run("plan", "--fail-on", "cosmetic")).exit).toBe(2);
    await write("edge/all.yaml", backend("down"));
    expect((await run("plan")).exit).toBe(0);
    expect((await run("plan", "--detailed-exitcode")).exit).toBe(4);
    expect((await run("apply", "-y")).exit).toBe(4);
    expect((await run("destroy", "-y")).exit).toBe(4);
  });

  it("1 when nothing was changed, 3 when something was", async () => {
    for (const [fault, exit] of [
      ["status=403,method=POST", 1],
      ["status=403,method=POST,path=/edges/tls", 3],
      ["status=403,path=/edges/tls,method=GET", 1],
    ] as const) {
      const { run, write } = await stage({ faults: [fault] });
      await write("edge/all.yaml", manifests);
      expect((await run("apply", "-y")).exit, fault).toBe(exit);
    }
  });

  it("130 when it is interrupted before anything was changed", async () => {
    const cwd = await temporary();
    const env = await sandboxProcess("--latency", "20s");
    await cli(["init"], { cwd });
    for (const [signal, command] of [
      ["SIGINT", "apply"],
      ["SIGTERM", "apply"],
      ["SIGTERM", "destroy"],
    ] as const) {
      const { child, ended } = start([command, "-y", "-v"], { cwd, env });
      await said(child, /> #1 GET/u);
      child.kill(signal);
      expect(await ended).toMatchObject({ exit: 130, out: "" });
    }
  });
});
