import { execFileSync, spawn } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkWritable, writeFile } from "../../src/files/write-file.ts";

/** A directory with a pipe, removed after the test. */
async function folder(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "edgewise-pipe-")));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  execFileSync("mkfifo", [join(dir, "pipe")]);
  return dir;
}

/** What a program reads from the pipe. */
async function reading(dir: string, command: string): Promise<string> {
  const reader = spawn("sh", ["-c", command], { cwd: dir, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  reader.stdout.setEncoding("utf8").on("data", (part: string) => (text += part));
  return new Promise((resolve) => {
    reader.on("close", () => resolve(text));
  });
}

describe("writing a pipe", () => {
  it("reaches one reader with everything, from the check to the end", async () => {
    const cwd = await folder();
    // More than a pipe holds.
    const text = "all of it\n".repeat(50_000);
    const read = reading(cwd, "sleep 0.2; exec cat pipe");
    await checkWritable("pipe", { cwd });
    await writeFile("pipe", text, { cwd }, "private");
    expect(await read).toBe(text);
  });

  it("reports that the reader ended", async () => {
    const cwd = await folder();
    const read = reading(cwd, "head -c 10 pipe");
    const writing = writeFile("pipe", "x".repeat(1_000_000), { cwd }, "private");
    await expect(writing).rejects.toThrow("pipe can't be written: the program that was reading it has ended");
    await read;
  });
});
