import { createHash } from "node:crypto";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { parseJson } from "../../core/parse-json.js";
import type { Plan } from "../../plan/plan-format.js";
import { validatePlan } from "../../schema/schema-errors.js";
import { violationsOf } from "../../schema/violations.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "../records.js";
import type { OutboxEntry } from "../notify/notification.js";

export interface Named {
  readonly name: string;
}

export type StateFormat<out T> = Readonly<{
  sort: string;
  folder: string;
  format: string;
  isValid: (value: unknown) => value is T;
}>;

function formatOf<T>(sort: string, folder: string, format = `edgewise.${sort}-state`): StateFormat<T> {
  const definition = sort.split(" ").at(-1);
  const isValid = (value: unknown): value is T => keeps(`state.schema.json#/$defs/${definition}`, value);
  return { sort, folder, format, isValid };
}

/** What a later version of edgewise has written may have more members. */
function keeps(schema: string, value: unknown): boolean {
  return violationsOf(schema, value, "allowed").length === 0;
}

export const stackFormat = formatOf<StackRecord>("stack", "stacks");
export const accountFormat = formatOf<AccountRecord>("account", "accounts");
// `sources` holds the clones.
export const sourceFormat = formatOf<SourceRecord>("source", "followed");
export const outboxFormat = formatOf<OutboxEntry>("outbox", "outbox");
export const directoryFormat = formatOf<object>("state directory", "", "edgewise.state");

export function renderState<T extends object>(record: T, { format, isValid }: StateFormat<T>): string {
  const document = { ...record, format: `${format}/v1` };
  if (!isValid(document)) throw new TypeError(`a record is not what ${format} describes`);
  return `${JSON.stringify(document)}\n`;
}

/** Null = it is damaged. */
export function parseState<T>(
  text: string,
  where: string,
  { format, isValid }: StateFormat<T>,
  instead = "name another state directory with --state",
): T | null {
  const parsed = parseJson(text);
  if (!("value" in parsed)) return null;
  const { value } = parsed;
  const found = isObject(value) ? value["format"] : undefined;
  if (typeof found === "string" && found.startsWith(`${format}/v`) && found !== `${format}/v1`)
    throw new EdgewiseError("io", `${where} can't be used: a later version of edgewise wrote it (${found})`, {
      remedy: `Use that version, or ${instead}.`,
    });
  return isValid(value) ? value : null;
}

export function damageWords(place: string, sort: string): string {
  return `${place} is damaged. Put it right, or remove it: then every difference of the ${sort} counts as made on both sides`;
}

export function parsePlan(text: string, stack: string, where: string): Plan {
  const parsed = parseJson(text);
  if ("value" in parsed && validatePlan(parsed.value) === null) return parsed.value as Plan;
  throw new EdgewiseError("io", `the plan of the stack ${stack} is damaged: ${where} is not a plan`, {
    remedy: "It is written again when it changes, and after a restart.",
  });
}

export function renderHistory(entry: HistoryEntry): string {
  if (!isHistoryEntry(entry)) throw new TypeError("a history entry is not what its schema describes");
  return JSON.stringify(entry);
}

export function parseHistory(line: string): HistoryEntry | null {
  const parsed = parseJson(line);
  return "value" in parsed && isHistoryEntry(parsed.value) ? parsed.value : null;
}

function isHistoryEntry(value: unknown): value is HistoryEntry {
  return keeps("history.schema.json", value);
}

export function noSuchPlace(): EdgewiseError {
  return new EdgewiseError("usage", "`after` takes what `next` says on the page before", { remedy: "Leave it out." });
}

export function stateFileName(name: string): string {
  const encoded = Buffer.from(name)
    .toString("latin1")
    .replaceAll(/[^a-z0-9_-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
  if (encoded.length > 0 && encoded.length <= 180 && Buffer.from(name).toString() === name) return encoded;
  // A readable name has no tilde. Texts that are not well-formed may have the same bytes, but not the same code units.
  return `${encoded.slice(0, 100)}~${createHash("sha256").update(Buffer.from(name, "utf16le")).digest("hex")}`;
}

export function recordKey(sort: string, name: string): string {
  return `${sort} ${stateFileName(name)}`;
}
