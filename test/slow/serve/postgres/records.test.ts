import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openPostgresReader } from "../../../../src/serve/store/postgres/open-postgres-reader.ts";
import { samplePlan } from "../../../report/sample-plan.ts";
import { runs } from "../../../support/runs.ts";
import { useDatabases } from "../../support/postgres.ts";
import { accountRecord, anyName, historyEntry, noon, sourceRecord, stackRecord } from "../../../serve/store/support.ts";
import { claimOne, openStore, place } from "./support.ts";

const databases = useDatabases();

describe("records in a database", () => {
  it("are given back, to the next process and to a reader", async () => {
    const url = await databases.create();
    const store = await openStore(url);
    expect(store.shared).toBe(true);
    expect(await store.load()).toEqual({
      stacks: new Map(),
      accounts: new Map(),
      sources: new Map(),
      damaged: new Map(),
    });
    const claim = await claimOne(store, "main", ["prod", "many/t1", "gone"]);
    await store.saveStack(stackRecord("prod"));
    await store.saveStack(stackRecord("many/t1", { stack: null }));
    await store.saveAccount(accountRecord("main"));
    expect(await store.saveSource(sourceRecord("edge"), null)).toBe(true);
    await store.saveStack(stackRecord("gone"));
    await store.savePlan("gone", samplePlan());
    await store.saveTold({ name: "gone", told: {} });
    await store.forgetStack("gone");
    await claim.release(0);
    await store.close();
    const other = await openStore(url);
    const reader = await openPostgresReader({ url, place });
    for (const { stacks, accounts, sources, damaged } of [await other.load(), await reader.load()]) {
      expect([...stacks.keys()].toSorted()).toEqual(["many/t1", "prod"]);
      expect(stacks.get("prod")).toMatchObject(stackRecord("prod"));
      expect(stacks.get("many/t1")?.stack).toBeNull();
      expect(accounts.get("main")).toMatchObject(accountRecord("main"));
      expect(sources.get("edge")).toMatchObject(sourceRecord("edge"));
      expect(damaged.size).toBe(0);
    }
    expect(await other.readPlan("gone")).toBeNull();
    expect((await other.loadTold()).size).toBe(0);
    await reader.close();
  });

  it("keep every name apart from every other, with any character", async () => {
    const store = await openStore(await databases.create());
    const names = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anyName, async (name) => {
        names.add(name);
        const claim = await claimOne(store, "main", [name]);
        await store.saveStack(stackRecord(name, { account: name }));
        await store.appendHistory([historyEntry(name, names.size)]);
        await claim.release(0);
      }),
      runs(25),
    );
    const { stacks, damaged } = await store.load();
    expect(new Set(stacks.keys())).toEqual(names);
    expect(damaged.size).toBe(0);
    for (const name of names) {
      expect(stacks.get(name)?.account).toBe(name);
      expect((await store.readHistory(name, { limit: 1, after: null })).entries).toHaveLength(1);
    }
  });

  it("give history and what waits to be told in the order in which it came, past the tenth", async () => {
    const store = await openStore(await databases.create());
    const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
    for (const number of numbers) {
      await store.appendHistory([{ ...historyEntry("prod", 1), message: String(number) }]);
      await store.saveHeal({ stack: "prod", at: number, changes: 1, impact: "none" });
    }
    const found: number[] = [];
    let after: string | null = null;
    do {
      const { entries, next } = await store.readHistory("prod", { limit: 5, after });
      found.push(...entries.map(({ message }) => Number(message)));
      after = next;
    } while (after !== null);
    expect(found).toEqual(numbers.toReversed());
    expect((await store.loadHeals()).map(({ at }) => at)).toEqual(numbers);
  });

  it("hold texts that PostgreSQL's own types can't", async () => {
    const url = await databases.create();
    const store = await openStore(url);
    await claimOne(store);
    const odd = 'a\0b \ud800 \udc00 "quoted" \\u0000 \u2028';
    const record = stackRecord("prod");
    const kept = {
      ...record,
      status: { ...record.status, message: odd },
      memory: { ...record.memory, synced: { [odd]: odd } },
    };
    await store.saveStack(kept);
    await store.appendHistory([{ ...historyEntry("prod", 1), message: odd }]);
    await store.saveSource(sourceRecord("edge", { problem: { code: "missing", message: odd, since: noon } }), null);
    await store.saveTold({ name: `account:${odd}`, told: {} });
    const next = await openStore(url);
    const { stacks, sources } = await next.load();
    expect(stacks.get("prod")).toMatchObject(kept);
    expect(sources.get("edge")?.problem?.message).toBe(odd);
    expect((await next.readHistory("prod", { limit: 1, after: null })).entries[0]?.message).toBe(odd);
    expect([...(await next.loadTold()).keys()]).toEqual([`account:${odd}`]);
  });

  it("keep the last of several saves at once, and refuse what nobody could read again", async () => {
    const store = await openStore(await databases.create());
    await claimOne(store);
    const saves = Array.from({ length: 30 }, (_, index) =>
      store.saveStack(stackRecord("prod", { source: String(index) })),
    );
    await Promise.all(saves);
    expect((await store.load()).stacks.get("prod")?.source).toBe("29");
    const record = stackRecord("prod");
    const broken = { ...record, status: { ...record.status, since: Number.NaN } };
    await expect(store.saveStack(broken)).rejects.toThrow(TypeError);
    await expect(store.appendHistory([{ ...historyEntry("prod", 1), at: "today" }])).rejects.toThrow(TypeError);
  });

  it("are not written again as far as they did not change", async () => {
    const url = await databases.create();
    const store = await openStore(url);
    await claimOne(store);
    await store.saveStack(stackRecord("prod"));
    await databases.query(url, `update edgewise.stack set memory = memory || ' '`);
    const memory = async (): Promise<unknown> =>
      (
        await databases.query(url, "select memory, head::json -> 'status' ->> 'lookedAt' as looked from edgewise.stack")
      )[0];
    const record = stackRecord("prod");
    await store.saveStack({ ...record, status: { ...record.status, lookedAt: noon + 5 } });
    expect(await memory()).toEqual({ memory: `${JSON.stringify(record.memory)} `, looked: String(noon + 5) });
    const changed = { ...record.memory, failures: 1 };
    await store.saveStack({ ...record, memory: changed });
    expect(await memory()).toEqual({ memory: JSON.stringify(changed), looked: String(noon) });
  });

  it("keep what a later version added, and refuse what this one can't know", async () => {
    const url = await databases.create();
    const store = await openStore(url);
    await claimOne(store);
    await store.saveStack(stackRecord("prod"));
    await databases.query(
      url,
      `update edgewise.stack set head = (head::jsonb || '{"approvals":[1]}')::text, version = version + 1`,
    );
    const loaded = (await store.load()).stacks.get("prod") ?? stackRecord("none");
    expect(loaded).toMatchObject({ approvals: [1] });
    await store.saveStack({ ...loaded, source: "x" });
    const [row] = await databases.query(url, "select head::jsonb -> 'approvals' as added from edgewise.stack");
    expect(row).toEqual({ added: [1] });
    await databases.query(
      url,
      `update edgewise.stack set head = (head::jsonb || '{"format":"edgewise.stack-state/v2"}')::text, version = version + 1`,
    );
    await expect(store.load()).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining("a later version of edgewise wrote it (edgewise.stack-state/v2)"),
      remedy: "Use that version, or use another database.",
    });
  });
});

