import { describe, expect, it, vi } from "vitest";
import { useDatabases } from "../../support/postgres.ts";
import { accountRecord, stackRecord } from "../../../serve/store/support.ts";
import { claimOne, eventually, openStore, wanted } from "./support.ts";

const databases = useDatabases();

/** Ends every session that holds a lock of this database, as if its machine were gone. */
async function killSessions(url: string): Promise<void> {
  await databases.query(
    url,
    `select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.locktype = 'advisory' and l.pid <> pg_backend_pid()`,
  );
}

describe("claims", () => {
  it("are given in the order asked for, at most so many, and of one account once", async () => {
    const url = await databases.create();
    const [one, two] = [await openStore(url), await openStore(url)];
    const all = ["d", "b", "a", "c"].map((name) => wanted(name));
    const first = await one.claim(all, 2);
    expect(first.map(({ account }) => account)).toEqual(["d", "b"]);
    expect((await two.claim(all, 9)).map(({ account }) => account)).toEqual(["a", "c"]);
    expect(await one.claim(all, 9)).toEqual([]);
    // Another name for an account that is held already, by this process and by the other one.
    expect(await one.claim([wanted("alias", [], "d")], 1)).toEqual([]);
    expect(await two.claim([wanted("alias", [], "d"), wanted("e"), wanted("twin", [], "e")], 9)).toHaveLength(1);
    await first[0]?.release(0);
    expect((await two.claim(all, 9)).map(({ account }) => account)).toEqual(["d"]);
    expect(await two.claim(all, 0)).toEqual([]);
    expect(await two.claim([], 5)).toEqual([]);
  });

  it("never overlap, however many processes ask at once", async () => {
    const url = await databases.create();
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(url)));
    const accounts = Array.from({ length: 6 }, (_, index) => wanted(`account-${index}`));
    const holders = new Map<string, number>();
    const passes = new Map<string, number>();
    let overlaps = 0;
    const work = async (index: number): Promise<void> => {
      const store = stores[index % stores.length];
      for (let round = 0; round < 25; round += 1) {
        const order = accounts.toSorted(() => Math.random() - 0.5);
        for (const claim of (await store?.claim(order, 1 + (round % 3))) ?? []) {
          if (holders.has(claim.account)) overlaps += 1;
          holders.set(claim.account, index);
          passes.set(claim.account, (passes.get(claim.account) ?? 0) + 1);
          await claim.assertHeld();
          await new Promise((resolve) => setTimeout(resolve, round % 4));
          holders.delete(claim.account);
          await claim.release(1);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => work(index)));
    expect(overlaps).toBe(0);
    expect(passes.size).toBe(accounts.length);
    expect(await databases.query(url, "select key from edgewise.account_lock where holder is not null")).toEqual([]);
    // Nothing is left locked but what the teller holds.
    const locks = `select count(*)::int as count from pg_locks l join pg_database d on d.oid = l.database
      where locktype = 'advisory' and d.datname = current_database()`;
    expect(await databases.query(url, locks)).toEqual([{ count: 1 }]);
  });

  it("are one for an account whose key is elsewhere for another process, and for two names of one key", async () => {
    const url = await databases.create();
    const [one, two] = [await openStore(url), await openStore(url)];
    const claim = await claimOne(one, "main");
    expect(await two.claim([wanted("main", [], "moved"), wanted("alias", [], "main")], 2)).toEqual([]);
    const own = await one.claim([wanted("main", [], "moved"), wanted("alias", [], "main")], 2);
    expect(own).toEqual([]);
    await claim.release(0);
    const [moved] = await two.claim([wanted("main", [], "moved")], 1);
    expect([moved?.account, moved?.quietUntil]).toEqual(["main", 0]);
    await two.close();
    await eventually(async () => {
      const [next] = await one.claim([wanted("main", [], "moved again")], 1);
      if (next === undefined) return false;
      // Who had it did not give it back, wherever its key was.
      expect(next.quietUntil).toBeGreaterThan(one.clock.now() + 30_000);
      return true;
    });
  });

  it("are not proven after five seconds without an answer, by whatever clock, until the database is asked", async () => {
    const store = await openStore(await databases.create(), { times: { beatMs: 600_000 } });
    const claim = await claimOne(store);
    expect(claim.isHeld()).toBe(true);
    for (const clock of [Date, performance]) {
      const skewed = vi.spyOn(clock, "now").mockReturnValue(clock.now() + 5001);
      expect(claim.isHeld()).toBe(false);
      await claim.assertHeld();
      expect(claim.isHeld()).toBe(true);
      skewed.mockRestore();
    }
    await claim.release(0);
    expect(claim.isHeld()).toBe(false);
  });

  it("are lost at once with the session, and another process takes over, quietly at first", async () => {
    const url = await databases.create();
    const one = await openStore(url);
    const two = await openStore(url);
    const claim = await claimOne(one);
    await one.saveStack(stackRecord("prod"));
    expect(claim.lost.aborted).toBe(false);
    expect((await two.changes())?.abandoned).toEqual([]);
    await killSessions(url);
    await eventually(() => claim.lost.aborted);
    await expect(claim.assertHeld()).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining("not held"),
    });
    await eventually(async () => (await two.changes().catch(() => null))?.abandoned.includes("main") === true);
    let taken = await two.claim([wanted("main", ["prod"])], 1);
    await eventually(async () => {
      if (taken.length === 0) taken = await two.claim([wanted("main", ["prod"])], 1);
      return taken.length > 0;
    });
    const quiet = (taken[0]?.quietUntil ?? 0) - two.clock.now();
    expect(quiet).toBeGreaterThan(0);
    // The clock here may be behind the database's by an answer, never ahead of it.
    expect(quiet).toBeLessThanOrEqual(41_000);
    expect(taken[0]?.current?.stacks.get("prod")).toMatchObject(stackRecord("prod"));
    // The one that lost it saves nothing any more, in whatever state its connection is.
    await eventually(() => one.isUsable());
    await expect(one.saveStack(stackRecord("prod", { source: "late" }))).rejects.toMatchObject({ code: "io" });
    await claim.release(0);
    expect(await one.claim([wanted("main")], 1)).toEqual([]);
    // Quiet for whoever comes next, too.
    await taken[0]?.release(0);
    expect((await claimOne(one)).quietUntil).toBe(taken[0]?.quietUntil);
    expect((await two.changes())?.abandoned).toEqual([]);
  });

  it("let nobody save who does not hold the account, or not any more", async () => {
    const url = await databases.create();
    const [one, two] = [await openStore(url), await openStore(url)];
    const notHeld = {
      code: "io",
      message: expect.stringMatching(/is not saved: this process does not hold its account/),
    };
    await expect(one.saveStack(stackRecord("prod"))).rejects.toMatchObject(notHeld);
    await expect(one.saveAccount(accountRecord("main"))).rejects.toMatchObject(notHeld);
    const claim = await claimOne(one);
    await one.saveStack(stackRecord("prod"));
    await claim.release(0);
    await expect(one.saveStack(stackRecord("prod"))).rejects.toMatchObject(notHeld);
    await expect(claim.assertHeld()).rejects.toMatchObject({ message: expect.stringContaining("it was given back") });
    // Somebody took it over, and this process has not noticed yet.
    await claimOne(two);
    const late = await claimOne(one, "other", ["prod"]);
    await databases.query(url, "update edgewise.account_lock set holder = 'somebody' where account = 'other'");
    const taken = { code: "io", message: expect.stringContaining("another process holds its account by now") };
    await expect(one.saveStack(stackRecord("prod", { source: "late" }))).rejects.toMatchObject(taken);
    await expect(one.saveAccount(accountRecord("other"))).rejects.toMatchObject(taken);
    await late.release(0);
    expect((await two.load()).stacks.get("prod")).toMatchObject(stackRecord("prod"));
  });
});
