import { EdgewiseError } from "../../../core/errors.js";
import type { AccountRecord, SourceRecord, StackRecord } from "../../records.js";
import {
  type StateFormat,
  accountFormat,
  damageWords,
  outboxFormat,
  parseState,
  recordKey,
  renderHistory,
  renderState,
  sourceFormat,
  stackFormat,
} from "../state-formats.js";
import type { Saved, StoredChanges, StoredState } from "../store.js";
import { type HeldClaim, lockedKeys } from "./account-claims.js";
import type { DatabaseLink } from "./database-link.js";

interface RecordRow {
  readonly name: string;
  readonly record: string;
  readonly seq: string;
}

const pageSize = 2000;

// One save is one statement, so all of it happens or nothing. It holds the account's row: another process that takes the
// account over comes before, and then nothing is saved, or after.
const numbered = "numbered as (update edgewise.counter set value = value + 1 returning value)";
const stamps = "record = excluded.record, seq = excluded.seq, writer = excluded.writer";
const saveStatement = `
  with held as materialized (
    select from edgewise.account_lock where key = $1::bigint and holder = $2 for share
  ), allowed as materialized (
    select where $1::bigint is null or exists (select from held)
  ), ${numbered}, stacks as (
    insert into edgewise.stack as t (name, record, seq, writer)
    select g.name, g.record, numbered.value, $3 from unnest($4::text[], $5::text[]) as g (name, record), allowed, numbered
    on conflict (name) do update set ${stamps} where $1::bigint is not null or t.seq = $6::bigint
    returning seq
  ), accounts as (
    insert into edgewise.account as t (name, record, seq, writer)
    select g.name, g.record, numbered.value, $3 from unnest($7::text[], $8::text[]) as g (name, record), allowed, numbered
    on conflict (name) do update set ${stamps}
  ), done as materialized (
    select from allowed where cardinality($4::text[]) = 0 or exists (select from stacks)
  ), history as (
    insert into edgewise.history (stack, at, entry)
    select e.stack, e.at, e.entry from unnest($9::text[], $10::timestamptz[], $11::text[])
      with ordinality as e (stack, at, entry, position), done order by e.position
  ), outbox as (
    insert into edgewise.outbox (receiver, subject, entry)
    select o.receiver, o.subject, o.entry from unnest($12::text[], $13::text[], $14::text[])
      with ordinality as o (receiver, subject, entry, position), done order by o.position
  )
  select (select value from numbered)::text as seq from done`;

const saveSourceStatement = `
  with ${numbered} insert into edgewise.source as t (name, record, seq, writer, followed)
    select $1, $2, numbered.value, $3, $4 from numbered
    on conflict (name) do update set ${stamps}, followed = excluded.followed
    where t.followed is not distinct from $5 returning name`;

interface Table<T> {
  readonly table: string;
  readonly format: StateFormat<T>;
  readonly damaged: Set<string>;
}

export class PostgresRecords {
  readonly #stacks: Table<StackRecord> = { table: "stack", format: stackFormat, damaged: new Set() };
  readonly #accounts: Table<AccountRecord> = { table: "account", format: accountFormat, damaged: new Set() };
  readonly #sources: Table<SourceRecord> = { table: "source", format: sourceFormat, damaged: new Set() };
  readonly #damaged = new Map<string, string>();
  readonly #seqs = new Map<string, string>();
  #read: { readonly link: DatabaseLink; readonly seq: string } | null = null;
  readonly #dead = new Set<string>();

  constructor(private readonly own: string) {}

