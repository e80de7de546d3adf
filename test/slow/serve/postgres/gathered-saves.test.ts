import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../../src/serve/records.ts";
import type { PostgresStore } from "../../../../src/serve/store/postgres/postgres-store.ts";
import type { StoredState } from "../../../../src/serve/store/store.ts";
import { useDatabases } from "../../support/postgres.ts";
import { noon, stackRecord } from "../../../serve/store/support.ts";
import { claimOne, openStore } from "./support.ts";

const databases = useDatabases();
const names = Array.from({ length: 1200 }, (_, index) => `many/t${index}`);

function lookedAt(name: string, at: number): StackRecord {
  const record = stackRecord(name);
  return { ...record, status: { ...record.status, lookedAt: at, nextLook: at + 1 } };
}

function looksOf({ stacks }: StoredState): { readonly [name: string]: number | null } {
  return Object.fromEntries([...stacks].map(([name, { status }]) => [name, status.lookedAt]));
}

/** How many transactions wrote the rows as they are. */
async function transactions(url: string): Promise<unknown> {
  const [row] = await databases.query(url, "select count(distinct changed)::int as count from edgewise.stack");
  return row?.["count"];
}

/** A store of which it is recorded which statements are waited for until they are on the disk. */
async function observed(url: string): Promise<{ store: PostgresStore; durable: () => Promise<readonly unknown[]> }> {
  const store = await openStore(url);
  await databases.query(
    url,
    `create table public.seen (id serial, setting text);
    create function public.see() returns trigger language plpgsql as
      $$ begin insert into public.seen (setting) values (current_setting('synchronous_commit')); return null; end $$;
    create trigger see after insert or update on edgewise.stack for each row execute function public.see();
    create trigger see after update on edgewise.account_lock for each row execute function public.see()`,
  );
  const durable = async (): Promise<readonly unknown[]> => {
    const rows = await databases.query(
      url,
      "with all_seen as (delete from public.seen returning *) select * from all_seen order by id",
    );
    return rows.map((row) => row["setting"] !== "off");
  };
  return { store, durable };
}

describe("saves that come together", () => {
  it("are one transaction, or a few, and each is known to be saved", async () => {
    const url = await databases.create();
    const store = await openStore(url);
    await claimOne(store, "main", names);
    await Promise.all(names.map((name) => store.saveStack(lookedAt(name, noon))));
    expect(await transactions(url)).toBe(3);
    await Promise.all(names.map((name) => store.saveStack(lookedAt(name, noon + 5))));
    expect(await transactions(url)).toBe(3);
    const kept = await (await openStore(url)).load();
    expect(looksOf(kept)).toEqual(Object.fromEntries(names.map((name) => [name, noon + 5])));
  });

  it("keep the others when one of them can't be a record, and all when another process changed a row", async () => {
    const url = await databases.create();
    const store = await openStore(url);
    await claimOne(store, "main", ["a", "b", "c"]);
    await store.saveStack(stackRecord("a"));
    await databases.query(url, "update edgewise.stack set version = version + 1");
    const broken = { ...stackRecord("b"), status: { ...stackRecord("b").status, since: Number.NaN } };
    const saved = await Promise.allSettled(
      [lookedAt("a", noon + 7), broken, stackRecord("c")].map((record) => store.saveStack(record)),
    );
    expect(saved.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    const kept = await (await openStore(url)).load();
    expect(looksOf(kept)).toEqual({ a: noon + 7, c: noon });
  });

  it("are not waited for when they say only that a stack was looked at: all else is on the disk", async () => {
    const { durable, store } = await observed(await databases.create());
    const claim = await claimOne(store);
    await store.saveStack(stackRecord("prod"));
    // The two rows of the claim, then the record.
    expect(await durable()).toEqual([false, false, true]);
    await store.saveStack(lookedAt("prod", noon + 5));
    expect(await durable()).toEqual([false]);
    const record = lookedAt("prod", noon + 6);
    await store.saveStack({ ...record, status: { ...record.status, state: "failed" } });
    expect(await durable()).toEqual([true]);
    await store.saveStack({ ...record, memory: { ...record.memory, failures: 1 } });
    expect((await durable()).at(-1)).toBe(true);
    await claim.release(0);
    expect(await durable()).toEqual([false, false]);
  });
});
