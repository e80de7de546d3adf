import { appendFile, readFile, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DirectoryStore } from "../../../src/serve/store/directory-store.ts";
import { runs } from "../../support/runs.ts";
import { historyEntry, noon, openStore, statePath } from "./support.ts";

/** Everything of a stack, page by page: the messages of each page. */
async function pages(store: DirectoryStore, stack: string, limit: number): Promise<readonly (readonly string[])[]> {
  const read: string[][] = [];
  let after: string | null = null;
  do {
    const page = await store.readHistory(stack, { limit, after });
    read.push(page.entries.map(({ message }) => message));
    after = page.next;
  } while (after !== null);
  return read;
}

const hours = (count: number): string => new Date(noon + count * 3_600_000).toISOString();

describe("the history", () => {
  it("has every entry of a stack once, newest first, however long they are and however they are read", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom("prod", "many/t1"), fc.nat(3), fc.nat(90_000)), { maxLength: 25 }),
        fc.integer({ min: 1, max: 7 }),
        async (written, limit) => {
          const store = await openStore(await statePath());
          const expected: string[] = [];
          let at = 0;
          for (const [index, [stack, later, length]] of written.entries()) {
            at += later * 9;
            const message = `${index} ${"ü".repeat(length)}`;
            await store.appendHistory([{ ...historyEntry(stack, 0, hours(at)), message }]);
            if (stack === "prod") expected.unshift(message);
          }
          const read = await pages(store, "prod", limit);
          expect(read.flat()).toEqual(expected);
          expect(read.every((page, index) => page.length === limit || index === read.length - 1)).toBe(true);
          expect(read.length).toBe(Math.max(1, Math.ceil(expected.length / limit)));
          await store.close();
        },
      ),
      runs(25),
    );
  });

  it("keeps the order of entries that come together, and of calls that don't wait", async () => {
    const store = await openStore(await statePath());
    await Promise.all([
      store.appendHistory([historyEntry("prod", 1), historyEntry("other", 9), historyEntry("prod", 2)]),
      store.appendHistory([historyEntry("prod", 3)]),
      store.appendHistory([]),
    ]);
    expect(await pages(store, "prod", 9)).toEqual([["3", "2", "1"]]);
    expect(await pages(store, "none", 9)).toEqual([[]]);
  });

  it("gives the same pages while more is appended", async () => {
    const store = await openStore(await statePath());
    for (let index = 1; index <= 4; index++) await store.appendHistory([historyEntry("prod", index)]);
    const first = await store.readHistory("prod", { limit: 2, after: null });
    await store.appendHistory([historyEntry("prod", 5), historyEntry("prod", 6, hours(24))]);
    const second = await store.readHistory("prod", { limit: 2, after: first.next });
    expect([...first.entries, ...second.entries].map(({ message }) => message)).toEqual(["4", "3", "2", "1"]);
    expect(second.next).toBeNull();
  });

  it("loses nothing but a half written line, wherever a killed process left it, and removes that", async () => {
    const directory = await statePath();
    const file = join(directory, "history/2026-01-31/prod.ndjson");
    const store = await openStore(directory);
    await store.appendHistory([historyEntry("prod", 1), historyEntry("prod", 2)]);
    const whole = await readFile(file, "utf8");
    const first = whole.indexOf("\n") + 1;
    for (let size = 0; size <= whole.length; size += size < first ? 13 : 1) {
      await writeFile(file, whole);
      await truncate(file, size);
      const left = size === whole.length ? ["2", "1"] : size >= first ? ["1"] : [];
      expect((await pages(store, "prod", 9)).flat()).toEqual(left);
      await store.appendHistory([historyEntry("prod", 3)]);
      expect((await pages(store, "prod", 9)).flat()).toEqual(["3", ...left]);
      for (const line of (await readFile(file, "utf8")).trimEnd().split("\n"))
        expect(() => JSON.parse(line)).not.toThrow();
    }
  });

  it("leaves out what is another stack's, and names the place of a line that was damaged", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    const file = join(directory, "history/2026-01-31/prod.ndjson");
    await store.appendHistory([historyEntry("prod", 1)]);
    await appendFile(file, `${JSON.stringify(historyEntry("other", 2))}\n`);
    await store.appendHistory([historyEntry("prod", 3)]);
    expect(await pages(store, "prod", 1)).toEqual([["3"], ["1"]]);
    await appendFile(file, "[]\n");
    await expect(store.readHistory("prod", { limit: 1, after: null })).rejects.toMatchObject({
      code: "io",
      message: expect.stringMatching(/prod\.ndjson can't be read: the line at byte \d+ is damaged/),
    });
  });

  it("takes nothing for a place in it that is not from a page", async () => {
    const store = await openStore(await statePath());
    await store.appendHistory([historyEntry("prod", 1), historyEntry("prod", 2)]);
    for (const after of ["", "1", "../../x:1", "2026-01-31:-1", "2026-01-31:1e3", "2026-01-31:"])
      await expect(store.readHistory("prod", { limit: 1, after })).rejects.toMatchObject({ code: "usage" });
    const within = async (after: string): Promise<readonly string[]> =>
      (await store.readHistory("prod", { limit: 9, after })).entries.map(({ message }) => message);
    expect(await within("2026-01-31:999999")).toEqual(["2", "1"]);
    // In the middle of the second line.
    expect(await within("2026-01-31:400")).toEqual(["1"]);
    expect(await within("2026-01-30:0")).toEqual([]);
  });

  it("goes away by the day, wholly before a time, and what is left stays as it is", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    for (const day of [0, 1, 2, 3]) await store.appendHistory([historyEntry("prod", day, hours(day * 24))]);
    await store.pruneHistory(noon);
    expect((await pages(store, "prod", 9)).flat()).toEqual(["3", "2", "1", "0"]);
    const before = await store.readHistory("prod", { limit: 2, after: null });
    await store.pruneHistory(Date.UTC(2026, 1, 2));
    expect((await readdir(join(directory, "history"))).toSorted()).toEqual(["2026-02-02", "2026-02-03"]);
    expect((await pages(store, "prod", 9)).flat()).toEqual(["3", "2"]);
    expect((await store.readHistory("prod", { limit: 2, after: before.next })).entries).toEqual([]);
    await store.pruneHistory(noon + 999 * 86_400_000);
    expect(await readdir(join(directory, "history"))).toEqual([]);
  });

  it("stays when its stack is forgotten", async () => {
    const store = await openStore(await statePath());
    await store.appendHistory([historyEntry("prod", 1)]);
    await store.forgetStack("prod");
    expect(await pages(store, "prod", 9)).toEqual([["1"]]);
  });
});
