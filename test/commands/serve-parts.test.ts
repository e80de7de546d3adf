import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openServeParts } from "../../src/commands/support/serve-parts.ts";
import { SimulatedClock } from "../serve/support/simulated-clock.ts";
import { memoryIo } from "./memory-io.ts";

async function service(): Promise<{ readonly baseUrl: string; readonly keys: readonly string[] }> {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    keys.push(String(request.headers.authorization));
    response.setHeader("content-type", "application/json").end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

describe("the clients of an account", () => {
  it("share its limit over all passes and under every name, each with the key of its time", async () => {
    const { baseUrl, keys } = await service();
    const dir = await mkdtemp(join(tmpdir(), "edgewise-parts-"));
    onTestFinished(() => rm(dir, { recursive: true }));
    const account = `{baseUrl: "${baseUrl}", key: {file: key}, requestsPerMinute: 3}`;
    const other = `{baseUrl: "${baseUrl}", key: {file: other}, requestsPerMinute: 3}`;
    await writeFile(
      join(dir, "fleet.yaml"),
      `apiVersion: edgewise/v1\nkind: Fleet\nsources:\n  edge: {git: ., ref: main}\naccounts:\n  main: ${account}\n  same: ${account}\n  other: ${other}\nstacks:\n  prod: {source: edge, account: main}\n`,
    );
    for (const name of ["key", "other"]) await writeFile(join(dir, name), `key-of-${name}-1\n`, { mode: 0o600 });
    const clock = new SimulatedClock();
    const parts = await openServeParts({
      file: "fleet.yaml",
      flags: { check: true },
      io: memoryIo({ cwd: dir }),
      clock,
      log: () => undefined,
    });
    onTestFinished(() => parts.close());
    /** Each pass has a client of its own. */
    const pass = async (name: string, requests: number): Promise<number> => {
      const found = parts.fleet.accounts.get(name);
      if (found === undefined) throw new Error("no such account");
      const began = clock.elapsed;
      const client = await parts.deps.connect(found, { clock });
      for (let index = 0; index < requests; index += 1) await client.get("/things/1");
      await client.close();
      return clock.elapsed - began;
    };
    expect(await pass("main", 2)).toBe(0);
    await writeFile(join(dir, "key"), "key-of-key-2\n", { mode: 0o600 });
    expect(await pass("other", 3)).toBe(0);
    expect(await pass("main", 2)).toBeGreaterThan(60_000);
    expect(await pass("same", 3)).toBeGreaterThan(60_000);
    expect(new Set(keys)).toEqual(
      new Set(["key-of-key-1", "key-of-other-1", "key-of-key-2"].map((key) => `Bearer ${key}`)),
    );
  });
});
