import type { AccountRecord, SourceRecord, StackRecord } from "../../records.js";
import type { CurrentRecords, StoredChanges, StoredState, WantedAccount } from "../store.js";
import { type Row, type RunStatement, nameColumn, nameInColumn, numberOf, textOf } from "./database-rows.js";
import { lockedKeys } from "./lock-keys.js";
import type { Versioned } from "./known-rows.js";
import { RecordReader } from "./record-table.js";
import { accountTable, sourceTable, stackTable } from "./record-sorts.js";

/** Reads the records, and knows which versions of them this process has seen. */
export class StoredRecords {
  readonly stacks: RecordReader<StackRecord>;
  readonly accounts: RecordReader<AccountRecord>;
  readonly sources: RecordReader<SourceRecord>;
  readonly #damaged = new Map<string, string>();
  /** The snapshot of the last reading: what it showed is not asked for again, however long a transaction takes. */
  #since = beforeAll;

  /** @param database its name, for messages */
  constructor(database: string) {
    this.stacks = new RecordReader(stackTable, database, this.#damaged);
    this.accounts = new RecordReader(accountTable, database, this.#damaged);
    this.sources = new RecordReader(sourceTable, database, this.#damaged);
  }

  /** Reads everything. @throws EdgewiseError `io` */
  async load(run: RunStatement): Promise<StoredState> {
    const [row] = await run("select pg_current_snapshot()::text as snapshot");
    const since = textOf(row, "snapshot");
    const all = async <T extends { readonly name: string }>(reader: RecordReader<T>): Promise<Map<string, T>> => {
      const records = new Map<string, T>();
      for await (const page of reader.all(run))
        for (const read of page) records.set(read.record.name, latest(reader, read));
      return records;
    };
    const [stacks, accounts] = [await all(this.stacks), await all(this.accounts)];
    const state = { stacks, accounts, sources: await all(this.sources), damaged: this.#damaged };
    this.#since = since;
    return state;
  }

  /** What others changed since the last call. @throws EdgewiseError `io` */
  async changes(run: RunStatement): Promise<StoredChanges> {
    const rows = await run(changesQuery, [this.#since]);
    const of = (sort: string): readonly Row[] => rows.filter((row) => row["sort"] === sort);
    const changes = {
      stacks: await news(run, this.stacks, of("stack")),
      accounts: await news(run, this.accounts, of("account")),
      sources: await news(run, this.sources, of("source")),
      abandoned: of("abandoned").flatMap((row) => nameInColumn(textOf(row, "name")) ?? []),
    };
    const [snapshot] = of("snapshot");
    this.#since = textOf(snapshot, "name");
    // This process may have saved some of them meanwhile.
    return {
      ...changes,
      stacks: newest(this.stacks, changes.stacks),
      accounts: newest(this.accounts, changes.accounts),
      sources: newest(this.sources, changes.sources),
    };
  }

  /** What is kept of accounts at this moment. @throws EdgewiseError `io` */
  async current(run: RunStatement, wanted: readonly WantedAccount[]): Promise<readonly CurrentRecords[]> {
    if (wanted.length === 0) return [];
    const rows = await run(currentQuery, [
      wanted.flatMap(({ stacks }) => stacks.map(nameColumn)),
      wanted.map(({ account }) => nameColumn(account.name)),
    ]);
    const of = (sort: string): readonly Row[] => rows.filter((row) => row["sort"] === sort);
    const stacks = await readRows(run, this.stacks, of("stack"));
    const accounts = await readRows(run, this.accounts, of("account"));
    const sources = await readRows(run, this.sources, of("source"));
    return wanted.map(({ account, stacks: names }) => ({
      account: accounts.get(account.name) ?? null,
      stacks: new Map(
        names.flatMap((name) => {
          const record = stacks.get(name);
          return record === undefined ? [] : [[name, record] as const];
        }),
      ),
      sources,
    }));
  }

  /** What is kept of a source; null = nothing. @throws EdgewiseError `io` */
  async source(run: RunStatement, name: string): Promise<SourceRecord | null> {
    const rows = await run("select name, version::text as version from edgewise.source where name = $1", [
      nameColumn(name),
    ]);
    return (await readRows(run, this.sources, rows)).get(name) ?? null;
  }

  /** Reads everything again with the next changes: another server may answer now. */
  forget(): void {
    this.#since = beforeAll;
    for (const { known } of [this.stacks, this.accounts, this.sources]) known.clear();
  }
}

/** The snapshot that shows no transaction at all. */
const beforeAll = "1:1:";

// By the index what a transaction changed that was not over at the last reading, or has begun since; then exactly that.
const isNew = "changed >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(changed, $1::pg_snapshot)";

const changesQuery = `
  select 'snapshot' as sort, pg_current_snapshot()::text as name, '0' as version
  union all select 'stack', name, version::text from edgewise.stack where ${isNew}
  union all select 'account', name, version::text from edgewise.account where ${isNew}
  union all select 'source', name, version::text from edgewise.source where ${isNew}
  union all select 'abandoned', a.account, '0' from edgewise.account_lock a where a.holder is not null
    and not exists (select from (${lockedKeys}) k where k.key = a.key)`;

const currentQuery = `
  select 'stack' as sort, name, version::text as version from edgewise.stack where name = any($1)
  union all select 'account', name, version::text from edgewise.account where name = any($2)
  union all select 'source', name, version::text from edgewise.source`;

/** The records of rows that are newer than what is known. */
async function news<T extends { readonly name: string }>(
  run: RunStatement,
  reader: RecordReader<T>,
  rows: readonly Row[],
): Promise<readonly T[]> {
  const { known, postponed } = reader;
  const names = new Set(postponed);
  for (const row of rows) {
    const name = nameInColumn(textOf(row, "name"));
    if (name !== null && (known.get(name)?.version ?? 0) < numberOf(row, "version")) names.add(name);
  }
  const found: T[] = [];
  for (const { record, version } of await reader.named(run, [...names])) {
    const isNews = (known.get(record.name)?.version ?? 0) < version && !known.isBeingSaved(record.name);
    if (isNews) found.push(latest(reader, { record, version }));
  }
  for (const name of names)
    if (known.isBeingSaved(name) || reader.isDamaged(name)) postponed.add(name);
    else postponed.delete(name);
  return found;
}

function newest<T extends { readonly name: string }>(reader: RecordReader<T>, records: readonly T[]): readonly T[] {
  return records.map((record) => reader.known.get(record.name)?.record ?? record);
}

/** The records of rows, by name: read are those that are newer than what is known. */
async function readRows<T extends { readonly name: string }>(
  run: RunStatement,
  reader: RecordReader<T>,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  const changed: string[] = [];
  for (const row of rows) {
    const name = nameInColumn(textOf(row, "name"));
    if (name === null) continue;
    const known = reader.known.get(name);
    if (known !== undefined && known.version >= numberOf(row, "version")) found.set(name, known.record);
    else changed.push(name);
  }
  for (const read of await reader.named(run, changed)) found.set(read.record.name, latest(reader, read));
  return found;
}

/** The record that counts: of what was read, and of what this process has known meanwhile. */
function latest<T extends { readonly name: string }>(reader: RecordReader<T>, read: Versioned<T>): T {
  reader.known.learn(read.record.name, read);
  return reader.known.get(read.record.name)?.record ?? read.record;
}
