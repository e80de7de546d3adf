import { describe, expect, it, onTestFinished } from "vitest";
import type { AccountClaim } from "../../../../src/serve/store/store.ts";
import { useDatabases } from "../../support/postgres.ts";
import { historyEntry, stackRecord } from "../../../serve/store/support.ts";
import { claimOne, eventually, openStore, wanted } from "./support.ts";

const databases = useDatabases(true);

describe("a database that is not there", () => {
  it("ends every claim when it stops, rejects at once, and is used again when it is back", async () => {
    const url = await databases.create();
    const store = await openStore(url);
    const claim = await claimOne(store);
    await store.saveStack(stackRecord("prod"));
    const reading = Promise.allSettled([store.readHistory("prod", { limit: 1, after: null })]);
    await databases.server()?.stop();
    await reading;
    await eventually(() => claim.lost.aborted);
    await expect(claim.assertHeld()).rejects.toMatchObject({ code: "io" });
    expect(store.isTeller()).toBe(false);
    expect(await store.isUsable()).toBe(false);
    const calls = [
      store.load(),
      store.changes(),
      store.claim([wanted("main")], 1),
      store.saveStack(stackRecord("prod")),
      store.appendHistory([historyEntry("prod", 1)]),
      store.readPlan("prod"),
    ];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: "rejected", reason: { name: "EdgewiseError", code: "io" } });
      expect(String(call.status === "rejected" ? call.reason : "")).not.toMatch(/postgres:postgres/);
    }
    await claim.release(0);
    // Not why it was lost, but what keeps it away.
    await eventually(async () => /nothing listens there/.test(String(await store.load().catch(String))));
    await databases.server()?.start();
    await eventually(() => store.isUsable());
    // It may be another server: everything is news.
    expect((await store.changes())?.stacks).toMatchObject([stackRecord("prod")]);
    const again = await claimOne(store);
    expect(again.quietUntil).toBeGreaterThan(store.clock.now());
    await again.assertHeld();
    await store.saveStack(stackRecord("prod", { source: "again" }));
    await eventually(() => store.isTeller());
  });

  it("is not waited for when it stands still: what is held is lost, and the store closes", async () => {
    const url = await databases.create();
    // Makes the tables, which may take longer than the other one gives an answer.
    await (await openStore(url)).close();
    const store = await openStore(url, { times: { beatMs: 50, answerMs: 1000, retryMs: 100, statementMs: 1000 } });
    let claims: readonly AccountClaim[] = [];
    // Where the machine is busy, these times are short for the claim itself.
    await eventually(async () => (claims = await store.claim([wanted("main")], 1).catch(() => [])).length === 1);
    const pids = await databases.query(url, "select pid from pg_stat_activity where pid <> pg_backend_pid()");
    const stopped = [...pids.map(({ pid }) => Number(pid)), databases.server()?.pid() ?? 0].filter((pid) => pid > 0);
    const go = (): void => {
      for (const pid of stopped.splice(0)) process.kill(pid, "SIGCONT");
    };
    onTestFinished(go);
    for (const pid of stopped) process.kill(pid, "SIGSTOP");
    await eventually(() => claims[0]?.lost.aborted === true);
    await expect(claims[0]?.assertHeld()).rejects.toMatchObject({ code: "io" });
    await expect(store.load()).rejects.toMatchObject({ code: "io" });
    expect(store.isTeller()).toBe(false);
    await store.close();
    go();
  });
});
