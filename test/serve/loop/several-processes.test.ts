import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MemoryDatabase } from "../support/memory-store.ts";
import { SimulatedAccount } from "../support/simulated-account.ts";
import { SimulatedClock } from "../support/simulated-clock.ts";
import { Stage, backend, minute } from "../support/stage.ts";

const names = ["a", "b", "c", "d"];

function several(count: number) {
  const clock = new SimulatedClock();
  const database = new MemoryDatabase(clock);
  const service = new SimulatedAccount(clock);
  let keys: string | null = null;
  const all = Array.from({ length: count }, (_, at) => {
    const stage = new Stage({ clock, service, session: database.connect() });
    for (const name of names) {
      // One place for all: an account is known by its key's.
      if (at === 0) stage.write(`key-${name}`, `ak_${name}`);
      keys ??= stage.directory;
      stage.file.accounts[name] = { baseUrl: "https://service.example", key: { file: join(keys, `key-${name}`) } };
      stage.add(name, undefined, { account: name });
    }
    delete stage.file.accounts["main"];
    return stage;
  });
  const push = (changes: { readonly [path: string]: string }): string =>
    all.map((stage) => stage.commit(changes)).at(-1) ?? "";
  return { all, clock, database, push, service };
}

const changed = (name: string, text = "changed") => ({ [`${name}/m/a.yaml`]: backend(`page-${name}`, text) });

describe("several processes on one fleet", () => {
  it("never go back to a commit that another one has left, and fetch what it follows at once", async () => {
    const { all, clock, push, service } = several(2);
    const [one, two] = all;
    if (one === undefined || two === undefined) throw new Error("two");
    Object.assign(two.file, { sources: { edge: { git: "https://git.example.com/edge.git", poll: "30m" } } });
    await one.start();
    await two.start();
    await clock.sleep(2 * minute);
    const commit = push(changed("a"));
    await clock.sleep(2 * minute);
    await one.end();
    await clock.sleep(25 * minute);
    for (const name of names) expect(await two.status(name)).toMatchObject({ state: "synced", commit });
    expect(service.writes.filter((write) => write.startsWith("PATCH"))).toHaveLength(1);
  });

  it("only look when they can't have the commit that another one followed", async () => {
    const { all, clock, service } = several(2);
    const [one, two] = all;
    if (one === undefined || two === undefined) throw new Error("two");
    await one.start();
    await two.start();
    await clock.sleep(2 * minute);
    two.sources.break("edge", "no route to git");
    const commit = one.commit(changed("a"));
    await clock.sleep(5 * minute);
    await one.end();
    const { length } = service.writes;
    two.looked();
    await clock.sleep(30 * minute);
    expect(two.looked().length).toBeGreaterThanOrEqual(4);
    expect((await two.status("a")).message).toContain("is followed to");
    expect(service.writes).toHaveLength(length);
    two.sources.break("edge", null);
    two.commit(changed("a"));
    await clock.sleep(15 * minute);
    expect(await two.status("a")).toMatchObject({ state: "synced", commit });
  });

  it("leave a stack alone that another one's fleet file describes, until nobody looks at it any more", async () => {
    const { all, clock, database } = several(2);
    const [one, two] = all;
    delete two?.file.stacks["d"];
    for (const each of all) await each.start();
    const orphaned = () => database.history.filter(({ outcome }) => outcome === "orphaned");
    await clock.sleep(60 * minute);
    expect(orphaned()).toEqual([]);
    await one?.end();
    await clock.sleep(9 * minute);
    expect(orphaned()).toEqual([]);
    await clock.sleep(15 * minute);
    expect(orphaned().map(({ stack }) => stack)).toEqual(["d"]);
  });
});
