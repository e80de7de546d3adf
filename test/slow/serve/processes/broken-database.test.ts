import { describe, expect, it } from "vitest";
import { queryDatabase } from "../../../support/fleet/query-database.ts";
import { useDatabases } from "../../support/postgres.ts";
import { eventually, meanwhile, openWorld, settleMs } from "./open-world.ts";

const databases = useDatabases(true);

describe("processes whose database fails", () => {
  it("write nothing while it is full, and everything when there is room again", async () => {
    const world = await openWorld(databases, { accounts: ["a", "b"] });
    const all = [world.start(), world.start()];
    expect(await world.settle(settleMs)).toEqual([]);
    world.writes.splice(0);
    await queryDatabase(
      world.database,
      `create function public.full_disk() returns trigger language plpgsql as $$ begin
         raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
       create trigger full_disk before insert or update on edgewise.stack execute function public.full_disk()`,
    );
    await world.push(501);
    await eventually(() => all.some((one) => one.events("store-failed").length > 0));
    await meanwhile(1500);
    expect(world.writes).toEqual([]);
    await queryDatabase(world.database, "drop trigger full_disk on edgewise.stack");
    expect(await world.settle(settleMs)).toEqual([]);
    expect(await world.wrongWriters()).toEqual([]);
    expect(all.map((one) => one.over)).toEqual([false, false]);
    expect(
      all
        .flatMap((one) => one.events("store-failed"))
        .map(({ message }) => message)
        .join(),
    ).toContain("No space left");
    expect(world.wrongWords()).toEqual([]);
  });

  it("stay while it is stopped, say so, and look at everything again when it is back", async () => {
    const world = await openWorld(databases, { accounts: ["a", "b"] });
    const all = [world.start(), world.start()];
    expect(await world.settle(settleMs)).toEqual([]);
    world.writes.splice(0);
    await databases.server()?.stop();
    for (const one of all) await one.until("store-failed");
    for (const one of all) await eventually(async () => (await one.ask("/readyz")).status === 503);
    for (const one of all) expect((await one.ask("/healthz")).status).toBe(200);
    expect(world.writes).toEqual([]);
    await databases.server()?.start();
    for (const one of all) await one.until("store-recovered");
    const looked = new Date().toISOString();
    await eventually(async () => {
      const shown = (await Promise.all(all.map((one) => one.stacks()))).flat();
      const began = Date.parse(looked);
      return shown.every(({ ageSeconds }) => ageSeconds !== null && Date.now() - ageSeconds * 1000 > began);
    });
    for (const one of all) await eventually(async () => (await one.ask("/readyz")).status === 200);
    for (const one of all) one.child.kill("SIGTERM");
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0]);
    expect(await world.wrongWriters()).toEqual([]);
    expect(world.wrongWords()).toEqual([]);
  });
});
