import { createHash } from "node:crypto";
import { accountIdentity } from "../../fleet/fleet.js";
import type { FleetAccount } from "../../fleet/fleet.js";

/**
 * The keys of an account's two locks, each a number of 64 bits, in decimal. The first is of its address and its key's place:
 * two names of one account have one. The second is of its address and its name: a key that is elsewhere for another process,
 * as when fleet files are in different directories, has one. Whoever has both is alone.
 */
export function accountKeys(account: Pick<FleetAccount, "baseUrl" | "key" | "name">): readonly [string, string] {
  const { baseUrl, name } = account;
  return [lockKey(`account ${accountIdentity(account)}`), lockKey(`name ${JSON.stringify([baseUrl, name])}`)];
}

/** Of the lock that the process has that tells receivers. */
export const tellerKey = lockKey("teller");

/** Of the lock of those that change the schema. */
export const migrationKey = lockKey("migration");

function lockKey(what: string): string {
  return createHash("sha256").update(`edgewise ${what}`).digest().readBigInt64BE().toString();
}

/** The keys of 64 bits that sessions of this database have locked, as a query with the columns `key` and `pid`. */
export const lockedKeys = `select (l.classid::bigint << 32) | l.objid::bigint as key, l.pid
  from pg_locks l join pg_database d on d.oid = l.database
  where l.locktype = 'advisory' and l.objsubid = 1 and l.granted and d.datname = current_database()`;