  async load(link: DatabaseLink): Promise<StoredState> {
    this.#read = null;
    const { accounts, sources, stacks } = await this.changes(link);
    const byName = <T extends { readonly name: string }>(records: readonly T[]): ReadonlyMap<string, T> =>
      new Map(records.map((record) => [record.name, record]));
    return { stacks: byName(stacks), accounts: byName(accounts), sources: byName(sources), damaged: this.#damaged };
  }

  /** Everything, when another server may answer. */
  async changes(link: DatabaseLink): Promise<StoredChanges> {
    const since = this.#read?.link === link ? this.#read.seq : null;
    const [counter] = await link.run<{ value: string }>("select value from edgewise.counter");
    const stacks = await this.#news(link, this.#stacks, since);
    const accounts = await this.#news(link, this.#accounts, since);
    const sources = await this.#news(link, this.#sources, since);
    this.#read = { link, seq: counter?.value ?? "0" };
    return { stacks, accounts, sources, abandoned: await this.#abandoned(link) };
  }

  async save(link: DatabaseLink, saved: Saved, claim: HeldClaim | null): Promise<boolean> {
    const { history, outbox } = saved;
    const stacks = saved.stacks.filter(({ name }) => !this.#stacks.damaged.has(name));
    const accounts = saved.accounts.filter(({ name }) => !this.#accounts.damaged.has(name));
    const rows = await link.run<{ seq: string }>(saveStatement, [
      claim?.keys[0] ?? null,
      claim?.token ?? null,
      this.own,
      stacks.map(({ name }) => name),
      stacks.map((record) => renderState(record, stackFormat)),
      this.#seqs.get(stacks[0]?.name ?? "") ?? "0",
      accounts.map(({ name }) => name),
      accounts.map((record) => renderState(record, accountFormat)),
      history.map(({ stack }) => stack),
      history.map(({ at }) => at),
      history.map(renderHistory),
      outbox.map(({ receiver }) => receiver),
      outbox.map(({ notification: { account: name, stack } }) => stack ?? `account ${name}`),
      outbox.map((entry) => renderState(entry, outboxFormat)),
    ]);
    const seq = rows[0]?.seq;
    if (seq === undefined && claim !== null)
      throw new EdgewiseError(
        "io",
        `nothing is saved of the account ${claim.account}: another process holds it by now`,
        {
          remedy: "That process looks at it. Check the database if this stays.",
        },
      );
    if (seq !== undefined) for (const { name } of stacks) this.#seqs.set(name, seq);
    return seq !== undefined;
  }

  async saveSource(link: DatabaseLink, record: SourceRecord, before: SourceRecord | null): Promise<boolean> {
    const { followed, name } = record;
    if (this.#sources.damaged.has(name)) return true;
    const text = renderState(record, sourceFormat);
    const values = [name, text, this.own, followed, before?.followed ?? null];
    return (await link.run(saveSourceStatement, values)).length > 0;
  }

  forget(name: string): void {
    this.#seqs.delete(name);
  }

  async #news<T extends { readonly name: string }>(
    link: DatabaseLink,
    { damaged, format, table }: Table<T>,
    since: string | null,
  ): Promise<readonly T[]> {
    const records: T[] = [];
    const gone = new Set(damaged);
    for (let after: string | null = ""; after !== null;) {
      const rows: readonly RecordRow[] = await link.run<RecordRow>(
        `select name, record, seq from edgewise.${table} where name > $1
          and ($2::bigint is null or seq > $2::bigint and writer <> $3 or name = any($4)) order by name limit $5`,
        [after, since, this.own, [...gone], pageSize],
      );
      for (const { name, record: text, seq } of rows) {
        const where = `the record of the ${format.sort} ${name} in the database ${link.database}`;
        const record = parseState(text, where, format, "use another database");
        gone.delete(name);
        damaged.delete(name);
        this.#damaged.delete(recordKey(format.sort, name));
        if (table === "stack") this.#seqs.set(name, seq);
        // A row that was copied to another name speaks of another one.
        if (record?.name === name) records.push(record);
        else {
          damaged.add(name);
          this.#damaged.set(recordKey(format.sort, name), damageWords(where, format.sort));
        }
      }
      after = rows.length < pageSize ? null : (rows.at(-1)?.name ?? null);
    }
    for (const name of gone) {
      damaged.delete(name);
      this.#damaged.delete(recordKey(format.sort, name));
    }
    return records;
  }

  async #abandoned(link: DatabaseLink): Promise<readonly string[]> {
    const rows = await link.run<{ account: string; holder: string }>(
      `select a.account, a.holder from edgewise.account_lock a
        where a.holder is not null and not exists (select from (${lockedKeys}) k where k.key = a.key)`,
    );
    const news = rows.filter(({ holder }) => !this.#dead.has(holder));
    this.#dead.clear();
    for (const { holder } of rows) this.#dead.add(holder);
    return [...new Set(news.map(({ account }) => account))];
  }
}