describe("a plan in a database", () => {
  it("is there until there is nothing to do, and is not believed when it is damaged", async () => {
    const url = await databases.create();
    const store = await openStore(url);
    expect(await store.readPlan("prod")).toBeNull();
    await store.savePlan("prod", null);
    const plan = samplePlan();
    await store.savePlan("prod", plan);
    await store.savePlan("prod", plan);
    expect(await store.readPlan("prod")).toEqual(plan);
    await databases.query(url, "update edgewise.plan set plan = left(plan, 400)");
    await expect(store.readPlan("prod")).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining("damaged"),
    });
    await store.savePlan("prod", null);
    expect(await store.readPlan("prod")).toBeNull();
  });
});

describe("a damaged row", () => {
  const damages: readonly (readonly [what: string, damage: string])[] = [
    ["empty", "head = ''"],
    ["cut", "head = left(head, 50)"],
    ["a cut memory", "memory = left(memory, 5)"],
    ["another member's type", `head = replace(head, '"message":"it may', '"message":1,"x":"')`],
    ["another stack's", `head = replace(head, '"name":"prod', '"name":"other')`],
    ["too deep", "memory = repeat('[', 3000) || repeat(']', 3000)"],
  ];

  it.each(damages)("of a stack (%s) is named and stays, until it is put right or removed", async (_, damage) => {
    const url = await databases.create();
    const first = await openStore(url);
    await first.load();
    const claim = await claimOne(first, "main", ["prod", "other"]);
    await first.saveStack(stackRecord("prod"));
    await first.saveStack(stackRecord("other"));
    await claim.release(0);
    const rows = "select head, memory from edgewise.stack order by name";
    const right = await databases.query(url, rows);
    const stamps = "version = version + 1, changed = pg_current_xact_id()";
    await databases.query(url, `update edgewise.stack set ${damage}, ${stamps} where name = 'prod'`);
    const damaged = await databases.query(url, rows);
    const second = await openStore(url);
    const reader = await openPostgresReader({ url, place });
    for (const loaded of [await second.load(), await reader.load()]) {
      expect([...loaded.stacks.keys()]).toEqual(["other"]);
      expect([...loaded.damaged.values()]).toEqual([
        expect.stringContaining("the record of the stack prod in the data"),
      ]);
    }
    await reader.close();
    // A process that runs sees it, too.
    expect((await first.changes()).stacks).toEqual([]);
    expect((await claimOne(first, "main", ["prod"])).current?.stacks.size).toBe(0);
    expect(await databases.query(url, rows)).toEqual(damaged);
    const [, prod] = right;
    const { head, memory } = prod ?? {};
    await databases.query(url, "update edgewise.stack set head = $1, memory = $2 where name = 'prod'", [head, memory]);
    for (const store of [first, second])
      expect((await store.changes()).stacks).toMatchObject([{ name: "prod", status: stackRecord("prod").status }]);
    await databases.query(url, `update edgewise.stack set head = '', ${stamps} where name = 'prod'`);
    const { damaged: known } = await second.load();
    expect(known.size).toBe(1);
    await databases.query(url, "delete from edgewise.stack where name = 'prod'");
    await second.changes();
    expect(known.size).toBe(0);
  });
});
