import { isObject } from "../../../core/json.js";
import { parseJson } from "../../../core/parse-json.js";
import type { AccountRecord, SourceRecord, StackRecord } from "../../records.js";
import { accountFormat, sourceFormat, stackFormat } from "../state-formats.js";
import { type Row, textOf } from "./database-rows.js";
import type { RecordTable } from "./record-table.js";

export const stackTable: RecordTable<StackRecord> = {
  table: "stack",
  format: stackFormat,
  // What every look changes, and what few do, which may be large.
  columns: ["head", "memory"],
  valueOf: (row) => {
    const [head, memory] = [valueIn(row, "head"), valueIn(row, "memory")];
    return isObject(head) ? { ...head, memory } : undefined;
  },
};

export const accountTable: RecordTable<AccountRecord> = {
  table: "account",
  format: accountFormat,
  columns: ["record"],
  valueOf: (row) => valueIn(row, "record"),
};

export const sourceTable: RecordTable<SourceRecord> = {
  table: "source",
  format: sourceFormat,
  columns: ["record"],
  valueOf: (row) => valueIn(row, "record"),
};

/** A stack's record without its memory, as text. */
export function stackHead(record: StackRecord): string {
  const { memory: _, ...head } = record;
  return JSON.stringify({ ...head, format: `${stackFormat.format}/v1` });
}

function valueIn(row: Row, column: string): unknown {
  const parsed = parseJson(textOf(row, column));
  return "value" in parsed ? parsed.value : undefined;
}
