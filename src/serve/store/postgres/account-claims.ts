import { randomUUID } from "node:crypto";
import { EdgewiseError } from "../../../core/errors.js";
import type { AccountClaim, CurrentRecords, WantedAccount } from "../store.js";
import type { DatabaseLink } from "./database-link.js";
import { type Row, type RunStatement, nameColumn, notDurable, numberOf, textOf } from "./database-rows.js";
import { accountKeys, lockedKeys } from "./lock-keys.js";
import type { LockSession } from "./lock-session.js";
import { othersRequests, withOwnRequests } from "./sent-requests.js";

/** How long nothing is written after a holder that did not give an account back: the request timeout plus 10 s. */
const quietMs = 40_000;

/** So long a row is believed to be there that was there, in milliseconds. */
const rowsMs = 60_000;

/** How many accounts are asked for at once: mostly one of the first is free. */
const candidatesAtOnce = 100;

interface Candidate extends WantedAccount {
  readonly key: string;
  /** See `accountKeys`. */
  readonly second: string;
}

export interface ClaimDeps {
  readonly session: () => LockSession;
  readonly now: () => number;
  readonly answerMs: number;
  /** Reads what is kept of accounts at this moment. */
  readonly readCurrent: (wanted: readonly WantedAccount[], link: DatabaseLink) => Promise<readonly CurrentRecords[]>;
}

/**
 * The accounts that this process holds: each by a lock of its session, which dies with it, and by a word in the account's
 * row that names the holder, which stays and shows the next one that this one did not give it back.
 */
export class AccountClaims {
  readonly #deps: ClaimDeps;
  readonly #process = randomUUID();
  /** By key. Changed only while the session does nothing else. */
  readonly #held = new Map<string, HeldClaim>();
  /** Keys whose rows are there, as far as is known; forgotten now and then, as people can remove them. */
  readonly #known = new Set<string>();
  #knownSince = 0;
  #watched: DatabaseLink | null = null;
  #count = 0;

  constructor(deps: ClaimDeps) {
    this.#deps = deps;
  }

  /** @throws EdgewiseError `io` */
  async claim(wanted: readonly WantedAccount[], most: number): Promise<readonly AccountClaim[]> {
    const link = this.#deps.session().link();
    const claimed: HeldClaim[] = [];
    try {
      await link.session((run) => this.#take(run, link, { wanted, most, claimed }));
      const current = await this.#deps.readCurrent(
        claimed.map(({ wanted: own }) => own),
        link,
      );
      for (const [index, claim] of claimed.entries()) claim.know(current[index] ?? null);
      return claimed;
    } catch (error) {
      // Somebody may have taken the rows away. What was claimed before the failure would be nobody's.
      this.#known.clear();
      await Promise.all(claimed.map((claim) => claim.release(0)));
      throw error;
    }
  }

