import { chmod, lstat, mkdir, readFile, readdir, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../src/serve/records.ts";
import { openDirectoryStore } from "../../../src/serve/store/directory-store.ts";
import { recordKey, stateFileName } from "../../../src/serve/store/state-file-name.ts";
import { type Disk, systemDisk } from "../../../src/serve/store/state-disk.ts";
import { samplePlan } from "../../report/sample-plan.ts";
import { violations } from "../../schemas/all-schemas.ts";
import { runs } from "../../support/runs.ts";
import {
  accountRecord,
  anyName,
  historyEntry,
  noon,
  openStore,
  sourceRecord,
  stackRecord,
  statePath,
} from "./support.ts";

/** The files below a directory. */
async function filesBelow(directory: string): Promise<readonly string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  return found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}

describe("a state directory", () => {
  it("gives back what was saved, to the next process", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    expect(await store.load()).toEqual({
      stacks: new Map(),
      accounts: new Map(),
      sources: new Map(),
      damaged: new Map(),
    });
    await store.saveStack(stackRecord("prod"));
    await store.saveStack(stackRecord("many/t1", { stack: null }));
    const braked = accountRecord("main", {
      brake: { id: "1", cause: "stacks", message: "3 of 10", since: noon, lastSeen: noon, quietMs: 600_000 },
    });
    await store.saveAccount(braked);
    const rewound = sourceRecord("edge", { problem: { code: "rewound", message: "not below", since: noon } });
    await store.saveSource(rewound, null);
    await store.saveStack(stackRecord("gone"));
    await store.forgetStack("gone");
    await store.close();
    const { stacks, accounts, sources, damaged } = await (await openStore(directory)).load();
    expect([...stacks.keys()].toSorted()).toEqual(["many/t1", "prod"]);
    expect(stacks.get("prod")).toMatchObject(stackRecord("prod"));
    expect(stacks.get("many/t1")?.stack).toBeNull();
    expect([accounts.get("main"), sources.get("edge"), damaged.size]).toMatchObject([braked, rewound, 0]);
  });

  it("keeps every name apart from every other, below itself", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    const names = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anyName, async (name) => {
        names.add(name);
        await store.saveStack(stackRecord(name));
        await store.appendHistory([historyEntry(name, names.size)]);
      }),
      runs(),
    );
    expect(new Set((await store.load()).stacks.keys())).toEqual(names);
    for (const name of names)
      expect((await store.readHistory(name, { limit: 1, after: null })).entries).toHaveLength(1);
    expect((await readdir(dirname(directory))).toSorted()).toEqual(["state"]);
  });

  it("is its owner's alone, with everything in it, and each file is what its schema says", async () => {
    const directory = await statePath();
    await mkdir(directory, { mode: 0o755 });
    const store = await openStore(directory);
    await store.saveStack(stackRecord("prod"));
    await store.saveAccount(accountRecord("main"));
    await store.saveSource(sourceRecord("edge"), null);
    await store.appendHistory([historyEntry("prod", 1)]);
    expect((await lstat(directory)).mode & 0o777).toBe(0o700);
    const files = await filesBelow(directory);
    expect(files.map((file) => file.slice(directory.length + 1)).toSorted()).toEqual([
      "accounts/main.json",
      "followed/edge.json",
      "format.json",
      "history/2026-01-31/prod.ndjson",
      "lock",
      "stacks/prod.json",
    ]);
    for (const file of files) {
      expect((await stat(file)).mode & 0o777, file).toBe(0o600);
      const schema = file.endsWith(".ndjson") ? "history" : "state";
      expect(violations(schema, JSON.parse(await readFile(file, "utf8"))), file).toEqual([]);
    }
  });

  it("is refused when others can write to it, when it is a link, or not its own", async () => {
    const directory = await statePath();
    const refusal = (): Promise<unknown> =>
      openStore(directory).then(
        () => "opened",
        (error: unknown) => error,
      );
    await mkdir(directory);
    await chmod(directory, 0o775);
    expect(await refusal()).toMatchObject({
      code: "io",
      message: expect.stringContaining("can be written by every member"),
    });
    await chmod(directory, 0o707);
    expect(await refusal()).toMatchObject({ message: expect.stringContaining("can be written by every user") });
    await chmod(directory, 0o755);
    await writeFile(join(directory, "thesis.txt"), "");
    expect(await refusal()).toMatchObject({ message: expect.stringContaining("not a state directory") });
    expect((await stat(directory)).mode & 0o777).toBe(0o755);
    await rename(directory, `${directory}-elsewhere`);
    await symlink(`${directory}-elsewhere`, directory);
    expect(await refusal()).toMatchObject({ message: expect.stringContaining("symbolic link") });
    await writeFile(`${directory}-file`, "");
    await expect(openStore(join(`${directory}-file`, "below"))).rejects.toMatchObject({ code: "io" });
  });

  it("is one process's: a second one is told who holds it", async () => {
    const directory = await statePath();
    const first = await openStore(directory);
    await expect(openStore(directory)).rejects.toMatchObject({
      code: "io",
      exit: 1,
      message: expect.stringMatching(
        new RegExp(`another .edgewise serve. holds it \\(process ${process.pid} on .+, since .+Z\\)`),
      ),
    });
    await first.close();
    await openStore(directory);
  });

  it("is written by nobody who lost it", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    await store.saveStack(stackRecord("prod"));
    store.assertHeld();
    const before = await readFile(join(directory, "stacks/prod.json"), "utf8");
    await writeFile(join(directory, "lock"), '{"pid":"1"}');
    expect(() => store.assertHeld()).toThrow("is not held: the lock");
    await expect(store.saveStack(stackRecord("prod", { account: "other" }))).rejects.toMatchObject({ code: "io" });
    await expect(store.appendHistory([historyEntry("prod", 1)])).rejects.toThrow("not held");
    await expect(store.savePlan("prod", null)).rejects.toThrow("not held");
    expect(await store.isUsable()).toBe(false);
    expect(await readFile(join(directory, "stacks/prod.json"), "utf8")).toBe(before);
  });

  it("is written by nobody once it is closed, and closes after what was under way", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    const saved = store.saveStack(stackRecord("prod"));
    await store.close();
    await expect(saved).rejects.toThrow("it is closed");
    await expect(store.saveStack(stackRecord("prod"))).rejects.toThrow("it is closed");
    expect(await readdir(directory)).not.toContain("lock");
  });

  it("keeps the last of several saves of a record at once", async () => {
    const store = await openStore(await statePath());
    const saves = Array.from({ length: 20 }, (_, index) =>
      store.saveStack(stackRecord("prod", { account: String(index) })),
    );
    await Promise.all(saves);
    expect((await store.load()).stacks.get("prod")?.account).toBe("19");
  });

  it("tells what it could not write, goes on reading, and recovers", async () => {
    let full = true;
    const failing = (): void => {
      if (full) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    };
    const disk: Disk = {
      ...systemDisk,
      open: async (path, fresh) => {
        const file = await systemDisk.open(path, fresh);
        return {
          ...file,
          append: async (bytes) => {
            // A full disk takes a part.
            if (full) await file.append(bytes.subarray(0, 10));
            failing();
            await file.append(bytes);
          },
        };
      },
    };
    const directory = await statePath();
    full = false;
    const store = await openStore(directory, disk);
    await store.saveStack(stackRecord("prod"));
    await store.appendHistory([historyEntry("prod", 1)]);
    full = true;
    await expect(store.saveStack(stackRecord("prod", { account: "b" }))).rejects.toMatchObject({
      code: "io",
      message: expect.stringMatching(/stacks\/prod\.json can't be written: the disk is full/),
    });
    await expect(store.appendHistory([historyEntry("prod", 2)])).rejects.toMatchObject({ code: "io" });
    expect(await store.isUsable()).toBe(false);
    expect((await store.load()).stacks.get("prod")?.account).toBe("main");
    expect((await filesBelow(directory)).filter((file) => file.endsWith(".tmp"))).toEqual([]);
    full = false;
    expect(await store.isUsable()).toBe(true);
    await store.appendHistory([historyEntry("prod", 3)]);
    const { entries } = await store.readHistory("prod", { limit: 9, after: null });
    expect(entries.map(({ message }) => message)).toEqual(["3", "1"]);
  });

  it("refuses to save what nobody could read again", async () => {
    const store = await openStore(await statePath());
    const record = stackRecord("prod");
    const broken: StackRecord = { ...record, status: { ...record.status, since: Number.NaN } };
    await expect(store.saveStack(broken)).rejects.toThrow(TypeError);
    await expect(store.appendHistory([{ ...historyEntry("prod", 1), at: "today" }])).rejects.toThrow(TypeError);
  });

  it("reads what a later version added, keeps it, and refuses what it can't know", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    await store.saveStack(stackRecord("prod"));
    const file = join(directory, "stacks/prod.json");
    const later = { ...JSON.parse(await readFile(file, "utf8")), approvals: [{ by: "ada" }] } as StackRecord;
    await writeFile(file, JSON.stringify(later));
    const loaded = (await store.load()).stacks.get("prod");
    expect(loaded).toMatchObject({ approvals: [{ by: "ada" }] });
    await store.saveStack(loaded ?? later);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(later);
    await writeFile(file, JSON.stringify({ ...later, format: "edgewise.stack-state/v2" }));
    await expect(store.load()).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining("a later version of edgewise wrote it (edgewise.stack-state/v2)"),
    });
    await store.close();
    await writeFile(join(directory, "format.json"), '{"format":"edgewise.state/v2"}');
    await expect(openStore(directory)).rejects.toThrow("a later version of edgewise wrote it (edgewise.state/v2)");
    expect(await readdir(directory)).not.toContain("lock");
  });
});

