import { openPostgresStore } from "../../../src/serve/store/postgres/postgres-store.ts";
import type { RecordedWrite } from "./served-world.ts";
import { queryDatabase } from "./query-database.ts";

/** A change of an account's holder, written down by the database itself. */
export interface HolderChange {
  readonly key: string;
  readonly account: string;
  readonly process: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly at: number;
}

/** Makes the tables of an empty database, and lets it write down who holds which account from then on. */
export async function watchHolders(database: string): Promise<void> {
  const store = await openPostgresStore({ url: database, place: { cwd: "/", env: {} } });
  await store.close();
  await queryDatabase(
    database,
    `create table public.holding (id bigint generated always as identity, at timestamptz, key text, account text,
       process text, before text, after text);
     create function public.note_holder() returns trigger language plpgsql as $$ begin
       insert into public.holding (at, key, account, process, before, after) values
         (clock_timestamp(), new.key, new.account, current_setting('application_name'), old.holder, new.holder);
       return new; end $$;
     create trigger note_holder before update on edgewise.account_lock for each row
       when (old.holder is distinct from new.holder) execute function public.note_holder()`,
  );
}

export async function holderChanges(database: string): Promise<readonly HolderChange[]> {
  const rows = await queryDatabase(
    database,
    `select key, account, process, before, after, (extract(epoch from at) * 1000)::float8 as at from public.holding order by id`,
  );
  return rows as unknown as readonly HolderChange[];
}

/** After a takeover so long nothing is written, but for what the dead holder had sent before. */
const quietMs = 40_000;

/** A request of a holder that is cut off arrives within this time, or never. */
const flightMs = 10_000;

/**
 * What is wrong with who wrote when, as sentences: who writes holds the account, and nobody writes to an account whose
 * holder did not give it back until nothing of that one can arrive.
 */
export function wrongWriters(
  writes: readonly RecordedWrite[],
  changes: readonly HolderChange[],
  processOf: (address: string) => string,
): readonly string[] {
  return writes.flatMap((write) => {
    const own = ofSharedLocks(changes.filter(({ account }) => account === write.account));
    const process = processOf(write.from);
    const what = `${process} sent ${write.method} ${write.path} to ${write.account} at ${write.at}`;
    const holding = own.findLast(({ at, after }) => at <= write.at && after !== null);
    if (holding === undefined) return [`${what}, which nobody holds`];
    const wrong: string[] = [];
    const mine = own.findLastIndex(
      (change) => change.process === process && change.at <= write.at && change.after !== null,
    );
    const next = own[mine + 1];
    if (mine < 0) return [`${what}, and never held it`];
    if (next !== undefined && next.at + (next.after === null ? 1000 : flightMs) < write.at)
      wrong.push(
        `${what}, ${write.at - next.at} ms after ${next.process} ${next.after === null ? "gave it back" : "took it over"}`,
      );
    // Takeovers before this one count as well: they kept everybody quiet, too.
    const takeovers = own.filter(({ after, at, before }) => before !== null && after !== null && at <= write.at);
    for (const { at, process: taker } of takeovers) {
      const since = write.at - at;
      const isOfBefore = taker !== process ? since < flightMs : since < 2000;
      if (since < quietMs && !isOfBefore)
        wrong.push(`${what}, ${since} ms after ${taker} took it from who did not give it back`);
    }
    return wrong;
  });
}

/**
 * An account with two names has a lock for each name, and one that all who hold it have: that one says who holds it. A name's
 * lock may still name somebody who died while others have held the account by its other name.
 */
function ofSharedLocks(changes: readonly HolderChange[]): readonly HolderChange[] {
  const holders = (from: readonly HolderChange[]): number =>
    new Set(from.map(({ after }) => after).filter((after) => after !== null)).size;
  const all = holders(changes);
  return changes.filter(({ key }) => holders(changes.filter((change) => change.key === key)) === all);
}
