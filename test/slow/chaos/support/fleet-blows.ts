import { setTimeout as pause } from "node:timers/promises";
import type { FleetProcess } from "../../../support/fleet/fleet-process.ts";
import { queryDatabase } from "../../../support/fleet/query-database.ts";
import type { ServedWorld } from "../../../support/fleet/served-world.ts";
import type { PostgresServer } from "../../support/postgres-programs.ts";
import type { Dice } from "./dice.ts";

/** What blows are struck at. */
export interface Battlefield {
  readonly world: ServedWorld;
  readonly server: PostgresServer;
  readonly database: string;
  readonly dice: Dice;
}

/** What can happen to processes and to their database. */
export const blows = [
  "SIGKILL",
  "SIGKILL",
  "SIGKILL of two",
  "SIGTERM",
  "SIGSTOP for 20 s",
  "SIGSTOP for a moment",
  "connections cut",
  "all connections cut",
  "connections that hang",
  "server restarted",
  "disk full",
] as const;

export type Blow = (typeof blows)[number];

/** Each blow: when it is over, and what was wrong meanwhile, as sentences. */
export const strikes: {
  readonly [blow in Blow]: (field: Battlefield, victim: FleetProcess) => Promise<readonly string[]>;
} = {
  SIGKILL: async (_, { child, ended }) => {
    child.kill("SIGKILL");
    await ended;
    return [];
  },
  "SIGKILL of two": async ({ dice, world }, victim) => {
    const other = dice.pick(world.living);
    for (const { child } of [victim, other]) child.kill("SIGKILL");
    await Promise.all([victim.ended, other.ended]);
    return [];
  },
  SIGTERM: async (_, victim) => {
    // One that has not begun to serve is ended by the signal itself.
    const began = victim.events("serve-started").length > 0;
    victim.child.kill("SIGTERM");
    const exit = await victim.ended;
    return exit === 0 || !began ? [] : [`${victim.name} ended with ${exit} after SIGTERM`];
  },
  "SIGSTOP for 20 s": (_, victim) => stop(victim, 20_000),
  "SIGSTOP for a moment": ({ dice }, victim) => stop(victim, dice.between(100, 4000)),
  "connections cut": async ({ database }, { name }) => {
    await queryDatabase(database, `select pg_terminate_backend(pid) from (${sessions}) s where name = $1`, [name]);
    return [];
  },
  "all connections cut": async ({ database }) => {
    await queryDatabase(database, `select pg_terminate_backend(pid) from (${sessions}) s`);
    return [];
  },
  "connections that hang": async ({ database, dice }, { name }) => {
    const rows = await queryDatabase(database, `select pid from (${sessions}) s where name = $1`, [name]);
    const pids = rows.map(({ pid }) => Number(pid));
    for (const pid of pids) signal(pid, "SIGSTOP");
    await pause(dice.between(2000, 9000));
    for (const pid of pids) signal(pid, "SIGCONT");
    return [];
  },
  "server restarted": async ({ dice, server }) => {
    await server.stop();
    await pause(dice.between(0, 8000));
    await server.start();
    return [];
  },
  "disk full": async ({ database, dice }) => {
    const table = `edgewise.${dice.pick(["stack", "stack", "account", "history", "source", "told", "account_lock"])}`;
    await queryDatabase(
      database,
      `create or replace function public.full_disk() returns trigger language plpgsql as $$ begin
         raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
       create trigger full_disk before insert or update on ${table} execute function public.full_disk()`,
    );
    await pause(dice.between(1000, 10_000));
    await queryDatabase(database, `drop trigger full_disk on ${table}`);
    return [];
  },
};

/** The connections of processes. */
const sessions = `select pid, application_name as name from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name like 'p%'`;

async function stop({ child }: FleetProcess, ms: number): Promise<readonly string[]> {
  child.kill("SIGSTOP");
  await pause(ms);
  child.kill("SIGCONT");
  return [];
}

function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