describe("a plan in the state directory", () => {
  it("is there until there is nothing to do, and is not believed when it is damaged", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    expect(await store.readPlan("prod")).toBeNull();
    await store.savePlan("prod", null);
    const plan = samplePlan();
    await store.savePlan("prod", plan);
    expect(await store.readPlan("prod")).toEqual(plan);
    const file = join(directory, "plans/prod.json");
    const text = await readFile(file, "utf8");
    expect(violations("plan", JSON.parse(text))).toEqual([]);
    await writeFile(file, text.slice(0, 400));
    await expect(store.readPlan("prod")).rejects.toMatchObject({ code: "io" });
    await store.savePlan("prod", null);
    expect(await store.readPlan("prod")).toBeNull();
  });
});

describe("a damaged record", () => {
  it("is known by any name, and no longer when it is put right, or removed", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    const names = ["s".repeat(400), "b"];
    const fileOf = (name: string): string => join(directory, `accounts/${stateFileName(name)}.json`);
    for (const name of names) await store.saveAccount(accountRecord(name));
    const [long = ""] = await Promise.all(names.map(async (name) => readFile(fileOf(name), "utf8")));
    for (const name of names) await writeFile(fileOf(name), "{");
    const { accounts, damaged } = await store.load();
    expect([accounts.size, ...names.map((name) => damaged.has(recordKey("account", name)))]).toEqual([0, true, true]);
    await writeFile(fileOf(names[0] ?? ""), long);
    await rm(fileOf("b"));
    expect((await store.changes()).accounts.map(({ name }) => name)).toEqual([names[0]]);
    expect(damaged.size).toBe(0);
  });

  it("of what was told is told again", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    await writeFile(join(directory, "told/prod.json"), "{");
    expect((await store.loadTold()).size).toBe(0);
  });

  it("is not what a killed process leaves: that is removed", async () => {
    const directory = await statePath();
    const store = await openStore(directory);
    await store.saveStack(stackRecord("prod"));
    await writeFile(join(directory, "stacks/prod.json.0123abcd.tmp"), '{"format":');
    const { stacks, damaged } = await store.load();
    expect([stacks.size, damaged.size]).toEqual([1, 0]);
    expect(await readdir(join(directory, "stacks"))).toEqual(["prod.json"]);
  });
});

it("opens a directory relative to the working directory", async () => {
  const directory = await statePath();
  const store = await openDirectoryStore({ directory: "state", place: { cwd: dirname(directory) } });
  expect(store.directory).toBe(directory);
  await store.close();
});

it("makes the directories above, for their owner alone, and leaves those that are there as they are", async () => {
  const there = await statePath();
  await mkdir(there, { mode: 0o755 });
  const store = await openStore(join(there, "a", "b", "state"));
  await store.close();
  const modes = await Promise.all(
    ["", "a", "a/b", "a/b/state"].map(async (path) => (await stat(join(there, path))).mode & 0o777),
  );
  expect(modes).toEqual([0o755, 0o700, 0o700, 0o700]);
});
