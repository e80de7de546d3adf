import { randomBytes, randomUUID } from "node:crypto";
import { EdgewiseError } from "../../../core/errors.js";
import type { Plan } from "../../../plan/plan-format.js";
import type { FleetAccount } from "../../fleet/fleet.js";
import type { OutboxEntry } from "../../notify/notification.js";
import type { HistoryEntry, SourceRecord } from "../../records.js";
import { noPlaceInHistory, outboxFormat, parseHistory, parsePlan, parseState } from "../state-formats.js";
import type { AccountClaim, HistoryPage, Saved, ServeStore, StoredChanges, StoredState } from "../store.js";
import { AccountClaims } from "./account-claims.js";
import { type LinkOptions, DatabaseLink, LockSession } from "./database-link.js";
import { PostgresRecords } from "./postgres-records.js";
import { checkSchema, checkServer, migrate } from "./database-schema.js";

export async function openPostgresStore(options: LinkOptions): Promise<PostgresStore> {
  const connect = async (signal?: AbortSignal): Promise<DatabaseLink> => {
    const link = await DatabaseLink.open(options, signal);
    const cut = (): void => link.drop(new Error("the connection was closed"));
    signal?.addEventListener("abort", cut, { once: true });
    try {
      await link.session((run) => checkServer(run, link.database));
      await link.session((run) => migrate(run, link.database));
      await refuseTransactionPooling(link);
      return link;
    } catch (error) {
      await link.close();
      throw error;
    } finally {
      signal?.removeEventListener("abort", cut);
    }
  };
  return new PostgresStore(await LockSession.start(connect));
}

export async function readDatabase(
  options: LinkOptions,
): Promise<{ readonly state: StoredState; readonly now: number }> {
  return withLink(options, async (link) => {
    await checkSchema(link.run, link.database);
    const [row] = await link.run<{ time: number }>("select (extract(epoch from now()) * 1000)::float8 as time");
    return { state: await new PostgresRecords("").load(link), now: row?.time ?? 0 };
  });
}

export async function checkDatabase(options: LinkOptions): Promise<void> {
  await withLink(options, async (link) => {
    await checkServer(link.run, link.database);
    await refuseTransactionPooling(link);
  });
}

async function withLink<T>(options: LinkOptions, job: (link: DatabaseLink) => Promise<T>): Promise<T> {
  const link = await DatabaseLink.open(options);
  try {
    return await job(link);
  } finally {
    await link.close();
  }
}

/**
 * Refuses a pooler that gives each transaction another session, as PgBouncer does with `pool_mode = transaction`: a lock
 * of a session would be another process's.
 */
async function refuseTransactionPooling(link: DatabaseLink): Promise<void> {
  const key = randomBytes(8).readBigInt64BE().toString();
  const lock = "select pg_try_advisory_lock($1::bigint) as got, pg_backend_pid() as pid";
  const pid = "select pg_backend_pid() as pid";
  await link.session(async (one) => {
    const pidOf = async (run: typeof one): Promise<number> => (await run<{ pid: number }>(pid))[0]?.pid ?? 0;
    const [first] = await one<{ got: boolean; pid: number }>(lock, [key]);
    const [second] = await link.run<{ got: boolean; pid: number }>(lock, [key]);
    let isFine = first?.got === true && second?.got === false && second.pid !== first.pid;
    // With one session for both, a question beside an open transaction would never be answered.
    if (isFine) {
      // An open transaction keeps the session that served last: the first connection then gets another.
      await link.run("begin");
      const pids = [await pidOf(one)];
      await link.run("rollback");
      pids.push(await pidOf(one), await pidOf(one));
      isFine = pids.every((each) => each === first?.pid) && (await pidOf(link.run)) === second?.pid;
    }
    for (const run of [one, link.run]) await run("select pg_advisory_unlock_all()");
    if (isFine) return;
    throw new EdgewiseError(
      "io",
      `the database ${link.database} can't be used: a pooler between gives each transaction another session (PgBouncer with ` +
        "pool_mode = transaction), and what keeps two processes from writing at once are locks of a session",
      { remedy: "Connect to PostgreSQL itself, or to a pool with pool_mode = session." },
    );
  });
}

