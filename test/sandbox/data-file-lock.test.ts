import { spawn } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { done, sandboxFor } from "./support.ts";

async function dataFileIn(): Promise<{ readonly directory: string; readonly dataFile: string; readonly lock: string }> {
  const directory = await mkdtemp(join(tmpdir(), "edgewise-lock-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const dataFile = join(directory, "world.json");
  return { directory, dataFile, lock: `${dataFile}.lock` };
}

/** A lock as a sandbox writes it, with some members changed. */
async function leaveLock(lock: string, changes: object): Promise<void> {
  const sandbox = await startSandbox({ dataFile: lock.replace(/\.lock$/, "") });
  const holder = JSON.parse(await readFile(lock, "utf8")) as object;
  await sandbox.close();
  await writeFile(lock, JSON.stringify({ ...holder, ...changes }));
}

/** The id of a process that has ended. */
async function endedProcess(): Promise<string> {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await new Promise((resolve) => child.on("exit", resolve));
  return String(child.pid);
}

describe("the lock of a data file", () => {
  it("keeps a second sandbox from it, until the first one ends", async () => {
    const { directory, dataFile, lock } = await dataFileIn();
    const first = await startSandbox({ dataFile });
    await expect(startSandbox({ dataFile })).rejects.toMatchObject({
      code: "io",
      message: expect.stringMatching(/another sandbox holds it \(process \d+ on /),
      remedy: expect.stringContaining(lock),
    });
    await done(first, "GET", "/edges/tls");
    await first.close();
    expect(await readdir(directory)).toEqual([]);
    await sandboxFor({ dataFile });
  });

  it("of a process that was killed is taken over", async () => {
    const { dataFile, lock } = await dataFileIn();
    await leaveLock(lock, { pid: await endedProcess() });
    await sandboxFor({ dataFile });
    expect(JSON.parse(await readFile(lock, "utf8"))).toMatchObject({ pid: String(process.pid) });
  });
});
