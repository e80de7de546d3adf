import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { takeProcessLock } from "../../../src/files/process-lock.ts";
import { stateOf } from "../../../src/serve/serve-state.ts";
import { type Disk, type DiskFile, systemDisk } from "../../../src/serve/store/state-disk.ts";
import type { ServeStore } from "../../../src/serve/store/store.ts";
import { runs, usuallyOr } from "../../support/runs.ts";
import { fleetOf } from "../loop/loop-fixture.ts";
import { accountRecord, historyEntry, noon, openStore, sourceRecord, stackRecord, statePath } from "./support.ts";

/** A disk for a process that is killed: after so many bytes and calls nothing happens any more. */
function mortalDisk(life: number): Disk & { readonly used: () => number } {
  let left = life;
  const spend = (cost: number): number => {
    const paid = Math.min(cost, left);
    left -= paid;
    return paid;
  };
  const alive = async <T>(act: () => Promise<T>): Promise<T> => {
    if (spend(1) < 1) throw new Error("killed");
    return act();
  };
  const mortalFile = (file: DiskFile): DiskFile => ({
    append: async (bytes) => {
      const paid = spend(bytes.length);
      await file.append(bytes.subarray(0, paid));
      if (paid < bytes.length) throw new Error("killed");
    },
    // The kernel goes on; what it would take to survive a power cut is not tried here.
    sync: () => alive(async () => {}),
    size: () => file.size(),
    read: (length, position) => file.read(length, position),
    truncate: (size) => alive(() => file.truncate(size)),
    close: () => file.close(),
  });
  return {
    used: () => life - left,
    open: (path, fresh) => alive(async () => mortalFile(await systemDisk.open(path, fresh))),
    rename: (from, to) => alive(() => systemDisk.rename(from, to)),
    remove: (path) => alive(() => systemDisk.remove(path)),
    makeDirectory: (path) => alive(() => systemDisk.makeDirectory(path)),
    syncDirectory: () => alive(async () => {}),
  };
}

const deletes = (count: number): readonly number[] => Array<number>(count).fill(noon);

/** A few passes. @returns how many were confirmed */
async function work(store: ServeStore, passes: number, first = 1): Promise<number> {
  for (let pass = first; pass < first + passes; pass++) {
    try {
      await store.saveStack({
        ...stackRecord("prod"),
        memory: { ...stackRecord("prod").memory, deletes: deletes(pass) },
      });
      await store.saveAccount(accountRecord("main", { lastWrite: pass }));
      await store.saveSource(sourceRecord("edge", { fetchedAt: pass }), null);
      await store.appendHistory([historyEntry("prod", pass)]);
    } catch {
      return pass - first;
    }
  }
  return passes;
}

/** What a start finds: how far the records are, and the history, oldest first. */
async function found(store: ServeStore) {
  const { stacks, accounts, sources, damaged } = await store.load();
  expect(damaged.size).toBe(0);
  const { entries } = await store.readHistory("prod", { limit: 1_000_000, after: null });
  return {
    stack: stacks.get("prod")?.memory.deletes.length ?? 0,
    account: accounts.get("main")?.lastWrite ?? 0,
    source: sources.get("edge")?.fetchedAt ?? 0,
    history: entries.map(({ message }) => Number(message)).toReversed(),
  };
}

/** The numbers from 1 to a last one. */
const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

describe("a state directory whose process was killed at any byte", () => {
  it("has all that was confirmed, all or nothing of the rest, and goes on", { timeout: 600_000 }, async () => {
    const disk = mortalDisk(1_000_000);
    expect(await work(await openStore(await statePath(), disk), 3)).toBe(3);
    await fc.assert(
      fc.asyncProperty(fc.nat(disk.used()), async (life) => {
        const directory = await statePath();
        const dying = await openStore(directory, mortalDisk(life)).catch(() => null);
        const confirmed = dying === null ? 0 : await work(dying, 3);
        // The lock of a process that is gone.
        await dying?.close();
        const store = await openStore(directory, mortalDisk(Infinity));
        const { account, history, source, stack } = await found(store);
        for (const each of [stack, account, source]) {
          expect(each).toBeGreaterThanOrEqual(confirmed);
          expect(each).toBeLessThanOrEqual(confirmed + 1);
        }
        // Each is saved before the next one.
        expect(stack).toBeGreaterThanOrEqual(account);
        expect(account).toBeGreaterThanOrEqual(source);
        expect(source).toBeGreaterThanOrEqual(history.length);
        expect(history).toEqual(upTo(history.length));
        expect(history.length).toBeGreaterThanOrEqual(confirmed);
        expect(await work(store, 2, history.length + 1)).toBe(2);
        expect((await found(store)).history).toEqual(upTo(history.length + 2));
        await store.close();
      }),
      runs(60),
    );
  });
});

