import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HistoryEntry, StackRecord } from "../../../src/serve/records.ts";
import type { AccountClaim, Saved, ServeStore } from "../../../src/serve/store/store.ts";
import { stackNotification } from "../../../src/serve/notify/notification.ts";
import { samplePlan } from "../../report/sample-plan.ts";
import { runs } from "../../support/runs.ts";
import { accountWith } from "../fleet/fleet-data.ts";
import { accountRecord, anyName, historyEntry, noon, sourceRecord, stackRecord } from "./support.ts";

/** Claims one account, which must be free. */
export async function claimOne(store: ServeStore, name = "main"): Promise<AccountClaim> {
  const [claim] = await store.claim([accountWith({ name, key: { file: `/run/secrets/${name}` } })]);
  if (claim === undefined) throw new Error(`${name} could not be claimed`);
  return claim;
}

export async function save(store: ServeStore, saved: Partial<Saved>, claim: AccountClaim | null): Promise<boolean> {
  return store.save({ stacks: [], accounts: [], history: [], outbox: [], ...saved }, claim);
}

export async function historyPages(
  store: ServeStore,
  stack: string,
  limit: number,
): Promise<readonly (readonly string[])[]> {
  const read: string[][] = [];
  let after: string | null = null;
  do {
    const page = await store.readHistory(stack, { limit, after });
    read.push(page.entries.map(({ message }) => message));
    after = page.next;
  } while (after !== null);
  return read;
}