const pruned = 10_000;

export class PostgresStore implements ServeStore {
  readonly shared = true;
  readonly #process = randomUUID();
  readonly #claims: AccountClaims;
  readonly #records = new PostgresRecords(this.#process);

  constructor(readonly clock: LockSession) {
    this.#claims = new AccountClaims(clock, this.#process);
  }

  get database(): string {
    return this.clock.link().database;
  }

  async load(): Promise<StoredState> {
    return this.#records.load(this.clock.link());
  }

  async changes(): Promise<StoredChanges> {
    return this.#records.changes(this.clock.link());
  }

  claim(wanted: readonly FleetAccount[]): Promise<readonly AccountClaim[]> {
    return this.#claims.claim(wanted);
  }

  async save(saved: Saved, claim: AccountClaim | null): Promise<boolean> {
    const held = claim === null ? null : this.#claims.heldAs(claim);
    return this.#records.save(held?.link ?? this.clock.link(), saved, held);
  }

  async saveSource(record: SourceRecord, before: SourceRecord | null): Promise<boolean> {
    return this.#records.saveSource(this.clock.link(), record, before);
  }

  async forgetStack(name: string): Promise<void> {
    await this.clock
      .link()
      .run(`with plan as (delete from edgewise.plan where stack = $1) delete from edgewise.stack where name = $1`, [
        name,
      ]);
    this.#records.forget(name);
  }

  async savePlan(stack: string, plan: Plan | null): Promise<void> {
    const sql =
      plan === null
        ? "delete from edgewise.plan where stack = $1"
        : "insert into edgewise.plan (stack, plan) values ($1, $2) on conflict (stack) do update set plan = excluded.plan";
    await this.clock.link().run(sql, plan === null ? [stack] : [stack, JSON.stringify(plan)]);
  }

  async readPlan(stack: string): Promise<Plan | null> {
    const { database, run } = this.clock.link();
    const [row] = await run<{ plan: string }>("select plan from edgewise.plan where stack = $1", [stack]);
    return row === undefined ? null : parsePlan(row.plan, stack, `what the database ${database} holds`);
  }

  async readHistory(
    stack: string,
    { after, limit }: { readonly limit: number; readonly after: string | null },
  ): Promise<HistoryPage> {
    if (after !== null && !/^[1-9][0-9]{0,17}$/.test(after)) throw noPlaceInHistory();
    const most = Math.max(1, limit);
    const rows = await this.clock.link().run<{ id: string; entry: string }>(
      `select id, entry from edgewise.history where stack = $1 and ($2::bigint is null or id < $2::bigint)
        order by id desc limit $3`,
      [stack, after, most + 1],
    );
    const page = rows.slice(0, most);
    const entries = page
      .map(({ entry }) => parseHistory(entry))
      .filter((entry): entry is HistoryEntry => entry !== null);
    return { entries, next: rows.length > most ? (page.at(-1)?.id ?? null) : null };
  }

  async prune(history: number, outbox: number): Promise<void> {
    const { run } = this.clock.link();
    await run("delete from edgewise.outbox where since < $1::timestamptz", [new Date(outbox).toISOString()]);
    for (let removed = pruned; removed >= pruned;) {
      const rows = await run(
        `with old as (select id from edgewise.history where at < $1::timestamptz limit $2 for update skip locked)
          delete from edgewise.history h using old where h.id = old.id returning h.id`,
        [new Date(history).toISOString(), pruned],
      );
      removed = rows.length;
    }
  }

  async claimNotification(receiver: string): Promise<(OutboxEntry & { readonly id: string }) | null> {
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
    const entry = parseState(row.entry, `a notification in the database ${database}`, outboxFormat);
    if (entry !== null) return { ...entry, id: row.id };
    await this.removeNotification(row.id);
    return null;
  }

  async removeNotification(id: string): Promise<void> {
    await this.clock.link().run("delete from edgewise.outbox where id = $1", [id]);
  }

  async isUsable(): Promise<boolean> {
    try {
      await this.clock.link().run("select from edgewise.counter");
      return true;
    } catch {
      return false;
    }
  }

  close(): Promise<void> {
    return this.clock.close();
  }
}
