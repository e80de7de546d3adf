import { chmod, lstat, mkdir, readFile, readdir, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../src/serve/records.ts";
import { violations } from "../../schemas/all-schemas.ts";
import { claimOne, historyPages, save, storeContract } from "./store-contract.ts";
import { accountRecord, historyEntry, noon, openStore, sourceRecord, stackRecord, statePath } from "./support.ts";

storeContract(async () => {
  const directory = await statePath();
  return () => openStore(directory);
});

const hours = (count: number): string => new Date(noon + count * 3_600_000).toISOString();
const messages = async (...args: Parameters<typeof historyPages>) => (await historyPages(...args)).flat();

describe("a state directory", () => {
  it("is its owner's alone, with everything in it, and each file is what its schema says", async () => {
    const parent = await statePath();
    await mkdir(parent, { mode: 0o755 });
    const directory = join(parent, "a/state");
    await mkdir(directory, { mode: 0o755, recursive: true });
    const store = await openStore(directory);
    // Names that one file would have where files are named without case.
    for (const name of ["prod", "PROD", "../../x"]) await save(store, { stacks: [stackRecord(name)] }, null);
    await save(store, { accounts: [accountRecord("main")], history: [historyEntry("prod", 1)] }, null);
    await store.saveSource(sourceRecord("edge"));
    expect((await lstat(directory)).mode & 0o777).toBe(0o700);
    const found = await readdir(parent, { recursive: true, withFileTypes: true });
    const files = found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
    expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(8);
    expect(files.filter((file) => !/\/state\/(?:[a-z]+\/)*(?:[-0-9]+\/)?[a-z0-9%_~-]+(?:\.\w+)?$/u.test(file))).toEqual(
      [],
    );
    for (const file of files) {
      expect((await stat(file)).mode & 0o777, file).toBe(0o600);
      const schema = file.endsWith(".ndjson") ? "history" : "state";
      expect(violations(schema, JSON.parse(await readFile(file, "utf8"))), file).toEqual([]);
    }
  });

  it("is refused when others can write to it, or holds something else", async () => {
    const directory = await statePath();
    const refusal = (): Promise<unknown> =>
      openStore(directory).then(
        () => "opened",
        (error: unknown) => error,
      );
    await mkdir(directory);
    for (const mode of [0o775, 0o707]) {
      await chmod(directory, mode);
      expect(await refusal()).toMatchObject({
        code: "io",
        message: expect.stringContaining("can be written by every"),
      });
    }
    await chmod(directory, 0o755);
    await writeFile(join(directory, "thesis.txt"), "");
    expect(await refusal()).toMatchObject({ message: expect.stringContaining("not a state directory") });
    expect((await stat(directory)).mode & 0o777).toBe(0o755);
    await writeFile(`${directory}-file`, "");
    await expect(openStore(join(`${directory}-file`, "below"))).rejects.toMatchObject({ code: "io" });
  });

  it("is written by nobody who lost it, or has closed it", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    const stacks = [stackRecord("prod")];
    await save(store, { stacks }, null);
    const lock = await readFile(join(directory, "lock"), "utf8");
    const before = await readFile(join(directory, "stacks/prod.json"), "utf8");
    const claim = await claimOne(store);
    await claim.assertHeld();
    await writeFile(join(directory, "lock"), '{"pid":"1"}');
    await expect(claim.assertHeld()).rejects.toThrow("is not held: the lock");
    const late = { stacks: [stackRecord("prod", { account: "other" })], history: [historyEntry("prod", 1)] };
    await expect(save(store, late, claim)).rejects.toMatchObject({ code: "io" });
    await expect(store.savePlan("prod", null)).rejects.toThrow("not held");
    expect(await store.isUsable()).toBe(false);
    expect(await readFile(join(directory, "stacks/prod.json"), "utf8")).toBe(before);
    await writeFile(join(directory, "lock"), lock);
    await store.close();
    await expect(save(store, { stacks }, claim)).rejects.toThrow("it is closed");
  });

  it("says after a kill that nothing may be written for a while, where something was being written", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    const record = stackRecord("prod");
    const writing = { since: noon };
    const claim = await claimOne(store);
    await save(store, { stacks: [{ ...record, memory: { ...record.memory, writing } }] }, claim);
    expect(claim.quietUntil).toBe(0);
    await expect(claimOne(store)).rejects.toThrow("could not be claimed");
    await store.close();
    const next = await openStore(directory);
    await next.load();
    expect((await claimOne(next)).quietUntil).toBeGreaterThan(Date.now() + 30_000);
    expect((await claimOne(next, "other")).quietUntil).toBe(0);
  });

  it("reads what a later version added, keeps it, and refuses what it can't know", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    await save(store, { stacks: [stackRecord("prod")] }, null);
    const file = join(directory, "stacks/prod.json");
    const later = { ...JSON.parse(await readFile(file, "utf8")), approvals: [{ by: "ada" }] } as StackRecord;
    await writeFile(file, JSON.stringify(later));
    await save(store, { stacks: [(await store.load()).stacks.get("prod") ?? stackRecord("none")] }, null);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(later);
    await writeFile(file, JSON.stringify({ ...later, format: "edgewise.stack-state/v2" }));
    const refusal = (format: string) => `a later version of edgewise wrote it (${format})`;
    await expect(store.load()).rejects.toThrow(refusal("edgewise.stack-state/v2"));
    await store.close();
    await writeFile(join(directory, "format.json"), '{"format":"edgewise.state/v2"}');
    await expect(openStore(directory)).rejects.toThrow(refusal("edgewise.state/v2"));
    expect(await readdir(directory)).not.toContain("lock");
  });
});

describe("its history", () => {
  it("loses nothing but a half written line, wherever a killed process left it", async () => {
    const directory = await statePath();
    const file = join(directory, "history/2026-01-31/prod.ndjson");
    const store = await openStore(directory);
    await save(store, { history: [historyEntry("prod", 1), historyEntry("prod", 2)] }, null);
    const whole = await readFile(file, "utf8");
    const first = whole.indexOf("\n") + 1;
    for (const size of [0, 13, first - 1, first, first + 1, whole.length - 1, whole.length]) {
      await writeFile(file, whole);
      await truncate(file, size);
      // The end of the line says nothing.
      const left = size >= whole.length - 1 ? ["2", "1"] : size >= first - 1 ? ["1"] : [];
      expect(await messages(store, "prod", 9)).toEqual(left);
      await save(store, { history: [historyEntry("prod", 3)] }, null);
      expect(await messages(store, "prod", 9)).toEqual(["3", ...left]);
    }
  });

  it("goes away by the day, wholly before a time", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    for (const day of [0, 1, 2, 3]) await save(store, { history: [historyEntry("prod", day, hours(day * 24))] }, null);
    await store.prune(noon, 0);
    expect(await messages(store, "prod", 9)).toEqual(["3", "2", "1", "0"]);
    const before = await store.readHistory("prod", { limit: 2, after: null });
    await store.prune(Date.UTC(2026, 1, 2), 0);
    expect(await messages(store, "prod", 9)).toEqual(["3", "2"]);
    expect((await store.readHistory("prod", { limit: 2, after: before.next })).entries).toEqual([]);
    expect(await readdir(dirname(join(directory, "history/x")))).toHaveLength(2);
  });
});
