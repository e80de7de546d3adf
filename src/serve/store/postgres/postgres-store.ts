import { randomUUID } from "node:crypto";
import { EdgewiseError } from "../../../core/errors.js";
import type { Plan } from "../../../plan/plan-format.js";
import type { FleetAccount } from "../../fleet/fleet.js";
import type { SourceRecord } from "../../records.js";
import {
  type RecordSort,
  type Sorts,
  damageWords,
  noSuchPlace,
  parseHistory,
  parsePlan,
  parseState,
  recordKey,
  renderHistory,
  renderState,
} from "../state-formats.js";
import {
  type AccountClaim,
  type HistoryPage,
  type PageQuery,
  type QueuedNotification,
  type Saved,
  type ServeStore,
  type StoredChanges,
  type StoredState,
  storedState,
} from "../store.js";
import { AccountClaims, lockedKeys } from "./account-claims.js";
import { type LinkOptions, DatabaseLink, LockSession } from "./database-link.js";
import { checkSchema, checkServer, migrate, refuseTransactionPooling } from "./database-schema.js";

export async function openPostgresStore(options: LinkOptions): Promise<PostgresStore> {
  const prepare = async (link: DatabaseLink): Promise<void> => {
    await checkServer(link);
    await migrate(link.run, link.database);
    await refuseTransactionPooling(link, options);
  };
  return new PostgresStore(await LockSession.start((signal) => connect(options, prepare, signal)));
}

export async function readDatabase(options: LinkOptions) {
  const store = new PostgresStore(await LockSession.start(() => connect(options, checkSchema)));
  try {
    return { state: await store.load(), now: store.clock.now() };
  } finally {
    await store.close();
  }
}

export async function checkDatabase(options: LinkOptions): Promise<void> {
  const link = await connect(options, async (one) => {
    await checkServer(one);
    await refuseTransactionPooling(one, options);
  });
  await link.close();
}

async function connect(
  options: LinkOptions,
  prepare: (link: DatabaseLink) => Promise<void>,
  signal?: AbortSignal,
): Promise<DatabaseLink> {
  const link = await DatabaseLink.open(options, signal);
  try {
    await prepare(link);
    return link;
  } catch (error) {
    await link.close();
    throw error;
  }
}

const pageSize = 2000;

// One statement: all of it or nothing. It holds the account's row, so another process takes the account over before or after.
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

export class PostgresStore implements ServeStore {
  readonly shared = true;
  readonly #process = randomUUID();
  readonly #claims: AccountClaims;
  readonly #damaged = new Map<string, string>();
  readonly #damagedNames = new Map<string, string>();
  readonly #seqs = new Map<string, string>();
  #read: Readonly<{ link: DatabaseLink; seq: string }> | null = null;
  #dead = new Set<string>();

  constructor(readonly clock: LockSession) {
    this.#claims = new AccountClaims(clock, this.#process);
  }

