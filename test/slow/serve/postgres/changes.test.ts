import { describe, expect, it } from "vitest";
import type { PostgresStore } from "../../../../src/serve/store/postgres/postgres-store.ts";
import { useDatabases } from "../../support/postgres.ts";
import { historyEntry, noon, sourceRecord, stackRecord } from "../../../serve/store/support.ts";
import { claimOne, openStore, save } from "./support.ts";

const databases = useDatabases();

async function changed(store: PostgresStore): Promise<readonly string[]> {
  return (await store.changes()).stacks.map(({ name, source }) => `${name} ${source}`).toSorted();
}

describe("what others changed", () => {
  it("is never missed, and never older than what was read before, however many save at once", async () => {
    const url = await databases.create();
    const [one, two, reader] = [await openStore(url), await openStore(url), await openStore(url)];
    const claims = [await claimOne(one, "a"), await claimOne(two, "b")];
    await Promise.all([one.load(), reader.load()]);
    const seen = new Map<string, string>();
    let older = 0;
    const done = new AbortController();
    const read = async (): Promise<void> => {
      for (const each of await changed(reader)) {
        const [name = "", source = ""] = each.split(" ");
        if (Number(seen.get(name) ?? 0) > Number(source)) older += 1;
        seen.set(name, source);
      }
    };
    const reading = (async () => {
      while (!done.signal.aborted) await read();
      await read();
    })();
    const work = async (store: PostgresStore, index: number): Promise<void> => {
      for (let round = 0; round < 60; round += 1) {
        const stack = stackRecord(`${index}-${round % 7}`, { source: String(round) });
        await save(store, { stacks: [stack] }, claims[index] ?? null);
      }
    };
    await Promise.all([work(one, 0), work(two, 1)]);
    done.abort();
    await reading;
    for (const index of [0, 1])
      for (let round = 53; round < 60; round += 1) expect(seen.get(`${index}-${round % 7}`)).toBe(String(round));
    expect([older, await changed(reader)]).toEqual([0, []]);
    expect((await changed(one)).every((each) => each.startsWith("1-"))).toBe(true);
  });
});

describe("a transition without a pass", () => {
  it("happens once, with its history and notifications, when several processes see it", async () => {
    const url = await databases.create();
    const stores = [await openStore(url), await openStore(url), await openStore(url)];
    const [first, , third] = stores;
    if (first === undefined || third === undefined) throw new Error("there is no store");
    const claim = await claimOne(first);
    await save(first, { stacks: [stackRecord("prod")] }, claim);
    await claim.release(0);
    await Promise.all(stores.map((store) => store.load()));
    const enter = (name: string, source: string, index: number) => ({
      stacks: [stackRecord(name, { source })],
      history: [historyEntry(name, index)],
    });
    const saved = await Promise.all(
      stores.map((store, index) => save(store, enter("prod", `by ${index}`, index), null)),
    );
    expect(saved.filter(Boolean)).toHaveLength(1);
    const winner = saved.indexOf(true);
    const { entries } = await first.readHistory("prod", { limit: 9, after: null });
    expect(entries.map(({ message }) => message)).toEqual([String(winner)]);
    const loser = stores[(winner + 1) % 3] ?? third;
    expect(await save(loser, enter("prod", "again", 8), null)).toBe(false);
    expect((await loser.changes()).stacks.map(({ source }) => source)).toEqual([`by ${winner}`]);
    expect(await save(loser, enter("prod", "known", 9), null)).toBe(true);
    const fresh = await Promise.all(stores.map((store) => save(store, enter("new", "", 9), null)));
    expect(fresh.filter(Boolean)).toHaveLength(1);
  });
});

describe("a source", () => {
  it("is followed by one process only, from what that one knew", async () => {
    const url = await databases.create();
    const [one, two] = [await openStore(url), await openStore(url)];
    const at = (commit: string) => sourceRecord("edge", { followed: commit.repeat(40), tip: commit.repeat(40) });
    const kept = async () => (await two.load()).sources.get("edge") ?? null;
    const first = await Promise.all([one.saveSource(at("1"), null), two.saveSource(at("2"), null)]);
    expect(first.filter(Boolean)).toHaveLength(1);
    const known = await kept();
    const next = await Promise.all([one.saveSource(at("3"), known), two.saveSource(at("4"), known)]);
    expect(next.filter(Boolean)).toHaveLength(1);
    const winner = next[0] ? "3" : "4";
    expect((await kept())?.followed).toBe(winner.repeat(40));
    const same = await kept();
    expect(await one.saveSource({ ...at(winner), fetchedAt: noon + 1 }, same)).toBe(true);
    expect(await two.saveSource({ ...at(winner), fetchedAt: noon + 2 }, same)).toBe(true);
    expect((await kept())?.fetchedAt).toBe(noon + 2);
  });
});
