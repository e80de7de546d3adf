import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HistoryEntry } from "../../../../src/serve/records.ts";
import type { PostgresStore } from "../../../../src/serve/store/postgres/postgres-store.ts";
import { useDatabases } from "../../support/postgres.ts";
import { historyEntry, noon, sourceRecord, stackRecord } from "../../../serve/store/support.ts";
import { claimOne, openStore } from "./support.ts";

const databases = useDatabases();

/** Names and sources of the stacks that others changed since the last call. */
async function changed(store: PostgresStore): Promise<readonly string[]> {
  return ((await store.changes())?.stacks ?? []).map(({ name, source }) => `${name} ${source}`).toSorted();
}

describe("what others changed", () => {
  it("comes however long a transaction takes, and whichever began first", async () => {
    const url = await databases.create();
    const [one, two] = [await openStore(url), await openStore(url)];
    await claimOne(one, "main", ["a", "b", "c"]);
    for (const name of ["a", "b", "c"]) await one.saveStack(stackRecord(name, { source: "0" }));
    await two.load();
    const slow = await Promise.all([transaction(url), transaction(url)]);
    // The first to begin is the last to end.
    await slow[0]?.query("select pg_current_xact_id()");
    await slow[1]?.query(change("b", "slow"));
    expect(await changed(two)).toEqual([]);
    await one.saveStack(stackRecord("c", { source: "quick" }));
    expect(await changed(two)).toEqual(["c quick"]);
    await slow[1]?.query("commit");
    expect(await changed(two)).toEqual(["b slow"]);
    expect(await changed(two)).toEqual([]);
    await slow[0]?.query(change("a", "slowest"));
    expect(await changed(two)).toEqual([]);
    await slow[0]?.query("commit");
    expect(await changed(two)).toEqual(["a slowest"]);
    expect(await changed(two)).toEqual([]);
  });
});

describe("a transition without a pass", () => {
  it("happens once, with its history, when several processes see it", async () => {
    const url = await databases.create();
    const stores = [await openStore(url), await openStore(url), await openStore(url)];
    const claim = await claimOne(stores[0] ?? (await openStore(url)), "main", ["prod"]);
    await stores[0]?.saveStack(stackRecord("prod"));
    await claim.release(0);
    await Promise.all(stores.map((store) => store.load()));
    const orphaned = (source: string) => stackRecord("prod", { source });
    const entry = (index: number): readonly HistoryEntry[] => [historyEntry("prod", index)];
    const saved = await Promise.all(
      stores.map((store, index) => store.saveTransition(orphaned(`by ${index}`), entry(index))),
    );
    expect(saved.filter(Boolean)).toHaveLength(1);
    const winner = saved.indexOf(true);
    const { entries } = (await stores[0]?.readHistory("prod", { limit: 9, after: null })) ?? {};
    expect(entries?.map(({ message }) => message)).toEqual([String(winner)]);
    const loser = stores[(winner + 1) % 3];
    expect(await loser?.saveTransition(orphaned("again"), entry(8))).toBe(false);
    expect((await loser?.changes())?.stacks.map(({ source }) => source)).toEqual([`by ${winner}`]);
    // Now that it knows the record, it may.
    expect(await loser?.saveTransition(orphaned("known"), [])).toBe(true);
    const fresh = await Promise.all(stores.map((store) => store.saveTransition(stackRecord("new"), entry(9))));
    expect(fresh.filter(Boolean)).toHaveLength(1);
  });
});

describe("a source", () => {
  it("is followed by one process only, from what that one knew", async () => {
    const url = await databases.create();
    const [one, two] = [await openStore(url), await openStore(url)];
    const at = (commit: string) => sourceRecord("edge", { followed: commit.repeat(40), tip: commit.repeat(40) });
    expect(await one.readSource("edge")).toBeNull();
    const first = await Promise.all([one.saveSource(at("1"), null), two.saveSource(at("2"), null)]);
    expect(first.filter(Boolean)).toHaveLength(1);
    const known = await one.readSource("edge");
    const next = await Promise.all([one.saveSource(at("3"), known), two.saveSource(at("4"), known)]);
    expect(next.filter(Boolean)).toHaveLength(1);
    const winner = next[0] ? "3" : "4";
    expect((await two.readSource("edge"))?.followed).toBe(winner.repeat(40));
    // The same commit, fetched again, by both.
    const same = await two.readSource("edge");
    expect(await one.saveSource({ ...at(winner), fetchedAt: noon + 1 }, same)).toBe(true);
    expect(await two.saveSource({ ...at(winner), fetchedAt: noon + 2 }, same)).toBe(true);
    expect((await one.readSource("edge"))?.fetchedAt).toBe(noon + 2);
  });
});

/** A change of a stack's row, as a save of another process. */
function change(name: string, source: string): string {
  return `update edgewise.stack set head = (head::jsonb || '{"source":"${source}"}')::text, version = version + 1,
    changed = pg_current_xact_id() where name = '${name}'`;
}

async function transaction(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("begin");
  return client;
}
