import { describe, expect, it } from "vitest";
import { sentAgain, toldWrongly } from "../../../support/fleet/receiver.ts";
import { watchHolders } from "../../../support/fleet/holders.ts";
import { useDatabases } from "../../support/postgres.ts";
import { violations } from "../../../schemas/all-schemas.ts";
import { eventually, openWorld, settleMs } from "./open-world.ts";

const databases = useDatabases();
const hour = 3_600_000;

describe("processes of one fleet", () => {
  it("start at once on an empty database, share the work, do and tell each thing once, and all show the same", async () => {
    const world = await openWorld(databases, {
      watched: false,
      accounts: ["a", "b", "c"],
      aliases: { again: "c" },
      service: { latencyMs: 5 },
      notify: ["failed", "recovered"],
      // A push is looked at at once. What nobody has looked at for three intervals is shown as unknown.
      defaults: { interval: "10m" },
    });
    const all = [0, hour, -hour].map((skewMs) => world.start({ skewMs }));
    expect(await world.settle(settleMs)).toEqual([]);

    const began = world.commit;
    await watchHolders(world.database);
    world.writes.splice(0);
    await world.push(7);
    await eventually(() => new Set(world.receiver.told.map(({ stack }) => stack)).size === world.stacks.length);
    await world.push(501);
    expect(await world.settle(settleMs)).toEqual([]);
    await eventually(() => world.receiver.told.length >= 2 * world.stacks.length);
    expect(world.writes.map(({ account, method, path }) => `${account} ${method} ${path}`).toSorted()).toEqual(
      [...new Set(world.writes.map(({ account, method, path }) => `${account} ${method} ${path}`))].toSorted(),
    );
    expect(world.writes).toHaveLength(3 * world.stacks.length);
    expect(await world.wrongWriters()).toEqual([]);

    for (const stack of world.stacks) {
      const [first, ...others] = await Promise.all(all.map((one) => one.history(stack)));
      for (const other of others) expect(other).toEqual(first);
      const applies = (first ?? []).filter(({ event }) => event === "apply");
      expect(
        applies.map(({ commit, outcome }) => `${commit} ${outcome}`),
        JSON.stringify([stack, first]),
      ).toEqual([`${world.commit} applied`, `${began} applied`]);
    }
    for (const one of all) one.child.kill("SIGTERM");
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    expect([world.receiver.told.length, sentAgain(world.receiver.told)]).toEqual([2 * world.stacks.length, 0]);
    expect(toldWrongly(world.receiver.told)).toEqual([]);
    expect(world.wrongWords()).toEqual([]);

    const status = world.start({ args: ["--status", "-o", "json"] });
    expect(await status.ended, status.said).toBe(0);
    const shown = JSON.parse(status.said) as { readonly stacks: readonly unknown[] };
    expect(violations("serve-stacks", shown)).toEqual([]);
    expect(shown.stacks).toHaveLength(world.stacks.length);
    expect(shown.stacks[0]).toMatchObject({ state: "synced", commit: world.commit, appliedCommit: world.commit });
    const text = world.start({ args: ["--status", "--no-color"] });
    expect(await text.ended, text.said).toBe(0);
    for (const stack of world.stacks) expect(text.said).toContain(stack);
    const [check, once] = [world.start({ args: ["--check"] }), world.start({ args: ["--once", "-o", "json"] })];
    expect([await check.ended, await once.ended], check.said + once.said).toEqual([0, 0]);
    expect(check.said).toContain("all is well");
    expect(world.wrongWords()).toEqual([]);
    expect(world.writes).toHaveLength(3 * world.stacks.length);
  });

  it("don't begin without a database that they can use, and say why without its password", async () => {
    const world = await openWorld(databases, { watched: false });
    const wrong = new URL(world.database);
    wrong.password = "another-password-of-nobody";
    const nowhere = new URL(world.database);
    nowhere.port = "9";
    for (const [url, said, ...args] of [
      [wrong.href, /password authentication failed/, "--status"],
      [nowhere.href, /ECONNREFUSED/],
      ["", /EDGEWISE_DATABASE is set but empty/, "--status"],
      ["mysql://edge:another-password-of-nobody@127.0.0.1/x", /postgres:\/\//],
    ] as const) {
      const one = world.start({ args, env: { EDGEWISE_DATABASE: url } });
      expect(await one.ended, one.said).toBe(1);
      expect(one.said).toMatch(said);
      expect(one.said).not.toContain("another-password-of-nobody");
    }
    expect(world.wrongWords()).toEqual([]);
    expect(world.writes).toEqual([]);
  });
});
