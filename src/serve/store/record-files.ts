import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { hasCode } from "../../files/file-errors.js";
import { readBounded } from "../../files/read-bounded.js";
import { type Disk, replaceFile } from "./state-disk.js";
import { stateFileName } from "./state-file-name.js";
import { type StateFormat, parseState, renderState } from "./state-formats.js";

/** Bytes of one record: fingerprints of a hundred thousand resources have a quarter of this. */
const mostBytes = 64 * 1024 * 1024;

/** How many files are read at once. */
const readers = 16;

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
 * Reads all records of one sort.
 * @param damaged where to note what can't be read
 * @throws EdgewiseError `io` when they can't be read, or a later version of edgewise wrote one
 */
export async function loadRecords<T extends { readonly name: string }>(
  directory: string,
  format: StateFormat<T>,
  damaged: Map<string, string>,
): Promise<ReadonlyMap<string, T>> {
  const folder = join(directory, format.folder);
  const names = await readdir(folder).catch((cause: unknown) => {
    throw unreadable(folder, cause);
  });
  const records = new Map<string, T>();
  const pending = names.values();
  const read = async (): Promise<void> => {
    for (const name of pending) {
      const file = join(folder, name);
      if (!name.endsWith(".json")) continue;
      const record = await readRecord(file, format, damaged);
      if (record !== null) records.set(record.name, record);
    }
  };
  await Promise.all(Array.from({ length: readers }, read));
  return records;
}

/** Reads again what could not be read of one sort. @returns what can be now */
export async function readDamaged<T extends { readonly name: string }>(
  directory: string,
  format: StateFormat<T>,
  damaged: Map<string, string>,
): Promise<readonly T[]> {
  const own = [...damaged.keys()].filter((key) => key.startsWith(`${format.sort} `));
  const files = own.map((key) => join(directory, format.folder, `${key.slice(format.sort.length + 1)}.json`));
  const records = await Promise.all(files.map((file) => readRecord(file, format, damaged)));
  return records.filter((record) => record !== null);
}

/** The record in a file; null = there is none, or it can't be read, which is noted. @throws EdgewiseError `io` */
export async function readRecord<T extends { readonly name: string }>(
  file: string,
  format: StateFormat<T>,
  damaged: Map<string, string>,
): Promise<T | null> {
  const base = basename(file, ".json");
  const key = `${format.sort} ${base}`;
  const text = await readIfThere(file);
  const record = text === null ? null : parseState(text, file, format);
  // A file that was copied to another name speaks of another stack.
  if (text === null || (record !== null && stateFileName(record.name) === base)) {
    damaged.delete(key);
    return record;
  }
  damaged.set(key, damageWords(file, format.sort));
  return null;
}

/** Says what can't be read, and what to do. */
export function damageWords(place: string, sort: string): string {
  return `${place} can't be read as what edgewise keeps of a ${sort}. Put it right, or remove it: then every difference counts as made on both sides`;
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
