import { describe, expect, it } from "vitest";
import { openPostgresReader } from "../../../../src/serve/store/postgres/open-postgres-reader.ts";
import { useDatabases } from "../../support/postgres.ts";
import { claimOne, storeContract } from "../../../serve/store/store-contract.ts";
import { historyEntry, noon, sourceRecord, stackRecord } from "../../../serve/store/support.ts";
import { openStore, place } from "./support.ts";

const databases = useDatabases();

storeContract(async () => {
  const url = await databases.create();
  return () => openStore(url);
});

describe("records in a database", () => {
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

describe("a damaged row", () => {
  const damages: readonly (readonly [what: string, damage: string])[] = [
    ["a cut memory", "memory = left(memory, 5)"],
    ["another stack's", `head = replace(head, '"name":"prod', '"name":"other')`],
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
