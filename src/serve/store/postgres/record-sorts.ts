import { isObject } from "../../../json.js";
import { parseJson } from "../../../parse-json.js";
import type { AccountRecord, SourceRecord, StackRecord } from "../../records.js";
import { damagedAccount, damagedSource, damagedStack } from "../damaged-records.js";
import { accountFormat, sourceFormat, stackFormat } from "../state-formats.js";
import { type Row, textOf } from "./database-rows.js";
import type { RecordTable } from "./record-table.js";

/** @param now milliseconds since 1970 */
export function stackTable(now: () => number): RecordTable<StackRecord> {
  return {
    table: "stack",
    format: stackFormat,
    // What every look changes, and what few do, which may be large.
    columns: ["head", "memory"],
    values: (record) => [stackHead(record), JSON.stringify(record.memory)],
    valueOf: (row) => {
      const [head, memory] = [valueIn(row, "head"), valueIn(row, "memory")];
      return isObject(head) ? { ...head, memory } : undefined;
    },
    instead: (name, message) => damagedStack(name, message, now()),
  };
}

/** A stack's record without its memory, as text. */
export function stackHead(record: StackRecord): string {
  const { memory: _, ...head } = record;
  return JSON.stringify({ ...head, format: `${stackFormat.format}/v1` });
}

/** @param now milliseconds since 1970 */
export function accountTable(now: () => number): RecordTable<AccountRecord> {
  return {
    table: "account",
    format: accountFormat,
    columns: ["record"],
    values: (_, text) => [text],
    valueOf: (row) => valueIn(row, "record"),
    instead: (name, message) => damagedAccount(name, message, now()),
  };
}

/** @param stacks all that are known */
export function sourceTable(now: () => number, stacks: () => Iterable<StackRecord>): RecordTable<SourceRecord> {
  return {
    table: "source",
    format: sourceFormat,
    columns: ["followed", "record"],
    values: ({ followed }, text) => [followed, text],
    valueOf: (row) => valueIn(row, "record"),
    instead: (name, message) => damagedSource(name, message, now(), stacks()),
  };
}

function valueIn(row: Row, column: string): unknown {
  const parsed = parseJson(textOf(row, column));
  return "value" in parsed ? parsed.value : undefined;
}
