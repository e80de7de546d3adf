import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../../errors.js";
import { hasCode } from "../../files/file-errors.js";
import { readBounded } from "../../files/read-bounded.js";
import { type Disk, replaceFile } from "./state-disk.js";
import { nameOfStateFile, stateFileName } from "./state-file-name.js";
import { type StateFormat, parseState, renderState } from "./state-formats.js";

/** Bytes of one record: fingerprints of a hundred thousand resources have a quarter of this. */
const mostBytes = 64 * 1024 * 1024;

/** How many files are read at once. */
const readers = 16;

/** What the files of one sort of record say. */
export interface LoadedRecords<T> {
  readonly records: ReadonlyMap<string, T>;
  readonly damaged: readonly DamagedFile[];
}

/** A file that can't be read as what it should be. */
export interface DamagedFile {
  readonly file: string;
  /** Whose record it was; null when nothing tells. */
  readonly name: string | null;
}

/** Where the record of a name is. */
export function recordFile(directory: string, name: string, folder: string): string {
  return join(directory, folder, `${stateFileName(name)}.json`);
}

/** Writes a record. @throws EdgewiseError `io` */
export async function saveRecord<T extends { readonly name: string }>(
  disk: Disk,
  record: T,
  format: StateFormat<T & { readonly format: string }>,
  at: { readonly directory: string; readonly token: string },
): Promise<void> {
  const bytes = Buffer.from(renderState(record, format));
  await replaceFile(disk, recordFile(at.directory, record.name, format.folder), bytes, at.token);
}

/**
 * Reads all records of one sort, and removes what a killed process has left half written.
 * @throws EdgewiseError `io` when they can't be read, or a later version of edgewise wrote one
 */
export async function loadRecords<T extends { readonly name: string }>(
  disk: Disk,
  directory: string,
  format: StateFormat<T>,
): Promise<LoadedRecords<T>> {
  const folder = join(directory, format.folder);
  const names = await readdir(folder);
  const records = new Map<string, T>();
  const damaged: DamagedFile[] = [];
  const pending = names.values();
  const read = async (): Promise<void> => {
    for (const name of pending) {
      const file = join(folder, name);
      if (name.endsWith(".tmp")) await disk.remove(file);
      if (!name.endsWith(".json")) continue;
      const text = (await readIfThere(file)) ?? "";
      const record = parseState(text, file, format);
      const base = name.slice(0, -".json".length);
      // A file that was copied to another name speaks of another stack.
      if (record !== null && stateFileName(record.name) === base) records.set(record.name, record);
      else damaged.push({ file, name: nameOfStateFile(base) ?? nameWithin(text, base) });
    }
  };
  await Promise.all(Array.from({ length: readers }, read));
  return { records, damaged };
}

/** The text of a file of the state; null when there is none. @throws EdgewiseError `io` */
export async function readIfThere(file: string): Promise<string | null> {
  try {
    return (await readBounded(file, { most: mostBytes })).toString("utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    throw unreadable(file, cause);
  }
}

/** Keeps a copy of a damaged file beside it. */
export async function keepDamaged(disk: Disk, file: string, token: string): Promise<void> {
  await replaceFile(disk, `${file}.damaged`, await readBounded(file, { most: mostBytes }), token);
}

/** A name that is too long for its file stands only inside. It counts when it leads to this file. */
function nameWithin(text: string, base: string): string | null {
  for (const [, quoted = ""] of text.matchAll(/"name":("(?:[^"\\]|\\.)*")/g)) {
    try {
      const name: unknown = JSON.parse(quoted);
      if (typeof name === "string" && stateFileName(name) === base) return name;
    } catch {
      // Damaged here, too.
    }
  }
  return null;
}

/** The error for a file of the state that can't be read. */
export function unreadable(file: string, cause: unknown): EdgewiseError {
  const why = hasCode(cause, "EACCES")
    ? "permission is denied"
    : cause instanceof Error
      ? cause.message
      : String(cause);
  return new EdgewiseError("io", `${file} can't be read: ${why}`, {
    remedy: "Check the permissions of the state directory and its disk.",
    cause,
  });
}