export function storeContract(make: () => Promise<() => Promise<ServeStore>>): void {
  const opened = async (): Promise<ServeStore> => (await make())();

  describe("a store", () => {
    it("gives back what was saved to the next process, but for what was forgotten", async () => {
      const open = await make();
      const store = await open();
      const nothing = { stacks: new Map(), accounts: new Map(), sources: new Map(), damaged: new Map() };
      expect(await store.load()).toMatchObject(nothing);
      const claim = await claimOne(store);
      const brake = { id: "1", cause: "stacks", message: "3 of 10", since: noon, lastSeen: noon, quietMs: 1 } as const;
      const stacks = [stackRecord("prod"), stackRecord("many/t1", { stack: null }), stackRecord("gone")];
      await save(store, { stacks, accounts: [accountRecord("main", { brake })] }, claim);
      const problem = { code: "rewound", message: "not below", since: noon } as const;
      expect(await store.saveSource(sourceRecord("edge", { problem }), null)).toBe(true);
      await store.savePlan("gone", samplePlan());
      await save(store, { history: [historyEntry("gone", 1)] }, claim);
      await store.forgetStack("gone");
      await claim.release(0);
      await store.close();
      const next = await open();
      const { stacks: kept, accounts, sources, damaged } = await next.load();
      expect([...kept.keys()].toSorted()).toEqual(["many/t1", "prod"]);
      expect(kept.get("prod")).toMatchObject(stackRecord("prod"));
      expect(kept.get("many/t1")?.stack).toBeNull();
      expect(accounts.get("main")).toMatchObject(accountRecord("main", { brake }));
      expect([sources.get("edge")?.problem, damaged.size]).toEqual([problem, 0]);
      expect(await next.readPlan("gone")).toBeNull();
      expect(await historyPages(next, "gone", 9)).toEqual([["1"]]);
    });

    it("keeps every name apart from every other, and every text as it is", async () => {
      const store = await opened();
      const names = new Set<string>();
      await fc.assert(
        fc.asyncProperty(anyName, async (name) => {
          names.add(name);
          const claim = await claimOne(store);
          const history = [historyEntry(name, names.size)];
          await save(store, { stacks: [stackRecord(name, { account: name })], history }, claim);
          await claim.release(0);
        }),
        runs(25),
      );
      const { stacks } = await store.load();
      expect(new Set(stacks.keys())).toEqual(names);
      for (const name of names) {
        expect(stacks.get(name)?.account).toBe(name);
        expect((await store.readHistory(name, { limit: 1, after: null })).entries).toHaveLength(1);
      }
    });

    it("has every entry of a stack's history once, newest first, however it is read", async () => {
      const open = await make();
      const store = await open();
      let stack = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.boolean(), fc.nat(3), fc.nat(90_000)), { maxLength: 25 }),
          fc.integer({ min: 1, max: 7 }),
          async (written, limit) => {
            const own = `s${(stack += 1)}`;
            const expected: string[] = [];
            let at = noon;
            for (const [index, [isOwn, later, length]] of written.entries()) {
              at += later * 9 * 3_600_000;
              const message = `${index} ${"ü".repeat(length)}`;
              const entry = historyEntry(isOwn ? own : "other", 0, new Date(at).toISOString());
              await save(store, { history: [{ ...entry, message }] }, null);
              if (isOwn) expected.unshift(message);
            }
            const read = await historyPages(store, own, limit);
            expect(read.flat()).toEqual(expected);
            expect(read.length).toBe(Math.max(1, Math.ceil(expected.length / limit)));
          },
        ),
        runs(8),
      );
    });

    it("gives the same pages of history while more is appended, and takes no place that is not from a page", async () => {
      const store = await opened();
      const append = (...history: readonly HistoryEntry[]) => save(store, { history }, null);
      await Promise.all([
        append(historyEntry("prod", 1), historyEntry("other", 9), historyEntry("prod", 2)),
        append(historyEntry("prod", 3), historyEntry("prod", 4)),
        append(),
      ]);
      const first = await store.readHistory("prod", { limit: 2, after: null });
      await append(historyEntry("prod", 5), historyEntry("prod", 6));
      const second = await store.readHistory("prod", { limit: 2, after: first.next });
      expect([...first.entries, ...second.entries].map(({ message }) => message)).toEqual(["4", "3", "2", "1"]);
      expect(second.next).toBeNull();
      for (const after of ["", "x", "-1", "1e3", "../../x:1", "2026-01-31:"])
        await expect(store.readHistory("prod", { limit: 1, after })).rejects.toMatchObject({ code: "usage" });
    });

    it("keeps the last of several saves at once, and refuses what nobody could read again", async () => {
      const store = await opened();
      const claim = await claimOne(store);
      const source = (index: number) => ({ stacks: [stackRecord("prod", { source: String(index) })] });
      await Promise.all(Array.from({ length: 20 }, (_, index) => save(store, source(index), claim)));
      expect((await store.load()).stacks.get("prod")?.source).toBe("19");
      const record = stackRecord("prod");
      const broken: StackRecord = { ...record, status: { ...record.status, since: Number.NaN } };
      await expect(save(store, { stacks: [broken] }, claim)).rejects.toThrow(TypeError);
      const wrong = { ...historyEntry("prod", 1), event: 7 } as unknown as HistoryEntry;
      await expect(save(store, { history: [wrong] }, claim)).rejects.toThrow(TypeError);
    });

    it("gives each receiver its notifications in their order, again and again until they are removed", async () => {
      const open = await make();
      const store = await open();
      const claim = await claimOne(store);
      const entry = (receiver: string, event: "failed" | "recovered") => ({
        receiver,
        since: noon,
        notification: stackNotification(stackRecord("prod"), event, noon),
      });
      const outbox = [entry("a", "failed"), entry("b", "failed"), entry("a", "recovered")];
      await save(store, { stacks: [stackRecord("prod")], outbox }, claim);
      const first = await store.claimNotification("a");
      expect(first).toMatchObject(entry("a", "failed"));
      expect(await store.claimNotification("a")).toEqual(first);
      await store.removeNotification(first?.id ?? "");
      await claim.release(0);
      await store.close();
      const next = await open();
      await next.load();
      expect(await next.claimNotification("b")).toMatchObject(entry("b", "failed"));
      expect(await next.claimNotification("c")).toBeNull();
      await next.prune(0, Date.now() + 1000);
      expect(await next.claimNotification("b")).toBeNull();
    });
  });
}
