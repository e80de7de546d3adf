import { createHash } from "node:crypto";
import {
  AccountState,
  HistoryLine,
  OutboxState,
  SourceState,
  StackState,
  StateDirectory,
} from "../../generated/state-validators.js";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { parseJson } from "../../core/parse-json.js";
import type { Plan } from "../../plan/plan-format.js";
import { validatePlan } from "../../schema/validate-plan.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord } from "../records.js";
import type { OutboxEntry } from "./store.js";

/** How one sort of record is kept (schemas/state.schema.json). Members that a later version has added are kept. */
export interface StateFormat<T> {
  /** For people, and in keys: "stack". */
  readonly sort: string;
  /** The directory of its files. */
  readonly folder: string;
  /** Its name without its version. */
  readonly format: string;
  readonly isValid: (value: unknown) => value is T;
}

function formatOf<T>(sort: string, folder: string, isValid: (value: unknown) => boolean): StateFormat<T> {
  return { sort, folder, format: `edgewise.${sort}-state`, isValid: (value): value is T => isValid(value) };
}

export const stackFormat = formatOf<StackRecord>("stack", "stacks", StackState);
export const accountFormat = formatOf<AccountRecord>("account", "accounts", AccountState);
// `sources` holds the clones.
export const sourceFormat = formatOf<SourceRecord>("source", "followed", SourceState);
export const outboxFormat = formatOf<OutboxEntry>("outbox", "outbox", OutboxState);
/** Of `format.json`, which says what a state directory is. */
export const directoryFormat = { ...formatOf<object>("state directory", "", StateDirectory), format: "edgewise.state" };

/** The text of a record. @throws TypeError when it could not be read again: that is a bug of the caller */
export function renderState<T extends object>(record: T, { format, isValid }: StateFormat<T>): string {
  const document = { ...record, format: `${format}/v1` };
  if (!isValid(document)) throw new TypeError(`a record is not what ${format} describes`);
  return `${JSON.stringify(document)}\n`;
}

/**
 * A record from its text; null when it is damaged.
 * @param where for messages
 * @param instead what else can be done when this version can't read it
 * @throws EdgewiseError `io` when a later version of edgewise wrote it in a form that this one does not know
 */
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
  if (typeof found === "string" && found.startsWith(`${format}/v`) && /\/v(?:[2-9]|[1-9][0-9]{1,5})$/.test(found))
    throw new EdgewiseError("io", `${where} can't be used: a later version of edgewise wrote it (${found})`, {
      remedy: `Use that version, or ${instead}.`,
    });
  return isValid(value) ? value : null;
}

/** Says that a record can't be read, and what to do. */
export function damageWords(place: string, sort: string): string {
  return `${place} can't be read as what edgewise keeps of a ${sort}. Put it right, or remove it: then every difference counts as made on both sides`;
}

/** A plan from its text. @throws EdgewiseError `io` when it is damaged */
export function parsePlan(text: string, stack: string, where: string): Plan {
  const parsed = parseJson(text);
  if ("value" in parsed && isPlan(parsed.value)) return parsed.value;
  throw new EdgewiseError("io", `the plan of the stack ${stack} is damaged: ${where} is not a plan`, {
    remedy: "It is written again when it changes, and after a restart.",
  });
}

function isPlan(value: unknown): value is Plan {
  return validatePlan(value) === null;
}

/** The line of an entry. @throws TypeError when it could not be read again: that is a bug of the caller */
export function renderHistory(entry: HistoryEntry): string {
  if (!HistoryLine(entry)) throw new TypeError("a history entry is not what its schema describes");
  return JSON.stringify(entry);
}

/** An entry from its line; null when it is cut or damaged. */
export function parseHistory(line: string): HistoryEntry | null {
  const parsed = parseJson(line);
  return "value" in parsed && isHistoryEntry(parsed.value) ? parsed.value : null;
}

function isHistoryEntry(value: unknown): value is HistoryEntry {
  return HistoryLine(value);
}

/** The error for an `after` that is not from a page of history. */
export function noPlaceInHistory(): EdgewiseError {
  return new EdgewiseError("usage", "`after` is not a place in the history", {
    remedy: "Give the `next` of the page before, or leave it out for the newest entries.",
  });
}

/** With what is added to it, a name stays below the 255 bytes that file systems allow. */
const longestName = 180;

/**
 * The name of a file for any name of a stack, an account or a source. Different names have different files, also where
 * file names ignore case or the form of accents, and none leads out of a directory.
 */
export function stateFileName(name: string): string {
  const encoded = Buffer.from(name)
    .toString("latin1")
    .replaceAll(/[^a-z0-9_-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
  const isReadable = encoded.length > 0 && encoded.length <= longestName && Buffer.from(name).toString() === name;
  // A readable name has no tilde. Texts that are not well-formed Unicode may have the same bytes, but not the same code units.
  const hash = (): string => createHash("sha256").update(Buffer.from(name, "utf16le")).digest("hex");
  return isReadable ? encoded : `${encoded.slice(0, 100)}~${hash()}`;
}

/** Names a record of a sort among all that are kept. */
export function recordKey(sort: string, name: string): string {
  return `${sort} ${stateFileName(name)}`;
}