const saver = fileURLToPath(new URL("fixtures/saver.mjs", import.meta.url));

interface Saver {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** It has ended, and all that it said is there. */
  readonly ended: Promise<unknown>;
}

/** A process that holds a store, and what it says, line by line. */
function startSaver(...args: readonly string[]): Saver {
  const child = spawn(process.execPath, [saver, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  return { child, lines, ended: once(child, "close") };
}

describe("a process with a state directory", () => {
  it("can be killed at any time, and the next one finds all that it had confirmed", { timeout: 600_000 }, async () => {
    const directory = await statePath();
    let confirmed = 0;
    for (let round = 0; round < usuallyOr(6, 100); round++) {
      const { child, ended, lines } = startSaver("save", directory, String(confirmed + 1));
      await expect.poll(() => lines.length, { interval: 5 }).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      child.kill("SIGKILL");
      await ended;
      const store = await openStore(directory);
      // What it sent may still arrive, however dead it is.
      expect(stateOf(fleetOf([]), await store.load(), 0).quiet).toEqual(new Map([["main", 40_000]]));
      const { account, history, source, stack } = await found(store);
      const last = Number(lines.at(-1) ?? confirmed);
      expect(history).toEqual(upTo(history.length));
      expect(history.length).toBeGreaterThanOrEqual(last);
      for (const each of [stack, account, source]) expect(each).toBeGreaterThanOrEqual(history.length);
      expect(stack).toBeLessThanOrEqual(last + 1);
      confirmed = history.length;
      await store.close();
    }
    expect(confirmed).toBeGreaterThan(1);
  });

  it("keeps it from all others, and leaves it to one of them when it is killed", async () => {
    const directory = await statePath();
    const first = startSaver("ask", directory);
    await expect.poll(() => first.lines).toEqual(["ready"]);
    const second = startSaver("ask", directory);
    await second.ended;
    expect(second.lines).toHaveLength(1);
    expect(second.lines[0]).toContain(`another \`edgewise serve\` holds it (process ${first.child.pid} on `);
    expect(second.child.exitCode).toBe(1);
    first.child.kill("SIGKILL");
    await first.ended;
    const others = Array.from({ length: 4 }, () => startSaver("ask", directory));
    await expect.poll(() => others.every(({ lines }) => lines.length > 0)).toBe(true);
    expect(others.filter(({ lines }) => lines[0] === "ready")).toHaveLength(1);
  });

  it.skipIf(process.platform === "win32")("writes nothing after it was stopped and another took over", async () => {
    const directory = await statePath();
    const { child, lines } = startSaver("ask", directory);
    await expect.poll(() => lines).toEqual(["ready"]);
    const ask = async (): Promise<string | undefined> => {
      const before = lines.length;
      child.stdin?.write("?\n");
      await expect.poll(() => lines.length, { interval: 5 }).toBeGreaterThan(before);
      return lines.at(-1);
    };
    await expect.poll(ask).toBe("held");
    child.kill("SIGSTOP");
    const lock = join(directory, "lock");
    // On its own system it counts as running, however long it stands still.
    expect((await takeProcessLock(lock, { renewMs: 20, watchMs: 100 })).taken).toBe(false);
    await writeFile(lock, (await readFile(lock, "utf8")).replace('"system":"', '"system":"elsewhere '));
    const next = await takeProcessLock(lock, { renewMs: 50, watchMs: 600 });
    if (!next.taken) throw new Error("it is held");
    child.kill("SIGCONT");
    expect(await ask()).toContain("not held");
    // This process may have stood still as well.
    await expect.poll(() => next.problem()).toBeNull();
    await next.release();
  });

  it.skipIf(process.platform === "win32")("is not sure of it after it was stopped, and then is again", async () => {
    const directory = await statePath();
    const { child, lines } = startSaver("ask", directory);
    await expect.poll(() => lines).toEqual(["ready"]);
    child.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 700));
    // Before it goes on: then it answers before its lock is looked at again.
    child.stdin?.write("?\n");
    child.kill("SIGCONT");
    await expect.poll(() => lines.at(-1), { interval: 5 }).toContain("stood still");
    await expect
      .poll(
        () => {
          child.stdin?.write("?\n");
          return lines.at(-1);
        },
        { interval: 50 },
      )
      .toBe("held");
  });
});
