import { describe, expect, it } from "vitest";
import { holderChanges } from "../../../support/fleet/holders.ts";
import type { FleetProcess } from "../../../support/fleet/fleet-process.ts";
import { queryDatabase } from "../../../support/fleet/query-database.ts";
import type { ServedWorld } from "../../../support/fleet/served-world.ts";
import { useDatabases } from "../../support/postgres.ts";
import { eventually, openWorld, settleMs } from "./open-world.ts";

const databases = useDatabases(true);
const wide = { accounts: ["a", "b"], backends: 12, service: { latencyMs: 100 }, notify: ["failed", "recovered"] };

/**
 * Does something to the process that sends the so-manieth write to the account a from now on, and returns it. Until that is
 * done, no write is answered.
 */
async function atWrite(
  world: ServedWorld,
  count: number,
  strike: (writer: FleetProcess) => unknown,
): Promise<FleetProcess> {
  const writer = await new Promise<FleetProcess>((resolve) => {
    let left = count;
    let struck: Promise<void> | null = null;
    world.onWrite = ({ account, from }) => {
      const sender = world.processOf(from);
      if (account !== "a" || sender === null) return;
      left -= 1;
      if (left > 0) return;
      struck ??= Promise.resolve(strike(sender)).then(() => resolve(sender));
      return struck;
    };
  });
  world.onWrite = () => undefined;
  return writer;
}

async function isTakenOver(world: ServedWorld, account: string): Promise<boolean> {
  const changes = await holderChanges(world.database);
  return changes.some((one) => one.account === account && one.before !== null && one.after !== null);
}

const shows = (world: ServedWorld, stack: string, expected: RegExp) =>
  eventually(async () => {
    const all = await Promise.all(world.living.map((one) => one.stacks()));
    return all.every((stacks) => expected.test(JSON.stringify(stacks.find(({ name }) => name === stack))));
  });

describe("a process that is cut off while it writes", () => {
  it.each([
    ["killed", (writer: FleetProcess) => void writer.child.kill("SIGKILL")],
    [
      "without its connections",
      (writer: FleetProcess, { database }: ServedWorld) =>
        queryDatabase(
          database,
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()",
          [writer.name],
        ),
    ],
  ])("is followed by one that looks at once and writes nothing yet: %s", async (how, strike) => {
    const world = await openWorld(databases, wide);
    for (let count = 0; count < 2; count += 1) world.start();
    expect(await world.settle(settleMs)).toEqual([]);
    world.writes.splice(0);
    await world.push(501, ["a-one"]);
    const writer = await atWrite(world, 2, (sender) => strike(sender, world));
    // It may have had the other account as well: then nobody writes there for a while either.
    const had = (await holderChanges(world.database)).findLast(({ account }) => account === "b");
    const hadBoth = had !== undefined && had.after !== null && had.process === writer.name;
    await eventually(() => isTakenOver(world, "a"));
    await shows(world, "a-one", /"state":"(?:waiting|pending|failed)"/u);
    expect(world.writes.filter(({ account }) => account === "a").length).toBeLessThan(12);
    await world.push(502, ["b-one"]);
    // On a machine that is busy, the time without writes may be over before it is looked at.
    const goesOn = new RegExp(
      `"state":"${hadBoth ? "(?:pending|synced)" : "synced"}".*"commit":"${world.commit}"`,
      "u",
    );
    await shows(world, "b-one", goesOn);
    expect(await world.wrongWriters()).toEqual([]);
    if (how === "killed") expect(world.living).not.toContain(writer);
    else expect(world.living).toContain(writer);
    expect(world.wrongWords()).toEqual([]);
  });
});
