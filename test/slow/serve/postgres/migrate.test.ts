import { describe, expect, it } from "vitest";
import type { QueryResultRow } from "pg";
import { checkDatabase, openPostgresStore, readDatabase } from "../../../../src/serve/store/postgres/postgres-store.ts";
import { type Migration, migrate, migrations } from "../../../../src/serve/store/postgres/database-schema.ts";
import { useDatabases } from "../../support/postgres.ts";
import { stackRecord } from "../../../serve/store/support.ts";
import { claimOne, openStore, place, quick, save } from "./support.ts";
import pg from "pg";
import { onTestFinished } from "vitest";

const databases = useDatabases();

async function connection(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return async <R extends QueryResultRow>(text: string, values: readonly unknown[] = []) =>
    (await client.query<R>(text, [...values])).rows;
}

describe("the schema", () => {
  it("is made once, however many processes start at once", async () => {
    const url = await databases.create();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore(url)));
    expect(await Promise.all(stores.map((store) => store.isUsable()))).toEqual([true, true, true, true, true]);
    const rows = await databases.query(url, "select version, oldest_reader from edgewise.migration order by version");
    expect(rows).toEqual(migrations.map((each) => ({ version: each.version, oldest_reader: each.oldestReader })));
  });

  it("goes forward in steps, whole or not at all", async () => {
    const url = await databases.create();
    const run = await connection(url);
    const [first] = migrations;
    if (first === undefined) throw new Error("there is no migration");
    await migrate(run, "test", [first]);
    const second: Migration = { version: 2, oldestReader: 1, sql: "create table edgewise.more (id int)" };
    const broken: Migration = { ...second, sql: `${second.sql}; select nonsense` };
    await expect(migrate(run, "test", [first, broken])).rejects.toThrow("nonsense");
    const found = `select to_regclass('edgewise.more')::text as more, max(version) as version from edgewise.migration`;
    expect(await databases.query(url, found)).toEqual([{ more: null, version: 1 }]);
    await Promise.all([migrate(run, "test", [first, second]), migrate(await connection(url), "test", [first, second])]);
    expect(await databases.query(url, found)).toEqual([{ more: "edgewise.more", version: 2 }]);
    // The version before goes on with what the one after has added.
    const store = await openStore(url);
    await save(store, { stacks: [stackRecord("prod")] }, await claimOne(store));
    expect((await store.load()).stacks.size).toBe(1);
  });

  it("that a later version made unreadable is refused, to a reader, too, and stays as it is", async () => {
    const url = await databases.create();
    await (await openStore(url)).close();
    await databases.query(url, "insert into edgewise.migration (version, oldest_reader) values (9, 9)");
    const refusal = {
      code: "io",
      message: expect.stringMatching(
        /a later version of edgewise has changed its schema \(to version 9; this one knows 1\)/,
      ),
      remedy: "Use that version, or another database.",
    };
    await expect(openPostgresStore({ url, place, times: quick })).rejects.toMatchObject(refusal);
    await expect(readDatabase({ url, place })).rejects.toMatchObject(refusal);
    expect(await databases.query(url, "select count(*)::int as count from edgewise.migration")).toEqual([{ count: 2 }]);
  });

  it("is used by a role that may create nothing, once it is there", async () => {
    const url = await databases.create();
    const role = new URL(url);
    const name = `role_${role.pathname.slice(-12)}`;
    role.username = name;
    role.password = "secret-of-role";
    await databases.query(url, `create role ${name} login password 'secret-of-role'`);
    await expect(openPostgresStore({ url: role.href, place, times: quick })).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining("permission denied for database"),
    });
    await (await openStore(url)).close();
    await databases.query(
      url,
      `grant usage on schema edgewise to ${name};
        grant select, insert, update, delete on all tables in schema edgewise to ${name}`,
    );
    await checkDatabase({ url: role.href, place, times: quick });
    const store = await openStore(role.href);
    await store.load();
    await save(store, { stacks: [stackRecord("prod")] }, await claimOne(store));
    expect((await store.changes()).stacks).toEqual([]);
    expect(await store.isUsable()).toBe(true);
    await store.close();
    await databases.query(url, `drop owned by ${name}; drop role ${name}`);
  });
});
