import type { HistoryEntry } from "../../records.js";
import { noPlaceInHistory } from "../history-files.js";
import { isHistoryEntry, parseHistoryLine } from "../state-formats.js";
import type { HistoryPage } from "../store.js";
import { type RunStatement, nameColumn, textOf } from "./database-rows.js";

/** The columns that {@link historyValues} fills. */
export const historyColumns = "stack, at, entry";

/** Entries by column. @throws TypeError when nobody could read one again: that is a bug of the caller */
export function historyValues(entries: readonly HistoryEntry[]): readonly (readonly string[])[] {
  for (const entry of entries)
    if (!isHistoryEntry(entry)) throw new TypeError("a history entry is not what its schema describes");
  return [
    entries.map(({ stack }) => nameColumn(stack)),
    entries.map(({ at }) => at),
    entries.map((entry) => JSON.stringify(entry)),
  ];
}

/** Appends entries in their order, all or none. @throws EdgewiseError `io` */
export async function appendHistoryRows(run: RunStatement, entries: readonly HistoryEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await run(
    `insert into edgewise.history (${historyColumns}) select stack, at, entry
      from unnest($1::text[], $2::timestamptz[], $3::text[]) with ordinality as e (stack, at, entry, position)
      order by position`,
    historyValues(entries),
  );
}

/**
 * A page of a stack's history, newest first. Damaged entries are left out.
 * @throws EdgewiseError `usage`: `after` is not from a page; `io`
 */
export async function readHistoryRows(
  run: RunStatement,
  stack: string,
  { after, limit }: { readonly limit: number; readonly after: string | null },
): Promise<HistoryPage> {
  const most = Math.max(1, limit);
  const entries: HistoryEntry[] = [];
  let last = after === null ? largestId : placeOf(after);
  let from = last;
  for (;;) {
    const rows = await run(
      // `id` alone would be the text in the answer, whose order is another one.
      `select h.id::text as id, h.entry from edgewise.history h
        where h.stack = $1 and h.id < $2::bigint order by h.id desc limit $3`,
      [nameColumn(stack), from, most + 1],
    );
    for (const row of rows) {
      const entry = parseHistoryLine(textOf(row, "entry"));
      from = textOf(row, "id");
      if (entry === null || entry.stack !== stack) continue;
      if (entries.length >= most) return { entries, next: last };
      entries.push(entry);
      last = from;
    }
    if (rows.length <= most) return { entries, next: null };
  }
}

const largestId = "9223372036854775807";

function placeOf(after: string): string {
  if (!/^[1-9][0-9]{0,18}$/.test(after) || BigInt(after) > BigInt(largestId)) throw noPlaceInHistory();
  return after;
}

/** How many entries are removed by one statement, and how often at once: the rest is removed the next time. */
const batch = 10_000;
const mostBatches = 50;

/** Removes entries from before a time, in milliseconds since 1970. @throws EdgewiseError `io` */
export async function pruneHistoryRows(run: RunStatement, before: number): Promise<void> {
  for (let done = 0; done < mostBatches; done += 1) {
    // Other processes may do the same at the same time.
    const removed = await run(
      `with old as (select id from edgewise.history where at < $1::timestamptz limit $2 for update skip locked),
        gone as (delete from edgewise.history h using old where h.id = old.id returning 1)
        select count(*)::text as count from gone`,
      [new Date(before).toISOString(), batch],
    );
    if (Number(textOf(removed[0], "count")) < batch) return;
  }
}
