import { describe, expect, it, vi } from "vitest";
import { useDatabases } from "../../support/postgres.ts";
import { stackNotification } from "../../../../src/serve/notify/notification.ts";
import type { FleetAccount } from "../../../../src/serve/fleet/fleet.ts";
import type { PostgresStore } from "../../../../src/serve/store/postgres/postgres-store.ts";
import { accountRecord, historyEntry, stackRecord } from "../../../serve/store/support.ts";
import { claimOne, eventually, openStore, save, wanted } from "./support.ts";

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
  it("are given of what is free, and of one account once", async () => {
    const url = await databases.create();
    const [one, two] = [await openStore(url), await openStore(url)];
    const all = ["d", "b", "a", "c"].map((name) => wanted(name));
    const names = async (store: PostgresStore, accounts: readonly FleetAccount[]) =>
      (await store.claim(accounts)).map(({ account }) => account);
    const first = await one.claim(all.slice(0, 2));
    expect(first.map(({ account }) => account)).toEqual(["d", "b"]);
    expect(await names(two, all)).toEqual(["a", "c"]);
    expect(await names(one, all)).toEqual([]);
    expect(await names(one, [wanted("alias", "d")])).toEqual([]);
    expect(await names(two, [wanted("alias", "d"), wanted("e"), wanted("twin", "e")])).toEqual(["e"]);
    await first[0]?.release(0);
    expect(await names(two, all)).toEqual(["d"]);
    expect(await names(two, [])).toEqual([]);
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
        for (const claim of (await store?.claim(order.slice(0, 1 + (round % 3)))) ?? []) {
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
    const locks = `select count(*)::int as count from pg_locks l join pg_database d on d.oid = l.database
      where locktype = 'advisory' and d.datname = current_database()`;
    expect(await databases.query(url, locks)).toEqual([{ count: 0 }]);
  });

  it("are one for an account whose key is elsewhere for another process, and for two names of one key", async () => {
    const url = await databases.create();
    const [one, two] = [await openStore(url), await openStore(url)];
    const claim = await claimOne(one, "main");
    expect(await two.claim([wanted("main", "moved"), wanted("alias", "main")])).toEqual([]);
    const own = await one.claim([wanted("main", "moved"), wanted("alias", "main")]);
    expect(own).toEqual([]);
    await claim.release(0);
    const [moved] = await two.claim([wanted("main", "moved")]);
    expect([moved?.account, moved?.quietUntil]).toEqual(["main", 0]);
    await two.close();
    await eventually(async () => {
      const [next] = await one.claim([wanted("main", "moved again")]);
      if (next === undefined) return false;
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
    await save(one, { stacks: [stackRecord("prod")] }, claim);
    expect(claim.lost.aborted).toBe(false);
    expect((await two.changes()).abandoned).toEqual([]);
    await killSessions(url);
    await eventually(() => claim.lost.aborted);
    await expect(claim.assertHeld()).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining("not held"),
    });
    const abandoned: string[] = [];
    await eventually(async () => {
      abandoned.push(...((await two.changes().catch(() => null))?.abandoned ?? []));
      return abandoned.length > 0;
    });
    await two.changes();
    expect(abandoned).toEqual(["main"]);
    let taken = await two.claim([wanted("main")]);
    await eventually(async () => {
      if (taken.length === 0) taken = await two.claim([wanted("main")]);
      return taken.length > 0;
    });
    const quiet = (taken[0]?.quietUntil ?? 0) - two.clock.now();
    expect(quiet).toBeGreaterThan(0);
    // The clock here may be behind the database's by an answer, never ahead of it.
    expect(quiet).toBeLessThanOrEqual(41_000);
    expect((await two.load()).stacks.get("prod")).toMatchObject(stackRecord("prod"));
    // The one that lost it saves nothing any more, in whatever state its connection is.
    await eventually(() => one.isUsable());
    const late = { stacks: [stackRecord("prod", { source: "late" })] };
    await expect(save(one, late, claim)).rejects.toMatchObject({ code: "io" });
    await claim.release(0);
    expect(await one.claim([wanted("main")])).toEqual([]);
    // Quiet for whoever comes next, too.
    await taken[0]?.release(0);
    expect((await claimOne(one)).quietUntil).toBe(taken[0]?.quietUntil);
    expect((await two.changes())?.abandoned).toEqual([]);
  });

  it("let nobody save who does not hold the account any more", async () => {
    const url = await databases.create();
    const [one, two] = [await openStore(url), await openStore(url)];
    const claim = await claimOne(one);
    const accounts = [accountRecord("main")];
    await save(one, { stacks: [stackRecord("prod")], accounts }, claim);
    await claim.release(0);
    const late = { stacks: [stackRecord("prod", { source: "late" })], history: [historyEntry("prod", 1)] };
    const refused = { code: "io", message: expect.stringContaining("another process holds it by now") };
    const givenBack = { code: "io", message: expect.stringContaining("it was given back") };
    await expect(save(one, late, claim)).rejects.toMatchObject(givenBack);
    await expect(claim.assertHeld()).rejects.toMatchObject(givenBack);
    const again = await claimOne(one);
    await databases.query(url, "update edgewise.account_lock set holder = 'somebody' where account = 'main'");
    await expect(save(one, late, again)).rejects.toMatchObject(refused);
    await expect(save(one, { accounts }, again)).rejects.toMatchObject(refused);
    expect((await two.load()).stacks.get("prod")).toMatchObject(stackRecord("prod"));
    expect((await two.readHistory("prod", { limit: 1, after: null })).entries).toEqual([]);
  });

  it("share what was sent to the account within the last minute", async () => {
    const url = await databases.create();
    const [one, two] = [await openStore(url), await openStore(url)];
    await (await claimOne(one)).release(40);
    const claim = await claimOne(two);
    expect(claim.sentByOthers).toBe(40);
    await claim.release(2);
    const back = await claimOne(one);
    expect(back.sentByOthers).toBe(2);
    await back.release(0);
  });
});

describe("notifications of several processes", () => {
  it("are sent by one of them at a time, and those of one stack in their order", async () => {
    const url = await databases.create();
    const [one, two] = [await openStore(url), await openStore(url)];
    const entry = (stack: string, event: "failed" | "recovered") => ({
      receiver: "a",
      since: Date.now(),
      notification: stackNotification(stackRecord(stack), event, 1),
    });
    await save(one, { outbox: [entry("x", "failed"), entry("x", "recovered"), entry("y", "failed")] }, null);
    const [first, second] = [await one.claimNotification("a"), await two.claimNotification("a")];
    expect([first?.notification, second?.notification]).toMatchObject([
      { stack: "x", event: "failed" },
      { stack: "y", event: "failed" },
    ]);
    await one.removeNotification(first?.id ?? "");
    await two.removeNotification(second?.id ?? "");
    expect((await two.claimNotification("a"))?.notification).toMatchObject({ stack: "x", event: "recovered" });
    expect(await one.claimNotification("a")).toBeNull();
  });
});
