import { onTestFinished } from "vitest";
import { watchHolders } from "../../../support/fleet/holders.ts";
import { queryDatabase } from "../../../support/fleet/query-database.ts";
import { ServedWorld, type WorldOptions } from "../../../support/fleet/served-world.ts";
import type { TestDatabases } from "../../support/postgres.ts";

const rolePassword = "the-password/that nobody@may:see";

async function withOwnRole(superuser: string): Promise<string> {
  await queryDatabase(
    superuser,
    `do $$ begin
       if not exists (select from pg_roles where rolname = 'edge') then create role edge superuser login; end if;
     end $$;
     alter role edge password '${rolePassword}'`,
  );
  const url = new URL(superuser);
  url.username = "edge";
  url.password = encodeURIComponent(rolePassword);
  return url.href;
}

/** A fleet of its own on an empty database, until the end of the test. */
export async function openWorld(
  databases: TestDatabases,
  { watched = true, ...options }: Omit<WorldOptions, "database"> & { readonly watched?: boolean } = {},
): Promise<ServedWorld> {
  const database = await withOwnRole(await databases.create());
  if (watched) await watchHolders(database);
  const world = await ServedWorld.open({ database, ...options });
  onTestFinished(() => world.close());
  return world;
}

/** How long all processes may take until they agree, which is seconds where nothing else goes on. */
export const settleMs = 200_000;

/** Waits until something is so; the test's own limit ends it otherwise. */
export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 25));
}

export async function meanwhile(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
