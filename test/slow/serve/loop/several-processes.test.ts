import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MemoryDatabase } from "../../../serve/support/memory-store.ts";
import { SimulatedAccount } from "../../../serve/support/simulated-account.ts";
import { SimulatedClock } from "../../../serve/support/simulated-clock.ts";
import { Stage, backend, minute } from "../../../serve/support/stage.ts";

const names = ["a", "b", "c", "d"];

/** Processes in virtual time over one database and one service, each with a clone of its own; each stack has its account. */
function several(count: number, stacks: readonly string[] = names) {
  const clock = new SimulatedClock();
  const database = new MemoryDatabase(clock);
  const service = new SimulatedAccount(clock);
  const overlaps: string[] = [];
  const open = new Map<string, number>();
  let keys: string | null = null;
  const all = Array.from({ length: count }, (_, at) => {
    const stage = new Stage({ clock, service, session: database.connect() });
    for (const name of stacks) {
      // One place for all: an account is known by its key's.
      if (at === 0) stage.write(`key-${name}`, `ak_${name}`);
      keys ??= stage.directory;
      stage.file.accounts[name] = { baseUrl: "https://service.example", key: { file: join(keys, `key-${name}`) } };
      stage.add(name, undefined, { account: name });
    }
    delete stage.file.accounts["main"];
    const connect: SimulatedAccount["connect"] = async (account, changes) => {
      if (open.has(account.name)) overlaps.push(`${account.name}: ${open.get(account.name)} and ${at}`);
      open.set(account.name, at);
      const client = await service.connect(account, changes);
      return { ...client, close: () => client.close().finally(() => open.delete(account.name)) };
    };
    return Object.assign(stage, { begin: () => stage.start({ connect }) });
  });
  const push = (changes: { readonly [path: string]: string }): string =>
    all.map((stage) => stage.commit(changes)).at(-1) ?? "";
  return { all, clock, database, overlaps, push, service };
}

const changed = (name: string, text = "changed") => ({ [`${name}/m/a.yaml`]: backend(`page-${name}`, text) });

describe("several processes on one fleet", () => {
  it("look at each stack once in an interval, together, and pass no account at once", async () => {
    const stacks = Array.from({ length: 12 }, (_, at) => `s${at}`);
    const { all, clock, overlaps } = several(3, stacks);
    for (const one of all) await one.begin();
    await clock.sleep(61 * minute);
    const looks = all.map((one) => one.looked());
    expect(looks.filter((own) => own.length > 0).length).toBeGreaterThan(1);
    for (const name of stacks) {
      const own = looks.flat().filter((one) => one === name);
      expect(own.length).toBeGreaterThanOrEqual(6);
      expect(own.length).toBeLessThanOrEqual(9);
    }
    expect(overlaps).toEqual([]);
  });

  it("look at an account within two seconds after its holder died, and don't write before its requests can't arrive", async () => {
    const { all, clock, service, push } = several(2);
    for (const one of all) await one.begin();
    await clock.sleep(2 * minute);
    for (const one of all) one.looked();
    const writes: number[] = [];
    const dead: Stage[] = [];
    service.delayMs = ({ method }) => (method === "PATCH" && dead.length === 0 ? 500 : 10);
    service.trouble = ({ method }) => {
      if (method !== "PATCH") return null;
      writes.push(clock.elapsed);
      if (dead.length > 0) return null;
      dead.push(...all.filter((one) => one.named("apply-started").length > 0));
      for (const one of dead) one.kill();
      return { lost: "before" };
    };
    push(changed("b"));
    while (dead.length === 0) await clock.sleep(100);
    await clock.sleep(2500);
    const other = all.find((one) => one !== dead[0]);
    expect((await other?.status("b"))?.message).toContain("nothing is written before");
    expect(writes).toHaveLength(1);
    await clock.sleep(2 * minute);
    expect(service.lists().HTTPResponseBackend.map(({ description }) => description)).toContain("changed");
    expect((writes[1] ?? 0) - (writes[0] ?? 0)).toBeGreaterThanOrEqual(40_000);
  });

  it("never go back to a commit that another one has left, and fetch what it follows at once", async () => {
    const { all, clock, push, service } = several(2);
    const [one, two] = all;
    if (one === undefined || two === undefined) throw new Error("two");
    Object.assign(two.file, { sources: { edge: { git: "https://git.example.com/edge.git", poll: "30m" } } });
    await one.begin();
    await two.begin();
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
    await one.begin();
    await two.begin();
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
    for (const each of all) await each.begin();
    const orphaned = () => database.history.filter(({ outcome }) => outcome === "orphaned");
    await clock.sleep(60 * minute);
    expect(orphaned()).toEqual([]);
    await one?.end();
    await clock.sleep(9 * minute);
    expect(orphaned()).toEqual([]);
    await clock.sleep(15 * minute);
    expect(orphaned().map(({ stack }) => stack)).toEqual(["d"]);
  });

  it("say once that the database is gone, pass nothing meanwhile, and go on when it is back", async () => {
    const { all, clock, database } = several(1);
    const [one] = all;
    await one?.begin();
    await clock.sleep(2 * minute);
    database.turn(false);
    one?.looked();
    await clock.sleep(30 * minute);
    expect(one?.named("store-failed")).toHaveLength(1);
    expect(one?.looked()).toEqual([]);
    database.turn(true);
    await clock.sleep(2 * minute);
    expect(one?.named("store-recovered")).toHaveLength(1);
    expect(one?.named("bug")).toEqual([]);
    expect(new Set(one?.looked())).toEqual(new Set(names));
  });
});
