import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { holderChanges } from "../../../support/fleet/holders.ts";
import { approveChange } from "../../../support/fleet/approve-change.ts";
import type { FleetProcess } from "../../../support/fleet/fleet-process.ts";
import { queryDatabase } from "../../../support/fleet/query-database.ts";
import type { ServedWorld } from "../../../support/fleet/served-world.ts";
import { useDatabases } from "../../support/postgres.ts";
import { eventually, meanwhile, openWorld, settleMs } from "./open-world.ts";

const databases = useDatabases(true);
const wide = { accounts: ["a", "b"], backends: 12, latencyMs: 150, notify: ["failed", "recovered"] };

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

/** Whether an account was taken from a holder that did not give it back. */
async function isTakenOver(world: ServedWorld, account: string): Promise<boolean> {
  const changes = await holderChanges(world.database);
  return changes.some((one) => one.account === account && one.before !== null && one.after !== null);
}

/** Asks again and again what the processes show of a stack, until it is what is expected. */
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
    for (let count = 0; count < 3; count += 1) world.start();
    expect(await world.settle(settleMs)).toEqual([]);
    world.writes.splice(0);
    await world.push(501, ["a-one"]);
    const writer = await atWrite(world, 3, (sender) => strike(sender, world));
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

  it("goes on after a short stop, and nobody takes its place", async () => {
    const world = await openWorld(databases, wide);
    world.start();
    world.start();
    expect(await world.settle(settleMs)).toEqual([]);
    await world.push(501, ["a-one"]);
    const writer = await atWrite(world, 3, (sender) => sender.child.kill("SIGSTOP"));
    await meanwhile(3000);
    writer.child.kill("SIGCONT");
    expect(await world.settle(settleMs)).toEqual([]);
    expect(await isTakenOver(world, "a")).toBe(false);
    expect(await world.wrongWriters()).toEqual([]);
    expect(world.wrongWords()).toEqual([]);
  });

  it("has spent an approval when it died before the first write: nobody spends it again", async () => {
    const world = await openWorld(databases, {
      defaults: { apply: { commit: "none", drift: "never" }, approvers: "approvers" },
      approver: true,
    });
    const [one, two] = [world.start(), world.start()];
    expect(await world.settle(settleMs)).toEqual([]);
    world.writes.splice(0);
    await world.push(501, ["a-one"]);
    await shows(world, "a-one", /"reason":"approval"/u);
    // What is spent is kept for certain, and its process knows nothing of that yet.
    await queryDatabase(
      world.database,
      `create function public.slowly() returns trigger language plpgsql as $$ begin
         insert into public.spent default values; perform pg_advisory_xact_lock(1, 1); return new; end $$;
       create table public.spent (at timestamptz default clock_timestamp());
       create trigger slowly after update on edgewise.stack for each row
         when (new.memory like '%"spending":[{%') execute function public.slowly()`,
    );
    // Until it is killed, and no longer.
    const holding = new pg.Client({ connectionString: world.database });
    onTestFinished(() => holding.end());
    await holding.connect();
    await holding.query("select pg_advisory_lock(1, 1)");
    const [shown] = (await one.stacks()).filter(({ name }) => name === "a-one");
    approveChange(world, "a-one", shown?.digest ?? "");
    const holder = await new Promise<FleetProcess>((resolve) => {
      const look = async (): Promise<void> => {
        const rows = await queryDatabase(
          world.database,
          "select application_name as name from pg_stat_activity where wait_event = 'advisory' and datname = current_database()",
        );
        const found = world.processes.find(({ name }) => name === rows[0]?.["name"]);
        if (found === undefined) return void setTimeout(() => void look(), 25);
        found.child.kill("SIGKILL");
        resolve(found);
      };
      void look();
    });
    await holder.ended;
    await holding.query("select pg_advisory_unlock(1, 1)");
    await queryDatabase(world.database, "alter table edgewise.stack disable trigger slowly");
    await eventually(() => isTakenOver(world, "a"));
    const other = holder === one ? two : one;
    await eventually(async () => {
      const stacks = await other.stacks();
      return stacks.some(({ message, name }) => name === "a-one" && message.includes("nothing is written before"));
    });
    await meanwhile(3000);
    expect(world.writes).toEqual([]);
    // Who spent it died before it could say so, and nobody else did.
    expect(world.processes.flatMap((each) => each.events("approval-spent"))).toEqual([]);
    const [spent] = await queryDatabase(world.database, "select count(*)::int as times from public.spent");
    expect(spent).toEqual({ times: 1 });
    expect(world.wrongWords()).toEqual([]);
  });
});
