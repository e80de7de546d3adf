import { describe, expect, it } from "vitest";
import type { StackRecord } from "../../../../src/serve/records.ts";
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
});