  /** The claim under which a stack may be saved. @throws EdgewiseError `io` when there is none */
  holderOfStack(name: string, account: string): HeldClaim {
    const found = [...this.#held.values()];
    const claim = found.find(({ stacks }) => stacks.has(name)) ?? found.find((each) => each.account === account);
    return claim ?? notHeld(`the stack ${name}`);
  }

  /** @throws EdgewiseError `io` when there is none */
  holderOfAccount(name: string): HeldClaim {
    return [...this.#held.values()].find(({ account }) => account === name) ?? notHeld(`the account ${name}`);
  }

  /** Gives up what the session does not hold any more, and what it holds by mistake. */
  async compare(keys: ReadonlySet<string>, run: RunStatement): Promise<void> {
    for (const claim of this.#held.values())
      if (!claim.keys.every((key) => keys.has(key))) claim.lose("its lock is gone");
    const own = new Set([...this.#held.values()].flatMap((claim) => claim.keys));
    for (const key of keys) if (!own.has(key)) await run("select pg_advisory_unlock($1::bigint)", [key]);
  }

  /** Gives up everything at once when the session is lost. */
  #watch(link: DatabaseLink): void {
    if (this.#watched === link) return;
    this.#watched = link;
    const loseAll = (): void => {
      for (const claim of this.#held.values())
        if (claim.link === link) claim.lose("the connection to the database was lost");
    };
    link.lost.addEventListener("abort", loseAll, { once: true });
  }

  /** Forgets what another database may not have. */
  reconnected(): void {
    this.#known.clear();
  }

  async #take(
    run: RunStatement,
    link: DatabaseLink,
    {
      claimed,
      most,
      wanted,
    }: { readonly wanted: readonly WantedAccount[]; readonly most: number; readonly claimed: HeldClaim[] },
  ): Promise<void> {
    this.#watch(link);
    // A session gets its own locks again, and two names may be one account.
    const seen = new Set([...this.#held.values()].flatMap((claim) => claim.keys));
    for (let at = 0; at < wanted.length && claimed.length < most;) {
      const some: Candidate[] = [];
      for (; at < wanted.length && some.length < candidatesAtOnce; at += 1) {
        const each = wanted[at];
        if (each === undefined) continue;
        const [key, second] = accountKeys(each.account);
        if (!seen.has(key) && !seen.has(second)) some.push({ ...each, key, second });
        seen.add(key).add(second);
      }
      if (some.length > 0)
        claimed.push(...(await this.#takeSome(run, link, { candidates: some, most: most - claimed.length })));
    }
  }

  async #takeSome(
    run: RunStatement,
    link: DatabaseLink,
    { candidates, most }: { readonly candidates: readonly Candidate[]; readonly most: number },
  ): Promise<readonly HeldClaim[]> {
    await this.#addRows(run, candidates);
    this.#count += 1;
    const token = `${this.#process} ${this.#count}`;
    const names = candidates.map(({ account }) => nameColumn(account.name));
    const keys = [candidates.map(({ key }) => key), candidates.map(({ second }) => second)];
    const rows = await run(claimStatement, [keys[0], most, token, quietMs, names, keys[1]]);
    const taken = new Map(rows.map((row) => [textOf(row, "key"), row]));
    return candidates.flatMap((candidate) => {
      const [row, second] = [taken.get(candidate.key), taken.get(candidate.second)];
      return row === undefined || second === undefined ? [] : [this.#hold(candidate, [row, second], { token, link })];
    });
  }

  #hold(
    { key, second, ...wanted }: Candidate,
    rows: readonly [Row, Row],
    { link, token }: { readonly token: string; readonly link: DatabaseLink },
  ): HeldClaim {
    const quietUntil = Math.ceil(Math.max(...rows.map((row) => numberOf(row, "quiet_until"))));
    const sent = textOf(rows[0], "sent");
    const now = this.#deps.now();
    const claim = new HeldClaim(wanted, {
      keys: [key, second],
      token,
      link,
      quietUntil: quietUntil > now ? quietUntil : 0,
      sentByOthers: othersRequests(sent, this.#process, now),
      isProven: () => link.answeredWithin(this.#deps.answerMs),
      ask: () => this.#deps.session().beat(),
      isHeld: () => this.#held.get(key) === claim,
      ended: () => {
        if (this.#held.get(key) === claim) this.#held.delete(key);
      },
      sentWith: (count) => withOwnRequests(sent, { process: this.#process, count, now: this.#deps.now() }),
    });
    this.#held.set(key, claim);
    return claim;
  }

  async #addRows(run: RunStatement, candidates: readonly Candidate[]): Promise<void> {
    const now = performance.now();
    if (now - this.#knownSince > rowsMs) {
      this.#known.clear();
      this.#knownSince = now;
    }
    const rows = candidates.flatMap(({ account: { name }, key, second }) => [
      { key, name },
      { key: second, name },
    ]);
    // In one order everywhere: two that wait for each other's rows would wait forever.
    const missing = rows.filter(({ key }) => !this.#known.has(key)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    if (missing.length === 0) return;
    await run(
      `insert into edgewise.account_lock (key, account) select * from unnest($1::bigint[], $2::text[])
        on conflict do nothing`,
      [missing.map(({ key }) => key), missing.map(({ name }) => nameColumn(name))],
    );
    for (const { key } of missing) this.#known.add(key);
  }
}

interface Hold {
  readonly keys: readonly [string, string];
  readonly token: string;
  readonly link: DatabaseLink;
  readonly quietUntil: number;
  readonly sentByOthers: number;
  /** Whether an answer of the session is young enough. */
  readonly isProven: () => boolean;
  readonly ask: () => Promise<void>;
  readonly isHeld: () => boolean;
  readonly ended: () => void;
  /** What is kept of requests, with so many of this process. */
  readonly sentWith: (count: number) => string;
}

/** An account that this process holds, until it is released or lost. */
export class HeldClaim implements AccountClaim {
  readonly account: string;
  readonly quietUntil: number;
  readonly sentByOthers: number;
  /** Of its locks. */
  readonly keys: readonly [string, string];
  /** Names this claim in the account's rows. */
  readonly token: string;
  readonly stacks: ReadonlySet<string>;
  readonly #hold: Hold;
  readonly #lost = new AbortController();
  #current: CurrentRecords | null = null;
  #released = false;

  constructor(
    readonly wanted: WantedAccount,
    hold: Hold,
  ) {
    this.account = wanted.account.name;
    this.stacks = new Set(wanted.stacks);
    this.keys = hold.keys;
    this.token = hold.token;
    this.quietUntil = hold.quietUntil;
    this.sentByOthers = hold.sentByOthers;
    this.#hold = hold;
  }

  get current(): CurrentRecords | null {
    return this.#current;
  }

  /** The connections that it lives with. */
  get link(): DatabaseLink {
    return this.#hold.link;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  know(current: CurrentRecords | null): void {
    this.#current = current;
  }

  lose(why: string): void {
    this.#hold.ended();
    if (!this.#released) this.#lost.abort(lostClaim(this.account, why));
  }

  async assertHeld(): Promise<void> {
    this.#assert();
    if (this.#hold.isProven()) return;
    await this.#hold.ask().catch((cause: unknown) => {
      this.#assert();
      throw lostClaim(this.account, cause instanceof Error ? cause.message : String(cause));
    });
    this.#assert();
  }

  isHeld(): boolean {
    return !this.#released && !this.lost.aborted && this.#hold.isProven();
  }

  async release(sent: number): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    const { ended, isHeld, keys, link, sentWith, token } = this.#hold;
    await link
      .session(async (run) => {
        // Without its word the next holder waits; with the lock there would be none.
        await run(releaseStatement, [keys, token, sentWith(sent)]).catch(() => undefined);
        // A lock that was lost may have been taken anew since.
        if (isHeld()) await run("select pg_advisory_unlock(key) from unnest($1::bigint[]) key", [keys]);
        ended();
      })
      .catch(() => ended());
  }

  #assert(): void {
    if (this.#released) throw lostClaim(this.account, "it was given back");
    this.#lost.signal.throwIfAborted();
  }
}

// What nobody locks is chosen first, so that a lock is taken only of what is then given: in the order that was asked for. A
// time that is further away than it can be was noted before the server's clock was set back. The clock is looked at when
// the locks are there, however long the statement took to get them. Whoever is going to write saves that first, which makes
// the claim durable, too.
const claimStatement = `
  with wanted as (
    select * from unnest($1::bigint[], $6::bigint[], $5::text[]) with ordinality as w (key, second, name, position)
  ), free as materialized (
    select a.key, b.key as second, w.name
    from wanted w join edgewise.account_lock a on a.key = w.key join edgewise.account_lock b on b.key = w.second
    where not exists (select from (${lockedKeys}) k where k.key in (a.key, b.key))
    order by w.position limit $2 for update of a, b skip locked
  ), locked as materialized (
    select f.key, f.second, f.name from free f where pg_try_advisory_lock(f.key) and pg_try_advisory_lock(f.second)
  )
  update edgewise.account_lock a set account = locked.name, holder = $3,
    quiet_until = least(case when a.holder is null then a.quiet_until else 'infinity' end,
      clock_timestamp() + make_interval(secs => $4::float8 / 1000))
  from locked
  where a.key in (locked.key, locked.second) and ${notDurable}
  returning a.key::text as key, a.sent,
    greatest(extract(epoch from greatest(a.quiet_until, 'epoch')) * 1000, 0)::float8 as quiet_until`;

// Lost with the server's power, it makes the next holder wait, as after a kill.
const releaseStatement = `
  update edgewise.account_lock set holder = null, sent = $3
  where key = any($1::bigint[]) and holder = $2 and ${notDurable}`;

function lostClaim(account: string, why: string): EdgewiseError {
  return new EdgewiseError("io", `nothing is written: the account ${account} is not held any more: ${why}`, {
    remedy: "Another process looks at it, or this one again when it can. Check the database if this stays.",
  });
}

function notHeld(what: string): never {
  throw new EdgewiseError("io", `${what} is not saved: this process does not hold its account`, {
    remedy: "The process that holds it looks at it. Check the database if this stays.",
  });
}
