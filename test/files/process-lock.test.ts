import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type LockTimes, type ProcessLock, holderWords, takeProcessLock } from "../../src/files/process-lock.ts";

const quick: LockTimes = { renewMs: 20, watchMs: 300 };

async function lockFile(): Promise<{ readonly directory: string; readonly lock: string }> {
  const directory = await mkdtemp(join(tmpdir(), "edgewise-process-lock-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return { directory, lock: join(directory, "lock") };
}

async function taken(lock: string, times: LockTimes = quick): Promise<ProcessLock> {
  const found = await takeProcessLock(lock, times);
  if (!found.taken) throw new Error("it is held");
  onTestFinished(() => found.release());
  return found;
}

/** Makes the lock one of another system, which can't be asked whether its process runs. */
async function moveElsewhere(lock: string): Promise<void> {
  const holder = JSON.parse(await readFile(lock, "utf8")) as object;
  await writeFile(lock, JSON.stringify({ ...holder, system: "elsewhere" }));
}

describe("the lock of a process", () => {
  it("is held until it is released, and names its holder to others", async () => {
    const { directory, lock } = await lockFile();
    const mine = await taken(lock);
    expect([mine.problem(), mine.tookOver]).toEqual([null, false]);
    const other = await takeProcessLock(lock, quick);
    expect(other.taken ? null : holderWords(other.holder)).toMatch(
      new RegExp(`^ \\(process ${process.pid} on .+, since \\d{4}-.+Z\\)$`),
    );
    await mine.release();
    expect(await readdir(directory)).toEqual([]);
    expect(mine.problem()).toContain("no longer");
  });

  it("is lost at once when somebody removes or replaces the file", async () => {
    const { lock } = await lockFile();
    const mine = await taken(lock);
    const text = await readFile(lock, "utf8");
    await rm(lock);
    expect(mine.problem()).toContain(`the lock ${lock} is no longer this process's`);
    const next = await taken(lock);
    expect([mine.problem() === null, next.problem() === null]).toEqual([false, true]);
    await mine.release();
    expect(next.problem()).toBeNull();
    await writeFile(lock, text.slice(0, 20));
    expect(next.problem()).not.toBeNull();
  });

  it("says when its holder before did not release it", async () => {
    const { lock } = await lockFile();
    const stopped = await taken(lock, { renewMs: 1_000_000, watchMs: 1_000_000 });
    await moveElsewhere(lock);
    const next = await taken(lock);
    expect([next.tookOver, next.problem()]).toEqual([true, null]);
    expect(stopped.problem()).not.toBeNull();
  });

  it("is not trusted once its process stood still for so long that others may count it as dead", async () => {
    const { lock } = await lockFile();
    const now = vi.spyOn(performance, "now");
    onTestFinished(() => now.mockRestore());
    let time = 1_000;
    now.mockImplementation(() => time);
    const mine = await taken(lock, { renewMs: 2_000, watchMs: 7_000 });
    time += 4_900;
    expect(mine.problem()).toBeNull();
    time += 200;
    expect(mine.problem()).toContain("stood still");
  });

  it("is trusted again when it has shown for the whole time that it lives", async () => {
    const { lock } = await lockFile();
    const mine = await taken(lock);
    // The event loop stands still, as it does under SIGSTOP.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    expect(mine.problem()).toContain("stood still");
    await expect.poll(() => mine.problem(), { timeout: 5_000 }).toBeNull();
  });

  it("is lost for a process that stood still while another took it over", async () => {
    const { lock } = await lockFile();
    const mine = await taken(lock);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    const text = await readFile(lock, "utf8");
    await writeFile(lock, text.replace(/"token":"[^"]*"/, '"token":"other"'));
    expect(mine.problem()).toContain("no longer");
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(mine.problem()).toContain("no longer");
  });
});
