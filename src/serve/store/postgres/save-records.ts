import { isDeepStrictEqual } from "node:util";
import { EdgewiseError } from "../../../errors.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "../../records.js";
import { accountFormat, renderState, sourceFormat, stackFormat } from "../state-formats.js";
import type { HeldClaim } from "./account-claims.js";
import { type Row, type RunStatement, nameColumn, numberOf } from "./database-rows.js";
import { historyColumns, historyValues } from "./history-table.js";
import type { KnownRows } from "./known-rows.js";
import { stackHead } from "./record-sorts.js";
import { firstVersion, nextVersion } from "./record-table.js";

// Each save is one statement, so all of it happens or nothing. What needs a claim holds the account's row meanwhile:
// another process that takes the account over comes before all of it, and then nothing is saved, or after.

const held = `held as materialized (
  select from edgewise.account_lock where key = $1::bigint and holder = $2 for share)`;
const stamps = `version = ${nextVersion}, changed = pg_current_xact_id()`;

/** Saves a stack under a claim. @throws EdgewiseError `io`, also when the claim is another process's by now */
export async function saveStackRow(
  run: RunStatement,
  record: StackRecord,
  { claim, known }: { readonly claim: HeldClaim; readonly known: KnownRows<StackRecord> },
): Promise<void> {
  renderState(record, stackFormat);
  const { name } = record;
  const before = known.get(name);
  const params = [claim.key, claim.token, nameColumn(name), stackHead(record)];
  const isSame = before !== undefined && isDeepStrictEqual(before.record.memory, record.memory);
  const looked = isSame
    ? await run(
        `with ${held} update edgewise.stack t set head = $4, ${stamps}
          where name = $3 and version = $5::bigint and exists (select from held) returning version::text as version`,
        [...params, String(before.version)],
      )
    : [];
  const saved =
    looked.length > 0
      ? looked
      : await run(
          `with ${held} insert into edgewise.stack as t (name, head, memory, version, changed)
            select $3, $4, $5, ${firstVersion}, pg_current_xact_id() from held
            on conflict (name) do update set head = excluded.head, memory = excluded.memory, ${stamps}
            returning version::text as version`,
          [...params, JSON.stringify(record.memory)],
        );
  known.learn(name, { record, version: versionOf(saved) ?? takenOver(`the stack ${name}`) });
}

/** Saves an account under a claim. @throws EdgewiseError `io`, also when the claim is another process's by now */
export async function saveAccountRow(
  run: RunStatement,
  record: AccountRecord,
  { claim, known }: { readonly claim: HeldClaim; readonly known: KnownRows<AccountRecord> },
): Promise<void> {
  const { name } = record;
  const saved = await run(
    `with ${held} insert into edgewise.account as t (name, record, version, changed)
      select $3, $4, ${firstVersion}, pg_current_xact_id() from held
      on conflict (name) do update set record = excluded.record, ${stamps} returning version::text as version`,
    [claim.key, claim.token, nameColumn(name), renderState(record, accountFormat)],
  );
  known.learn(name, { record, version: versionOf(saved) ?? takenOver(`the account ${name}`) });
}

/**
 * Saves a stack that nobody passes, with its history, if it is as this process knows it.
 * @returns false when another process has changed it
 */
export async function saveTransitionRow(
  run: RunStatement,
  record: StackRecord,
  { history, known }: { readonly history: readonly HistoryEntry[]; readonly known: KnownRows<StackRecord> },
): Promise<boolean> {
  renderState(record, stackFormat);
  const { name } = record;
  const before = known.get(name);
  const save =
    before === undefined
      ? `insert into edgewise.stack as t (name, head, memory, version, changed)
          values ($1, $2, $3, ${firstVersion}, pg_current_xact_id()) on conflict do nothing`
      : `update edgewise.stack t set head = $2, memory = $3, ${stamps} where name = $1 and version = $7::bigint`;
  const saved = await run(
    `with saved as (${save} returning version::text as version), written as (
      insert into edgewise.history (${historyColumns}) select stack, at, entry
      from unnest($4::text[], $5::timestamptz[], $6::text[]) with ordinality as e (stack, at, entry, position)
      where exists (select from saved) order by position)
    select version from saved`,
    [
      nameColumn(name),
      stackHead(record),
      JSON.stringify(record.memory),
      ...historyValues(history),
      ...(before === undefined ? [] : [String(before.version)]),
    ],
  );
  const version = versionOf(saved);
  if (version !== null) known.learn(name, { record, version });
  return version !== null;
}

/** Saves a source. @returns false when another process followed it to another commit than `before` */
export async function saveSourceRow(
  run: RunStatement,
  record: SourceRecord,
  { before, known }: { readonly before: SourceRecord | null; readonly known: KnownRows<SourceRecord> },
): Promise<boolean> {
  const { followed, name } = record;
  const saved = await run(
    `insert into edgewise.source as t (name, followed, record, version, changed)
      values ($1, $2, $3, ${firstVersion}, pg_current_xact_id())
      on conflict (name) do update set followed = excluded.followed, record = excluded.record, ${stamps}
      where t.followed is not distinct from $4 returning version::text as version`,
    [nameColumn(name), followed, renderState(record, sourceFormat), before?.followed ?? null],
  );
  const version = versionOf(saved);
  if (version !== null) known.learn(name, { record, version });
  return version !== null;
}

function versionOf([row]: readonly Row[]): number | null {
  return row === undefined ? null : numberOf(row, "version");
}

function takenOver(what: string): never {
  throw new EdgewiseError("io", `${what} is not saved: another process holds its account by now`, {
    remedy: "That process looks at it. Check the database if this stays.",
  });
}
