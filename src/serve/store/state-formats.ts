import { createHash } from "node:crypto";
import { EdgewiseError } from "../../core/errors.js";
import { isObject, parseJson } from "../../core/json.js";
import type { Plan } from "../../plan/plan-format.js";
import { validatePlan } from "../../schema/validate-documents.js";
import { violationsOf } from "../../schema/violations.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "../records.js";
import type { OutboxEntry } from "../notify/notification.js";

export interface Sorts {
  stack: StackRecord;
  account: AccountRecord;
  source: SourceRecord;
  outbox: OutboxEntry;
  directory: object;
}

export type RecordSort = "stack" | "account" | "source";

/** What a later version of edgewise has written may have more members. */
function isValid(schema: string, value: unknown): boolean {
  return violationsOf(schema, value, "allowed").length === 0;
}

function formatOf(sort: keyof Sorts): string {
  return sort === "directory" ? "edgewise.state" : `edgewise.${sort}-state`;
}

export function renderState<S extends keyof Sorts>(sort: S, record: Sorts[S]): string {
  const document = { ...record, format: `${formatOf(sort)}/v1` };
  if (isValid(`state.schema.json#/$defs/${sort}`, document)) return `${JSON.stringify(document)}\n`;
  throw new TypeError(`a record is not what ${document.format} describes`);
}

/** Null = it is damaged. */
export function parseState<S extends keyof Sorts>(sort: S, text: string, where: string): Sorts[S] | null {
  const parsed = parseJson(text);
  if (!("value" in parsed)) return null;
  const { value } = parsed;
  const [found, known] = [isObject(value) ? String(value["format"]) : "", formatOf(sort)];
  if (found.startsWith(`${known}/v`) && found !== `${known}/v1`)
    throw new EdgewiseError(
      "io",
      `${where} can't be used: a later version of edgewise wrote it (${found})`,
      "Use that version, or another --state or --database.",
    );
  return isValid(`state.schema.json#/$defs/${sort}`, value) ? (value as Sorts[S]) : null;
}

export function damageWords(place: string, sort: string): string {
  return `${place} is damaged. Put it right, or remove it: then every difference of the ${sort} counts as made on both sides`;
}

export function parsePlan(text: string, stack: string, where: string): Plan {
  const parsed = parseJson(text);
  if ("value" in parsed && validatePlan(parsed.value) === null) return parsed.value as Plan;
  throw new EdgewiseError(
    "io",
    `the plan of the stack ${stack} is damaged: ${where} is not a plan`,
    "It is written again when it changes, and after a restart.",
  );
}

export function renderHistory(entry: HistoryEntry): string {
  if (isValid("history.schema.json", entry)) return JSON.stringify(entry);
  throw new TypeError("a history entry is not what its schema describes");
}

export function parseHistory(line: string): HistoryEntry | null {
  const parsed = parseJson(line);
  return "value" in parsed && isValid("history.schema.json", parsed.value) ? (parsed.value as HistoryEntry) : null;
}

export function noSuchPlace(): EdgewiseError {
  return new EdgewiseError("usage", "`after` takes what `next` says on the page before", "Leave it out.");
}

/** Without capitals, which some file systems don't tell apart. */
export function stateFileName(name: string): string {
  const encoded = Buffer.from(name)
    .toString("latin1")
    .replaceAll(/[^a-z0-9_-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return encoded.length <= 180
    ? encoded
    : `${encoded.slice(0, 100)}~${createHash("sha256").update(name).digest("hex")}`;
}

export function recordKey(sort: RecordSort, name: string): string {
  return `${sort} ${stateFileName(name)}`;
}
