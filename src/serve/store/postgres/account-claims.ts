import { randomUUID } from "node:crypto";
import { EdgewiseError } from "../../../core/errors.js";
import { type FleetAccount, accountIdentity } from "../../fleet/fleet.js";
import { type AccountClaim, cutOffMs } from "../store.js";
import type { DatabaseLink, LockSession } from "./database-link.js";
import { lockKey } from "./database-schema.js";

export const lockedKeys = `select (l.classid::bigint << 32) | l.objid::bigint as key
  from pg_locks l join pg_database d on d.oid = l.database
  where l.locktype = 'advisory' and l.objsubid = 1 and l.granted and d.datname = current_database()`;

const sentByOthers = `jsonb_each(a.sent) e (process, sent)
  where e.process <> $1 and (e.sent ->> 1)::float8 > extract(epoch from now()) - 60`;

// The row is locked first: two that ask for the same never both find it free. Half an account is given back at once.
const claimStatement = `
  with wanted as (
    select * from unnest($2::bigint[], $3::bigint[], $4::text[]) as w (key, second, name)
  ), free as materialized (
    select a.key, b.key as second, w.name
    from wanted w join edgewise.account_lock a on a.key = w.key join edgewise.account_lock b on b.key = w.second
    where not exists (select from (${lockedKeys}) k where k.key in (a.key, b.key))
    for update of a, b skip locked
  ), locked as materialized (
    select f.*, pg_try_advisory_lock(f.key) as one, pg_try_advisory_lock(f.second) as two from free f
  ), claimed as (
    update edgewise.account_lock a set account = l.name, holder = $5,
      quiet_until = least(case when a.holder is null then a.quiet_until else 'infinity' end,
        clock_timestamp() + make_interval(secs => $6::float8 / 1000))
    from locked l where l.one and l.two and a.key in (l.key, l.second)
    returning a.key, greatest(a.quiet_until, 'epoch') as quiet,
      (select coalesce(sum((e.sent ->> 0)::int), 0)::int from ${sentByOthers}) as sent
  )
  select l.key::text as key, a.sent, (extract(epoch from greatest(a.quiet, b.quiet)) * 1000)::float8 as quiet,
    case when l.one and not l.two then pg_advisory_unlock(l.key)
      when l.two and not l.one then pg_advisory_unlock(l.second) end as given_back
  from locked l left join claimed a on a.key = l.key left join claimed b on b.key = l.second`;

const releaseStatement = `
  update edgewise.account_lock a set holder = null,
    sent = coalesce((select jsonb_object_agg(e.process, e.sent) from ${sentByOthers}), '{}')
      || jsonb_build_object($1::text, jsonb_build_array($4::int, extract(epoch from now())))
  where key = any($2::bigint[]) and holder = $3`;

type HeldClaim = AccountClaim &
  Readonly<{
    keys: readonly [string, string];
    token: string;
    link: DatabaseLink;
  }>;

/** Locks die with the session; the holder's name stays, and shows that they were not given back. */
export class AccountClaims {
  readonly #held = new Map<AccountClaim, HeldClaim>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly lockSession: LockSession,
    private readonly own: string,
  ) {}

  claim(wanted: readonly FleetAccount[]): Promise<readonly AccountClaim[]> {
    const mine = this.#turn.then(async () => {
      const link = this.lockSession.link();
      return this.#take(link, wanted).catch((error: unknown) => {
        // Locks that were taken would be nobody's.
        link.drop(error);
        throw error;
      });
    });
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  heldAs(claim: AccountClaim): HeldClaim {
    return this.#held.get(claim) ?? notHeld(claim.account, new Error("it was given back"));
  }

  async #take(link: DatabaseLink, wanted: readonly FleetAccount[]): Promise<readonly AccountClaim[]> {
    for (const held of this.#held.values()) if (held.link !== link) this.#held.delete(held);
    // A session gets its own locks again, and two names may be one account.
    const seen = new Set([...this.#held.values()].flatMap(({ keys }) => keys));
    const free = wanted.flatMap((account) => {
      const { baseUrl, name } = account;
      const key = lockKey(`account ${accountIdentity(account)}`);
      const second = lockKey(`name ${JSON.stringify([baseUrl, name])}`);
      if (seen.has(key) || seen.has(second)) return [];
      seen.add(key).add(second);
      return [{ account: name, key, second }];
    });
    if (free.length === 0) return [];
    // In one order everywhere, or two would wait for each other.
    await link.run(
      `insert into edgewise.account_lock (key, account)
        select * from unnest($1::bigint[], $2::text[]) as w (key, account) order by key on conflict do nothing`,
      [free.flatMap(({ key, second }) => [key, second]), free.flatMap(({ account }) => [account, account])],
    );
    const token = randomUUID();
    const rows = await link.run<{ key: string; quiet: number | null; sent: number | null }>(claimStatement, [
      this.own,
      free.map(({ key }) => key),
      free.map(({ second }) => second),
      free.map(({ account }) => account),
      token,
      cutOffMs,
    ]);
    return free.flatMap(({ account, key, second }) => {
      const { quiet = null, sent = null } = rows.find((row) => row.key === key) ?? {};
      if (quiet === null || sent === null) return [];
      const claim = this.#hold({ account, keys: [key, second], token, link, sentByOthers: sent }, quiet);
      this.#held.set(claim, claim);
      return [claim];
    });
  }

  #hold(about: Pick<HeldClaim, "account" | "keys" | "token" | "link" | "sentByOthers">, quiet: number): HeldClaim {
    const { account, keys, link, token } = about;
    const isHeld = (): boolean => this.#held.has(claim) && link.isProven();
    const claim: HeldClaim = {
      ...about,
      quietUntil: quiet > this.lockSession.now() ? Math.ceil(quiet) : 0,
      lost: link.lost,
      isHeld,
      assertHeld: async () => {
        this.heldAs(claim);
        if (!isHeld()) await this.lockSession.beat().catch((error: unknown) => notHeld(account, error));
        if (!isHeld()) notHeld(account, link.lost.reason);
      },
      release: async (sent) => {
        if (!this.#held.has(claim)) return;
        try {
          await link.run(releaseStatement, [this.own, keys, token, sent]);
          await link.run("select pg_advisory_unlock(key) from unnest($1::bigint[]) key", [keys]);
        } catch (error) {
          link.drop(error);
        }
        this.#held.delete(claim);
      },
    };
    return claim;
  }
}

function notHeld(account: string, why: unknown): never {
  const said = why instanceof Error ? why.message : "the database is silent";
  const message = `nothing is written: the account ${account} is not held any more: ${said}`;
  throw new EdgewiseError("io", message, "Check the database if this stays.");
}
