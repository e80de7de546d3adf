import { createHash, randomBytes } from "node:crypto";
import { poolRemedy, unusableDatabase } from "./database-address.js";
import { type LinkOptions, type RunStatement, DatabaseLink } from "./database-link.js";

/** A step that was released is never changed. */
export type Migration = Readonly<{ version: number; oldestReader: number; sql: string }>;

// Records are text, as `jsonb` has no U+0000. Each save locks the one row of `counter`, so rows become visible in the order
// of their `seq`: what has a higher one than the last that was read was changed since, by the process `writer`.
export const migrations: readonly Migration[] = [
  {
    version: 1,
    oldestReader: 1,
    sql: `
      create table edgewise.account_lock (
        key bigint primary key,
        account text not null,
        holder text,
        quiet_until timestamptz not null default '-infinity',
        sent jsonb not null default '{}'
      );
      create table edgewise.counter (value bigint not null) with (fillfactor = 10);
      insert into edgewise.counter values (0);
      ${["stack", "account", "source"]
        .map(
          (table) => `create table edgewise.${table} (
          name text collate "C" primary key,
          record text not null,
          seq bigint not null,
          writer text not null
        );
        create index ${table}_seq on edgewise.${table} (seq);`,
        )
        .join("\n")}
      alter table edgewise.source add column followed text;
      create table edgewise.plan (stack text collate "C" primary key, plan text not null);
      create table edgewise.history (
        id bigint generated always as identity primary key,
        stack text collate "C" not null,
        at timestamptz not null,
        entry text not null
      );
      create index history_stack on edgewise.history (stack, id desc);
      create index history_at on edgewise.history (at);
      create table edgewise.outbox (
        id bigint generated always as identity primary key,
        receiver text not null,
        subject text not null,
        entry text not null,
        since timestamptz not null default now(),
        claimed_by text,
        claimed_until timestamptz
      );
      create index outbox_receiver on edgewise.outbox (receiver, subject, id)`,
  },
];

const oldestServer = 14;

export async function checkServer({ database, run }: DatabaseLink): Promise<void> {
  const [server] = await run<{ version: number }>(
    "select current_setting('server_version_num')::int / 10000 as version",
  );
  const { version = 0 } = server ?? {};
  if (version < oldestServer)
    throw unusableDatabase(database, `it is PostgreSQL ${version}`, `Use PostgreSQL ${oldestServer} or later.`);
}

/** With PgBouncer's `pool_mode = transaction`, locks would be another's. */
export async function refuseTransactionPooling(one: DatabaseLink, options: LinkOptions): Promise<void> {
  const two = await DatabaseLink.open(options);
  try {
    const key = randomBytes(8).readBigInt64BE().toString();
    const lock = async ({ run }: DatabaseLink) => {
      const sql = "select pg_try_advisory_lock($1::bigint) as got, pg_backend_pid() as pid";
      return (await run<{ got: boolean; pid: number }>(sql, [key]))[0];
    };
    const [first, second] = [await lock(one), await lock(two)];
    // A session gets its own lock again.
    const again = [await lock(one), await lock(one), await lock(two)];
    for (const { run } of [one, two]) await run("select pg_advisory_unlock_all()");
    const isFine = first?.got === true && second?.got === false && second.pid !== first.pid;
    if (isFine && again.every((each, at) => each?.pid === (at < 2 ? first.pid : second.pid))) return;
  } finally {
    await two.close();
  }
  const why = "a pooler gives each transaction another session (PgBouncer with pool_mode = transaction)";
  throw unusableDatabase(one.database, why, poolRemedy);
}

export async function migrate(run: RunStatement, database: string, steps = migrations): Promise<void> {
  if (isUpToDate(await versionsOf(run), database, steps)) return;
  await run("begin");
  try {
    await run("set local lock_timeout = 0");
    await run("set local statement_timeout = 0");
    // In short turns: a statement that takes long would end the connection.
    while (!(await isLocked(run))) await run("select pg_sleep(0.05)");
    await run("create schema if not exists edgewise");
    await run(`create table if not exists edgewise.migration (
      version integer primary key, oldest_reader integer not null, at timestamptz not null default now())`);
    const versions = await versionsOf(run);
    for (const { oldestReader, sql, version } of steps.slice(versions?.newest ?? 0)) {
      await run(sql);
      await run("insert into edgewise.migration (version, oldest_reader) values ($1, $2)", [version, oldestReader]);
    }
    await run("commit");
  } catch (error) {
    await run("rollback").catch(() => undefined);
    throw error;
  }
}

async function isLocked(run: RunStatement): Promise<boolean> {
  const sql = "select pg_try_advisory_xact_lock($1::bigint) as locked";
  return (await run<{ locked: boolean }>(sql, [lockKey("migration")]))[0]?.locked === true;
}

export function lockKey(what: string): string {
  return createHash("sha256").update(`edgewise ${what}`).digest().readBigInt64BE().toString();
}

export async function checkSchema({ database, run }: DatabaseLink): Promise<void> {
  const versions = await versionsOf(run);
  if (isUpToDate(versions, database, migrations)) return;
  const held = versions === null ? "it holds nothing of edgewise" : "an earlier version of edgewise wrote it";
  throw unusableDatabase(database, held, "Start `edgewise serve` with it first.");
}

type SchemaVersions = Readonly<{ newest: number; oldest: number }>;

async function versionsOf(run: RunStatement): Promise<SchemaVersions | null> {
  const [found] = await run<{ found: boolean }>("select to_regclass('edgewise.migration') is not null as found");
  if (found?.found !== true) return null;
  const [row] = await run<SchemaVersions>(
    "select coalesce(max(version), 0) as newest, coalesce(max(oldest_reader), 0) as oldest from edgewise.migration",
  );
  return row ?? null;
}

function isUpToDate(versions: SchemaVersions | null, database: string, steps: readonly Migration[]): boolean {
  const own = steps.at(-1)?.version ?? 0;
  if (versions !== null && versions.oldest > own) {
    const why = `a later version of edgewise has changed its schema (to version ${versions.newest}; this one knows ${own})`;
    throw unusableDatabase(database, why, "Use that version, or another database.");
  }
  return versions !== null && versions.newest >= own;
}
