import { describe, expect, it } from "vitest";
import { readDatabase } from "../../../../src/serve/store/postgres/postgres-store.ts";
import { useDatabases } from "../../support/postgres.ts";
import { storeContract } from "../../../serve/store/store-contract.ts";
import { historyEntry, noon, sourceRecord, stackRecord } from "../../../serve/store/support.ts";
import { claimOne, openStore, place, save } from "./support.ts";

const databases = useDatabases();

storeContract(async () => {
  const url = await databases.create();
  return () => openStore(url);
});

describe("records in a database", () => {
  it("hold texts that PostgreSQL's own types can't", async () => {
    const url = await databases.create();
    const store = await openStore(url);
    const odd = 'a\0b \ud800 \udc00 "quoted" \\u0000 \u2028';
    const record = stackRecord("prod");
    const kept = {
      ...record,
      status: { ...record.status, message: odd },
      memory: { ...record.memory, synced: { [odd]: odd } },
    };
    const history = [{ ...historyEntry("prod", 1), message: odd }];
    await save(store, { stacks: [kept], history }, await claimOne(store));
    await store.saveSource(sourceRecord("edge", { problem: { code: "missing", message: odd, since: noon } }), null);
    const next = await openStore(url);
    const { stacks, sources } = await next.load();
    expect(stacks.get("prod")).toMatchObject(kept);
    expect(sources.get("edge")?.problem?.message).toBe(odd);
    expect((await next.readHistory("prod", { limit: 1, after: null })).entries[0]?.message).toBe(odd);
  });

  it("keep what a later version added, and refuse what this one can't know", async () => {
    const url = await databases.create();
    const store = await openStore(url);
    const claim = await claimOne(store);
    await save(store, { stacks: [stackRecord("prod")] }, claim);
    const add = (json: string) =>
      databases.query(url, `update edgewise.stack set record = (record::jsonb || '${json}')::text`);
    await add('{"approvals":[1]}');
    const loaded = (await store.load()).stacks.get("prod") ?? stackRecord("none");
    expect(loaded).toMatchObject({ approvals: [1] });
    await save(store, { stacks: [{ ...loaded, source: "x" }] }, claim);
    const [row] = await databases.query(url, "select record::jsonb -> 'approvals' as added from edgewise.stack");
    expect(row).toEqual({ added: [1] });
    await add('{"format":"edgewise.stack-state/v2"}');
    await expect(store.load()).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining("a later version of edgewise wrote it (edgewise.stack-state/v2)"),
      remedy: expect.stringContaining("--database"),
    });
  });
});

describe("a damaged row", () => {
  const damages: readonly (readonly [what: string, damage: string])[] = [
    ["a cut record", "record = left(record, 50)"],
    ["another stack's", `record = replace(record, '"name":"prod', '"name":"other')`],
  ];

  it.each(damages)("of a stack (%s) is named and stays, until it is put right or removed", async (_, damage) => {
    const url = await databases.create();
    const first = await openStore(url);
    const claim = await claimOne(first);
    const stacks = [stackRecord("prod"), stackRecord("other")];
    await save(first, { stacks }, claim);
    const rows = "select name, record from edgewise.stack order by name";
    const [, right] = await databases.query(url, rows);
    await databases.query(url, `update edgewise.stack set ${damage} where name = 'prod'`);
    const damaged = await databases.query(url, rows);
    const second = await openStore(url);
    for (const loaded of [await second.load(), (await readDatabase({ url, place })).state]) {
      expect([...loaded.stacks.keys()]).toEqual(["other"]);
      expect([...loaded.damaged.values()]).toEqual([
        expect.stringContaining("the record of the stack prod in the data"),
      ]);
    }
    await claim.release(0);
    await save(second, { stacks }, await claimOne(second));
    expect((await databases.query(url, rows))[1]).toEqual(damaged[1]);
    await databases.query(url, "update edgewise.stack set record = $1 where name = 'prod'", [right?.["record"]]);
    expect((await second.changes()).stacks).toMatchObject([{ name: "prod", status: stackRecord("prod").status }]);
    await databases.query(url, `update edgewise.stack set record = '' where name = 'prod'`);
    const { damaged: known } = await second.load();
    expect(known.size).toBe(1);
    await databases.query(url, "delete from edgewise.stack where name = 'prod'");
    await second.changes();
    expect(known.size).toBe(0);
  });
});
