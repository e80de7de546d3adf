import { describe, expect, it, onTestFinished } from "vitest";
import type { AccountClaim } from "../../../../src/serve/store/store.ts";
import { useDatabases } from "../../support/postgres.ts";
import { eventually, openStore, wanted } from "./support.ts";

const databases = useDatabases(true);

describe("a database that is not there", () => {
  it("is not waited for when it stands still: what is held is lost, and the store closes", async () => {
    const url = await databases.create();
    // Makes the tables, which may take longer than the other one gives an answer.
    await (await openStore(url)).close();
    const store = await openStore(url, { times: { beatMs: 50, answerMs: 1000, retryMs: 100 } });
    let claims: readonly AccountClaim[] = [];
    // Where the machine is busy, these times are short for the claim itself.
    await eventually(async () => (claims = await store.claim([wanted("main")]).catch(() => [])).length === 1);
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
    await store.close();
    go();
  });
});
