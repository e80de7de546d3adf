import {
  AccountState,
  HistoryLine,
  SourceState,
  StackState,
  StateDirectory,
  ToldState,
} from "../../generated/state-validators.js";
import { EdgewiseError } from "../../core/errors.js";
import { isObject } from "../../core/json.js";
import { parseJson } from "../../core/parse-json.js";
import type { AccountRecord, HistoryEntry, SourceRecord, StackRecord, ToldRecord } from "../records.js";

/**
 * How one sort of record is kept in files of its own (schemas/state.schema.json). Members that a later version of
 * edgewise has added are kept.
 */
export interface StateFormat<T> {
  /** The directory of the files. */
  readonly folder: string;
  /** For people, and in keys: "stack". */
  readonly sort: string;
  /** The name of the format, without its version. */
  readonly format: string;
  readonly isValid: (value: unknown) => value is T;
}

type Kept<T> = T & { readonly format: string };

export const stackFormat: StateFormat<Kept<StackRecord>> = {
  folder: "stacks",
  sort: "stack",
  format: "edgewise.stack-state",
  isValid: (value): value is Kept<StackRecord> => StackState(value),
};

export const accountFormat: StateFormat<Kept<AccountRecord>> = {
  folder: "accounts",
  sort: "account",
  format: "edgewise.account-state",
  isValid: (value): value is Kept<AccountRecord> => AccountState(value),
};

export const sourceFormat: StateFormat<Kept<SourceRecord>> = {
  // `sources` holds the clones.
  folder: "followed",
  sort: "source",
  format: "edgewise.source-state",
  isValid: (value): value is Kept<SourceRecord> => SourceState(value),
};

export const toldFormat: StateFormat<Kept<ToldRecord>> = {
  folder: "told",
  sort: "told",
  format: "edgewise.told-state",
  isValid: (value): value is Kept<ToldRecord> => ToldState(value),
};

/** What a state directory is: the content of `format.json`. */
export const directoryFormat: StateFormat<{ readonly format: string }> = {
  folder: "",
  sort: "state directory",
  format: "edgewise.state",
  isValid: (value): value is { readonly format: string } => StateDirectory(value),
};

/**
 * The text of a record.
 * @throws TypeError when nobody could read it again: that is a bug of the caller
 */
export function renderState<T extends object>(
  record: T,
  { format, isValid }: StateFormat<T & { format: string }>,
): string {
  const document = { ...record, format: `${format}/v1` };
  if (!isValid(document)) throw new TypeError(`a record is not what ${format} describes`);
  return `${JSON.stringify(document)}\n`;
}

/**
 * A record from its text; null when it is damaged.
 * @param file for messages
 * @throws EdgewiseError `io` when a later version of edgewise wrote it, in a form that this one does not know
 */
export function parseState<T>(text: string, file: string, format: StateFormat<T>): T | null {
  const parsed = parseJson(text);
  return "value" in parsed ? checkState(parsed.value, file, format) : null;
}

/**
 * A record from its JSON value; null when it is damaged.
 * @param where for messages
 * @param instead what else can be done when this version can't read it
 * @throws EdgewiseError `io` when a later version of edgewise wrote it, in a form that this one does not know
 */
export function checkState<T>(
  value: unknown,
  where: string,
  { format, isValid }: StateFormat<T>,
  instead = "name another state directory with --state",
): T | null {
  refuseLater(value, where, { format, instead });
  return isValid(value) ? value : null;
}

/** What is known in version 1 must not be taken for what a later version means by it. */
function refuseLater(
  value: unknown,
  file: string,
  { format, instead }: { readonly format: string; readonly instead: string },
): void {
  const found = isObject(value) ? value["format"] : undefined;
  if (typeof found !== "string" || !found.startsWith(`${format}/v`)) return;
  const version = /^[1-9][0-9]{0,5}$/.exec(found.slice(format.length + 2))?.[0];
  if (version === undefined || version === "1") return;
  throw new EdgewiseError("io", `${file} can't be used: a later version of edgewise wrote it (${found})`, {
    remedy: `Use that version, or ${instead}.`,
  });
}

/** A line of the history; null when it is cut or damaged. */
export function parseHistoryLine(line: string): HistoryEntry | null {
  const parsed = parseJson(line);
  return "value" in parsed && isHistoryEntry(parsed.value) ? parsed.value : null;
}

export function isHistoryEntry(value: unknown): value is HistoryEntry {
  return HistoryLine(value);
}
