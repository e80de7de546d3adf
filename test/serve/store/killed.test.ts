import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { takeProcessLock } from "../../../src/files/process-lock.ts";
import type { ServeStore } from "../../../src/serve/store/store.ts";
import { usuallyOr } from "../../support/runs.ts";
import { openStore, statePath } from "./support.ts";

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
});
