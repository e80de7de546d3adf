import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { run as runProgram } from "../../src/commands/run.ts";
import { memoryIo } from "../commands/memory-io.ts";
import type { MemoryIo, MemoryIoOptions } from "../commands/memory-io.ts";

interface Running {
  readonly io: MemoryIo;
  readonly stop: () => Promise<number>;
}

async function run(flags: string, options: MemoryIoOptions = {}): Promise<Running> {
  const io = memoryIo(options);
  const ended = runProgram(`sandbox ${flags}`.trim().split(" "), io);
  await expect.poll(io.out).not.toBe("");
  const stop = (): Promise<number> => {
    io.signal("SIGINT");
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  return { io, stop };
}

function address(io: MemoryIo): { readonly baseUrl: string; readonly apiKey: string; readonly versionHeader: string } {
  return JSON.parse(io.out());
}

describe("edgewise sandbox", () => {
  it("says in its first line where it is and with which key, and ends with the signal", async () => {
    const { io, stop } = await run("", { env: { EDGEWISE_API_KEY: "demo-key" } });
    const [line, rest] = io.out().split("\n");
    expect(line).toMatch(/^The sandbox listens at http:\/\/127\.0\.0\.1:\d+, and its API key is demo…$/);
    expect(rest).toBe("");
    const url = /http\S+(?=,)/.exec(io.out())?.[0] ?? "";
    const headers = { authorization: "Bearer demo-key", "service-version": "2" };
    expect((await fetch(`${url}/edges/tls`, { headers })).status).toBe(200);
    expect(await stop()).toBe(0);
    await expect(fetch(`${url}/edges/tls`, { headers })).rejects.toThrow();
  });

  it("tells a program the whole key, also one from the environment", async () => {
    const { io } = await run("-o json", { env: { EDGEWISE_API_KEY: "demo-key-of-a-program" } });
    const { baseUrl, apiKey, versionHeader } = address(io);
    expect(apiKey).toBe("demo-key-of-a-program");
    expect(JSON.parse(io.out())).toEqual({ baseUrl, apiKey, versionHeader });
    expect(io.err()).toBe("");
  });

  it("passes its flags on", async () => {
    const cwd = await mkdtemp(join(tmpdir(), "edgewise-sandbox-"));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const flags =
      "-o json -v --data world.json --page-size 1 --lenient --latency 1 --fault status=503,method=DELETE --module-endpoint ip_restriction";
    const { io, stop } = await run(flags, { cwd });
    const { baseUrl, apiKey } = address(io);
    const headers = { authorization: `Bearer ${apiKey}`, "any-version": "2", "content-type": "application/json" };
    for (const host of ["a", "b"]) {
      const body = JSON.stringify({ hostports: [`${host}.example:443`] });
      await fetch(`${baseUrl}/edges/tls`, { method: "POST", headers, body });
    }
    const list = (await (await fetch(`${baseUrl}/edges/tls`, { headers })).json()) as {
      readonly tls_edges: readonly { readonly id: string }[];
    };
    expect(list).toMatchObject({ tls_edges: [{ hostports: ["b.example:443"] }], next_page_uri: expect.any(String) });
    const path = `/edges/tls/${list.tls_edges[0]?.id}/ip_restriction`;
    const body = JSON.stringify({ ip_policy_ids: ["ipp_1"] });
    expect((await fetch(baseUrl + path, { method: "PUT", headers, body })).status).toBe(200);
    expect((await fetch(baseUrl + path, { method: "DELETE", headers })).status).toBe(503);
    expect(io.err()).toContain(`DELETE ${path} 503 (fault status=503,method=DELETE)`);
    expect(io.err()).not.toContain(apiKey);
    expect(await stop()).toBe(0);
    expect(await readFile(join(cwd, "world.json"), "utf8")).toContain("b.example:443");
  });

  it.each(["--fault status=99", "--module-endpoint mutual_tls", "--page-size 500"])(
    "refuses %s before it listens",
    async (flag) => {
      const io = memoryIo();
      expect(await runProgram(["sandbox", ...flag.split(" ")], io)).toBe(1);
      expect(io.err()).toContain(flag.split(" ")[1]);
      expect(io.out()).toBe("");
    },
  );
});
