import { isDeepStrictEqual } from "node:util";
import { EdgewiseError } from "../../../core/errors.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "../../records.js";
import { accountFormat, renderState, sourceFormat, stackFormat } from "../state-formats.js";
import type { HeldClaim } from "./account-claims.js";
import { type Row, type RunStatement, nameColumn, notDurable, numberOf, textOf } from "./database-rows.js";
import { historyColumns, historyValues } from "./history-table.js";
import type { KnownRows, Versioned } from "./known-rows.js";
import { stackHead } from "./record-sorts.js";
import { firstVersion, nextVersion } from "./record-table.js";

// Each save is one statement, so all of it happens or nothing. What needs a claim holds the account's row meanwhile:
// another process that takes the account over comes before all of it, and then nothing is saved, or after.

const held = heldIf("true");
const heldForNow = heldIf(notDurable);

function heldIf(condition: string): string {
  return `held as materialized (
    select from edgewise.account_lock where key = $1::bigint and holder = $2 and ${condition} for share)`;
}

const stamps = `version = ${nextVersion}, changed = pg_current_xact_id()`;

/**
 * Saves stacks of one claim, all or none. What no stack's memory changed is not sent again.
 * @throws EdgewiseError `io`, also when the claim is another process's by now
 */
export async function saveStackRows(
  run: RunStatement,
  records: readonly StackRecord[],
  { claim, known }: { readonly claim: HeldClaim; readonly known: KnownRows<StackRecord> },
): Promise<void> {
  const looked = records.flatMap((record) => {
    const before = known.get(record.name);
    const isSame = before !== undefined && isDeepStrictEqual(before.record.memory, record.memory);
    return isSame ? [{ record, version: before.version }] : [];
  });
  const saved = looked.length === 0 ? new Set<string>() : await saveLooks(run, looked, { claim, known });
  const rest = records.filter(({ name }) => !saved.has(name));
  if (rest.length === 0) return;
  const rows = await run(
    `with ${held} insert into edgewise.stack as t (name, head, memory, version, changed)
      select g.name, g.head, g.memory, ${firstVersion}, pg_current_xact_id()
      from unnest($3::text[], $4::text[], $5::text[]) as g (name, head, memory), held
      on conflict (name) do update set head = excluded.head, memory = excluded.memory, ${stamps}
      returning name, version::text as version`,
    [
      claim.keys[0],
      claim.token,
      rest.map(({ name }) => nameColumn(name)),
      rest.map(stackHead),
      rest.map(({ memory }) => JSON.stringify(memory)),
    ],
  );
  learnAll(rest, rows, known);
  if (rows.length < rest.length) takenOver(`the stack ${rest[0]?.name ?? ""}`);
}

/** Saves what every look changes, of rows that are as this process knows them. @returns the names of these */
async function saveLooks(
  run: RunStatement,
  looked: readonly Versioned<StackRecord>[],
  { claim, known }: { readonly claim: HeldClaim; readonly known: KnownRows<StackRecord> },
): Promise<ReadonlySet<string>> {
  const records = looked.map(({ record }) => record);
  const rows = await run(
    `with ${looked.every((each) => isRenewal(each, known)) ? heldForNow : held} update edgewise.stack t set head = g.head, ${stamps}
      from unnest($3::text[], $4::text[], $5::bigint[]) as g (name, head, version)
      where t.name = g.name and t.version = g.version and exists (select from held)
      returning t.name, t.version::text as version`,
    [
      claim.keys[0],
      claim.token,
      records.map(({ name }) => nameColumn(name)),
      records.map(stackHead),
      looked.map(({ version }) => String(version)),
    ],
  );
  return learnAll(records, rows, known);
}

/** Whether a record says nothing new but that its stack was looked at: lost with the server's power, it is looked at again. */
function isRenewal({ record }: Versioned<StackRecord>, known: KnownRows<StackRecord>): boolean {
  const before = known.get(record.name)?.record;
  return before !== undefined && isDeepStrictEqual(findingOf(before), findingOf(record));
}

function findingOf({ status, ...record }: StackRecord): unknown {
  return { ...record, status: { ...status, lookedAt: null, nextLook: null } };
}

/** Knows what was saved. @returns its names */
function learnAll(
  records: readonly StackRecord[],
  rows: readonly Row[],
  known: KnownRows<StackRecord>,
): ReadonlySet<string> {
  const versions = new Map(rows.map((row) => [textOf(row, "name"), numberOf(row, "version")]));
  const saved = new Set<string>();
  for (const record of records) {
    const version = versions.get(nameColumn(record.name));
    if (version === undefined) continue;
    known.learn(record.name, { record, version });
    saved.add(record.name);
  }
  return saved;
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
    [claim.keys[0], claim.token, nameColumn(name), renderState(record, accountFormat)],
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
