import { randomBytes } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import { queryDatabase } from "../../support/fleet/query-database.ts";
import { type PostgresServer, createServerFiles } from "./postgres-programs.ts";

export interface TestDatabases {
  server(): PostgresServer | null;
  create(options?: string): Promise<string>;
  query(
    url: string,
    text: string,
    values?: readonly unknown[],
  ): Promise<readonly { readonly [column: string]: unknown }[]>;
}

/**
 * Starts a server before the tests of this file and removes it after them, or uses the one that `EDGEWISE_TEST_DATABASE`
 * (a superuser's URL) names.
 */
export function useDatabases(own = false): TestDatabases {
  const given = own ? undefined : process.env["EDGEWISE_TEST_DATABASE"];
  let server: PostgresServer | null = null;
  const made: string[] = [];
  const base = (): string => given ?? `postgres://postgres:postgres@127.0.0.1:${server?.port ?? 0}/postgres`;
  beforeAll(async () => {
    if (given !== undefined) return;
    server = await createServerFiles();
    await server.start();
  });
  afterAll(async () => {
    if (given === undefined) await server?.remove();
    else for (const name of made) await queryDatabase(base(), `drop database if exists ${name} with (force)`);
  });
  return {
    server: () => server,
    create: async (options = "") => {
      const name = `edgewise_${randomBytes(6).toString("hex")}`;
      made.push(name);
      await queryDatabase(base(), `create database ${name} ${options}`);
      const url = new URL(base());
      url.pathname = `/${name}`;
      return url.href;
    },
    query: queryDatabase,
  };
}
