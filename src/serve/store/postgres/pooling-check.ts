import { randomBytes } from "node:crypto";
import { EdgewiseError } from "../../../core/errors.js";
import type { DatabaseLink } from "./database-link.js";
import { type RunStatement, numberOf, textOf } from "./database-rows.js";

/**
 * Refuses a pooler that gives each transaction another session, as PgBouncer does with `pool_mode = transaction`: a lock
 * of a session would be held by whoever gets that session next. Two connections ask for one lock, turn by turn: it is a
 * session's only when one alone gets it, and each remains with its own session.
 * @throws EdgewiseError `io`
 */
export async function refuseTransactionPooling(first: DatabaseLink, second: DatabaseLink): Promise<void> {
  const key = randomBytes(8).readBigInt64BE().toString();
  await first.session((one) =>
    second.session(async (two) => {
      try {
        const locked = await tryLock(one, key);
        const other = await tryLock(two, key);
        if (!locked.got || other.got || other.pid === locked.pid) throw refusal(first.database);
        // An open transaction keeps the session that served last: the first connection then gets another.
        await two("begin");
        const pids = [await pidOf(one)];
        await two("rollback");
        pids.push(await pidOf(one), await pidOf(one));
        if (pids.some((pid) => pid !== locked.pid) || (await pidOf(two)) !== other.pid) throw refusal(first.database);
      } finally {
        await Promise.allSettled([one, two].map((run) => run("select pg_advisory_unlock_all()")));
      }
    }),
  );
}

async function tryLock(run: RunStatement, key: string): Promise<{ readonly got: boolean; readonly pid: number }> {
  const [row] = await run("select pg_try_advisory_lock($1::bigint)::text as got, pg_backend_pid() as pid", [key]);
  return { got: textOf(row, "got") === "true", pid: numberOf(row, "pid") };
}

async function pidOf(run: RunStatement): Promise<number> {
  const [row] = await run("select pg_backend_pid() as pid");
  return numberOf(row, "pid");
}

function refusal(database: string): EdgewiseError {
  return new EdgewiseError(
    "io",
    `the database ${database} can't be used: a pooler between gives each transaction another session (PgBouncer with ` +
      "pool_mode = transaction), and what keeps two processes from writing at once are locks of a session",
    { remedy: "Connect to PostgreSQL itself, or to a pool with pool_mode = session." },
  );
}
