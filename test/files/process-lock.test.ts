import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EdgewiseError } from "../../src/core/errors.ts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type LockTimes, type ProcessLock, takeProcessLock } from "../../src/files/process-lock.ts";

const heldBy = (holder: string): EdgewiseError => new EdgewiseError("io", `held${holder}`);

/** No machine stands still for so long. */
const patient: LockTimes = { renewMs: 20, watchMs: 600_000 };

async function lockFile(): Promise<{ readonly directory: string; readonly lock: string }> {
  const directory = await mkdtemp(join(tmpdir(), "edgewise-process-lock-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return { directory, lock: join(directory, "lock") };
}

async function taken(lock: string, times: LockTimes = patient): Promise<ProcessLock> {
  const found = await takeProcessLock(lock, heldBy, times);
  onTestFinished(() => found.release());
  return found;
}

describe("the lock of a process", () => {
  it("is held until it is released, and names its holder to others", async () => {
    const { directory, lock } = await lockFile();
    const mine = await taken(lock);
    expect([mine.problem(), mine.tookOver]).toEqual([null, false]);
    await expect(takeProcessLock(lock, heldBy, patient)).rejects.toThrow(
      new RegExp(`^held \\(process ${process.pid} on .+, since \\d{4}-.+Z\\)$`),
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

  it("is not trusted once its process stood still for so long that others may count it as dead", async () => {
    const { lock } = await lockFile();
    const clocks = [vi.spyOn(performance, "now"), vi.spyOn(Date, "now")];
    onTestFinished(() => clocks.forEach((clock) => clock.mockRestore()));
    let time = 1_000;
    for (const clock of clocks) clock.mockImplementation(() => time);
    // Nothing is renewed meanwhile, however long the machine takes.
    const mine = await taken(lock, { renewMs: 2_000_000, watchMs: 2_005_000 });
    time += 4_900;
    expect(mine.problem()).toBeNull();
    time += 200;
    expect(mine.problem()).toContain("stood still");
  });
});
