import { onTestFinished } from "vitest";
import type { FleetAccount } from "../../../../src/serve/fleet/fleet.ts";
import type { LinkOptions } from "../../../../src/serve/store/postgres/database-link.ts";
import { type PostgresStore, openPostgresStore } from "../../../../src/serve/store/postgres/postgres-store.ts";
import { accountWith } from "../../../serve/fleet/fleet-data.ts";

export const place = { cwd: "/", env: {} };

export const quick = { beatMs: 50, answerMs: 30_000, idleMs: 60_000, retryMs: 100 };

export async function openStore(url: string, options: Partial<LinkOptions> = {}): Promise<PostgresStore> {
  const store = await openPostgresStore({ url, place, times: quick, ...options });
  onTestFinished(() => store.close());
  return store;
}

export function wanted(name: string, key = name): FleetAccount {
  return accountWith({ name, key: { file: `/run/secrets/${key}` } });
}

export { claimOne, save } from "../../../serve/store/store-contract.ts";

export async function eventually(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}