  get #run(): DatabaseLink["run"] {
    return this.clock.link().run;
  }

  async load(): Promise<StoredState> {
    this.#read = null;
    return storedState(await this.changes(), this.#damaged);
  }

  /** Everything, when another server may answer. */
  async changes(): Promise<StoredChanges> {
    const link = this.clock.link();
    const since = this.#read?.link === link ? this.#read.seq : null;
    const [counter] = await link.run<{ value: string }>("select value from edgewise.counter");
    const stacks = await this.#changed("stack", link, since);
    const accounts = await this.#changed("account", link, since);
    const sources = await this.#changed("source", link, since);
    this.#read = { link, seq: counter?.value ?? "0" };
    return { stacks, accounts, sources, abandoned: await this.#abandoned(link) };
  }

  claim(wanted: readonly FleetAccount[]): Promise<readonly AccountClaim[]> {
    return this.#claims.claim(wanted);
  }

  async save({ history, outbox, ...saved }: Saved, claim: AccountClaim | null): Promise<boolean> {
    const held = claim === null ? null : this.#claims.heldAs(claim);
    const stacks = saved.stacks.filter(({ name }) => !this.#damaged.has(recordKey("stack", name)));
    const accounts = saved.accounts.filter(({ name }) => !this.#damaged.has(recordKey("account", name)));
    const rows = await (held?.link.run ?? this.#run)<{ seq: string }>(saveStatement, [
      held?.keys[0] ?? null,
      held?.token ?? null,
      this.#process,
      stacks.map(({ name }) => name),
      stacks.map((record) => renderState("stack", record)),
      this.#seqs.get(stacks[0]?.name ?? "") ?? "0",
      accounts.map(({ name }) => name),
      accounts.map((record) => renderState("account", record)),
      history.map(({ stack }) => stack),
      history.map(({ at }) => at),
      history.map(renderHistory),
      outbox.map(({ receiver }) => receiver),
      outbox.map(({ notification: { account, stack } }) => stack ?? `account ${account}`),
      outbox.map((entry) => renderState("outbox", entry)),
    ]);
    const seq = rows[0]?.seq;
    if (seq === undefined && held !== null) {
      const message = `nothing is saved of the account ${held.account}: another process holds it by now`;
      throw new EdgewiseError("io", message, "Check the database if this stays.");
    }
    if (seq !== undefined) for (const { name } of stacks) this.#seqs.set(name, seq);
    return seq !== undefined;
  }

  async saveSource(record: SourceRecord, before: SourceRecord | null): Promise<boolean> {
    const { followed, name } = record;
    if (this.#damaged.has(recordKey("source", name))) return true;
    const values = [name, renderState("source", record), this.#process, followed, before?.followed ?? null];
    return (await this.#run(saveSourceStatement, values)).length > 0;
  }

  async forgetStack(name: string): Promise<void> {
    const sql = `with plan as (delete from edgewise.plan where stack = $1) delete from edgewise.stack where name = $1`;
    await this.#run(sql, [name]);
    this.#seqs.delete(name);
  }

  async savePlan(stack: string, plan: Plan | null): Promise<void> {
    const sql =
      plan === null
        ? "delete from edgewise.plan where stack = $1"
        : "insert into edgewise.plan (stack, plan) values ($1, $2) on conflict (stack) do update set plan = excluded.plan";
    await this.#run(sql, plan === null ? [stack] : [stack, JSON.stringify(plan)]);
  }

  async readPlan(stack: string): Promise<Plan | null> {
    const { database, run } = this.clock.link();
    const [row] = await run<{ plan: string }>("select plan from edgewise.plan where stack = $1", [stack]);
    return row === undefined ? null : parsePlan(row.plan, stack, `what the database ${database} holds`);
  }

  async readHistory(stack: string, { after, limit }: PageQuery): Promise<HistoryPage> {
    if (after !== null && !/^[1-9][0-9]{0,17}$/.test(after)) throw noSuchPlace();
    const most = Math.max(1, limit);
    const rows = await this.#run<{ id: string; entry: string }>(
      `select id, entry from edgewise.history where stack = $1 and ($2::bigint is null or id < $2::bigint)
        order by id desc limit $3`,
      [stack, after, most + 1],
    );
    const page = rows.slice(0, most);
    const entries = page.flatMap(({ entry }) => parseHistory(entry) ?? []);
    return { entries, next: rows.length > most ? (page.at(-1)?.id ?? null) : null };
  }

  async prune(history: number, outbox: number): Promise<void> {
    await this.#run("delete from edgewise.outbox where since < $1::timestamptz", [new Date(outbox).toISOString()]);
    const sql = `delete from edgewise.history where id in
      (select id from edgewise.history where at < $1::timestamptz limit $2 for update skip locked) returning id`;
    while ((await this.#run(sql, [new Date(history).toISOString(), pageSize])).length === pageSize);
  }

  async claimNotification(receiver: string): Promise<QueuedNotification | null> {
    const { database, run } = this.clock.link();
    // What is older about the same stack comes first, also when another process has it.
    const [row] = await run<{ id: string; entry: string }>(
      `update edgewise.outbox set claimed_by = $2, claimed_until = now() + interval '1 minute' where id = (
        select o.id from edgewise.outbox o where o.receiver = $1
          and (o.claimed_until is null or o.claimed_until < now() or o.claimed_by = $2)
          and not exists (select from edgewise.outbox b
            where b.receiver = o.receiver and b.subject = o.subject and b.id < o.id)
        order by o.id limit 1 for update skip locked)
      returning id, entry`,
      [receiver, this.#process],
    );
    if (row === undefined) return null;
    const entry = parseState("outbox", row.entry, `a notification in the database ${database}`);
    if (entry !== null) return { ...entry, id: row.id };
    await this.removeNotification(row.id);
    return null;
  }

  async removeNotification(id: string): Promise<void> {
    await this.#run("delete from edgewise.outbox where id = $1", [id]);
  }

  async isUsable(): Promise<boolean> {
    try {
      await this.#run("select from edgewise.counter");
      return true;
    } catch {
      return false;
    }
  }

  close(): Promise<void> {
    return this.clock.close();
  }

  async #changed<S extends RecordSort>(
    sort: S,
    link: DatabaseLink,
    since: string | null,
  ): Promise<readonly Sorts[S][]> {
    const records: Sorts[S][] = [];
    const damaged = [...this.#damagedNames].filter(([key]) => key.startsWith(`${sort} `)).map(([, name]) => name);
    const gone = new Set(damaged);
    for (let after: string | null = ""; after !== null;) {
      const rows: readonly { name: string; record: string; seq: string }[] = await link.run(
        `select name, record, seq from edgewise.${sort} where name > $1
          and ($2::bigint is null or seq > $2::bigint and writer <> $3 or name = any($4)) order by name limit $5`,
        [after, since, this.#process, damaged, pageSize],
      );
      for (const { name, record: text, seq } of rows) {
        const where = `the record of the ${sort} ${name} in the database ${link.database}`;
        const record = parseState(sort, text, where);
        if (sort === "stack") this.#seqs.set(name, seq);
        // A row that was copied to another name speaks of another one.
        if (record?.name === name) {
          records.push(record);
          continue;
        }
        gone.delete(name);
        this.#damaged.set(recordKey(sort, name), damageWords(where, sort));
        this.#damagedNames.set(recordKey(sort, name), name);
      }
      after = rows.length < pageSize ? null : (rows.at(-1)?.name ?? null);
    }
    for (const name of gone) for (const map of [this.#damaged, this.#damagedNames]) map.delete(recordKey(sort, name));
    return records;
  }

  async #abandoned(link: DatabaseLink): Promise<readonly string[]> {
    const rows = await link.run<{ account: string; holder: string }>(
      `select a.account, a.holder from edgewise.account_lock a
        where a.holder is not null and not exists (select from (${lockedKeys}) k where k.key = a.key)`,
    );
    const known = this.#dead;
    this.#dead = new Set(rows.map(({ holder }) => holder));
    return [...new Set(rows.flatMap(({ account, holder }) => (known.has(holder) ? [] : [account])))];
  }
}
