import { EdgewiseError } from "../../../core/errors.js";
import { type RunStatement, numberOf, textOf } from "./database-rows.js";
import { noRights } from "./database-errors.js";
import { migrationKey } from "./lock-keys.js";
import { type Migration, migrations } from "./migrations.js";

const oldestServer = 14;

/**
 * Refuses a server that the store can't work with.
 * @throws EdgewiseError `io`
 */
export async function checkServer(run: RunStatement, database: string): Promise<void> {
  const [row] = await run(`select current_setting('server_version_num')::int as version,
    current_setting('server_encoding') as encoding, pg_is_in_recovery()::text as standby`);
  const version = Math.floor(numberOf(row, "version") / 10_000);
  if (version < oldestServer)
    throw unusable(database, `it is PostgreSQL ${version}`, `Use PostgreSQL ${oldestServer} or later.`);
  const encoding = textOf(row, "encoding");
  if (encoding !== "UTF8")
    throw unusable(database, `its encoding is ${encoding}`, "Create one with `createdb --encoding=UTF8`.");
  if (textOf(row, "standby") === "true")
    throw unusable(
      database,
      "it is a standby, which can only be read",
      "Connect to the server that can be written to.",
    );
}

/**
 * Brings the schema to what this version of edgewise knows, forward only. Several processes may do so at once. A role that
 * may not create anything can use a schema that is up to date.
 * @param run of one connection, for all
 * @throws EdgewiseError `io`, also when a later version has made it unusable for this one
 */
export async function migrate(
  run: RunStatement,
  database: string,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  if (isUpToDate(await versionsOf(run), database, steps)) return;
  await run("begin");
  try {
    await run("set local lock_timeout = 0");
    await run("set local statement_timeout = 0");
    await lockMigrations(run);
    await run("create schema if not exists edgewise");
    await run(`create table if not exists edgewise.migration (
      version integer primary key, oldest_reader integer not null, at timestamptz not null default now())`);
    const versions = await versionsOf(run);
    if (!isUpToDate(versions, database, steps)) await apply(run, steps.slice(versions?.newest ?? 0));
    await run("commit");
  } catch (error) {
    await run("rollback").catch(() => undefined);
    throw error;
  }
}

/** Waits in short turns: a statement that is not answered in time would end the connection. */
async function lockMigrations(run: RunStatement): Promise<void> {
  for (;;) {
    const [row] = await run(`select pg_try_advisory_xact_lock($1::bigint)::text as locked`, [migrationKey]);
    if (textOf(row, "locked") === "true") return;
    await run("select pg_sleep(0.05)");
  }
}

async function apply(run: RunStatement, steps: readonly Migration[]): Promise<void> {
  for (const { oldestReader, statements, version } of steps) {
    for (const statement of statements) await run(statement);
    await run("insert into edgewise.migration (version, oldest_reader) values ($1, $2)", [version, oldestReader]);
  }
}

/**
 * Refuses a schema that this version can't read, or that is not there.
 * @throws EdgewiseError `io`
 */
export async function checkSchema(run: RunStatement, database: string): Promise<void> {
  const versions = await versionsOf(run);
  if (versions !== null && versions.newest >= 1 && isUpToDate(versions, database, migrations)) return;
  throw unusable(
    database,
    versions === null ? "it holds nothing of edgewise" : "what it holds is from an earlier version of edgewise",
    "Start `edgewise serve` with it first.",
  );
}

/**
 * Refuses a role that could not start, and a schema that a later version has changed; asks, and tries nothing.
 * @throws EdgewiseError `io`
 */
export async function checkRights(run: RunStatement, database: string): Promise<void> {
  const [row] = await run(`select (case
    when to_regnamespace('edgewise') is null then has_database_privilege(current_database(), 'CREATE')
    else has_schema_privilege('edgewise', 'USAGE') and not exists (
      select from pg_class c, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) as r (need)
      where c.relnamespace = to_regnamespace('edgewise')::oid and c.relkind = 'r' and not has_table_privilege(c.oid, r.need))
    end)::text as allowed`);
  if (textOf(row, "allowed") !== "true") throw unusable(database, ...noRights);
  isUpToDate(await versionsOf(run), database, migrations);
}

interface SchemaVersions {
  readonly newest: number;
  /** Programs of this version and later can use it. */
  readonly oldestReader: number;
}

/** Null = there is no schema. */
async function versionsOf(run: RunStatement): Promise<SchemaVersions | null> {
  const [found] = await run("select (to_regclass('edgewise.migration') is not null)::text as found");
  if (textOf(found, "found") !== "true") return null;
  const [row] = await run(
    "select coalesce(max(version), 0) as newest, coalesce(max(oldest_reader), 0) as oldest from edgewise.migration",
  );
  return { newest: numberOf(row, "newest"), oldestReader: numberOf(row, "oldest") };
}

function isUpToDate(versions: SchemaVersions | null, database: string, steps: readonly Migration[]): boolean {
  const own = steps.at(-1)?.version ?? 0;
  if (versions !== null && versions.oldestReader > own)
    throw unusable(
      database,
      `a later version of edgewise has changed its schema (to version ${versions.newest}; this one knows ${own})`,
      "Use that version, or another database.",
    );
  return versions !== null && versions.newest >= own;
}

function unusable(database: string, why: string, remedy: string): EdgewiseError {
  return new EdgewiseError("io", `the database ${database} can't be used: ${why}`, { remedy });
}
