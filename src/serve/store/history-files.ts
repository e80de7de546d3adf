import { constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { hasCode, unwritableBecause } from "../../files/file-errors.js";
import type { HistoryEntry } from "../records.js";
import type { Disk, DiskFile } from "./state-disk.js";
import { stateFileName } from "./state-file-name.js";
import { isHistoryEntry, parseHistoryLine } from "./state-formats.js";
import { unreadable } from "./record-files.js";
import type { HistoryPage } from "./store.js";

// The history is `history/DAY/STACK.ndjson`, one entry a line (schemas/history.schema.json): a page of one stack reads the
// ends of its own files only, and what is too old goes away by the day, without rewriting anything.

const dayMs = 24 * 60 * 60 * 1000;

/** Appends entries of one stack and day. What a killed process has left half written before them is removed. */
export async function appendEntries(disk: Disk, file: string, entries: readonly HistoryEntry[]): Promise<void> {
  const lines = entries.map((entry) => {
    if (!isHistoryEntry(entry)) throw new TypeError("a history entry is not what its schema describes");
    return `${JSON.stringify(entry)}\n`;
  });
  const directory = join(file, "..");
  try {
    await disk.makeDirectory(directory);
    const opened = await disk.open(file, false);
    try {
      const size = await opened.size();
      const whole = await endOfLines(opened, size);
      if (whole < size) await opened.truncate(whole);
      await appendWhole(opened, whole, Buffer.from(lines.join("")));
      if (size > 0) return;
    } finally {
      await opened.close();
    }
    await disk.syncDirectory(directory);
    await disk.syncDirectory(join(directory, ".."));
  } catch (cause) {
    throw unwritableBecause(file, cause);
  }
}

/** Appends all or nothing, unless the process ends meanwhile. */
async function appendWhole(file: DiskFile, size: number, bytes: Uint8Array): Promise<void> {
  try {
    await file.append(bytes);
    await file.sync();
  } catch (cause) {
    await file.truncate(size).catch(() => {});
    throw cause;
  }
}

/** The file of a stack's entries of one day. */
export function historyFile(directory: string, { at, stack }: HistoryEntry): string {
  const day = /^\d{4}-\d\d-\d\d/.exec(at)?.[0];
  if (day === undefined) throw new TypeError(`the time of a history entry is ${at}`);
  return join(directory, "history", day, `${stateFileName(stack)}.ndjson`);
}

/** A page of a stack's history, newest first. @throws EdgewiseError `usage`: `after` is not from a page; `io` */
export async function readEntries(
  directory: string,
  stack: string,
  { limit, after }: { readonly limit: number; readonly after: string | null },
): Promise<HistoryPage> {
  const from = after === null ? null : placeOf(after);
  const entries: HistoryEntry[] = [];
  let last = "";
  for (const day of await daysIn(directory)) {
    if (from !== null && day > from.day) continue;
    const file = join(directory, "history", day, `${stateFileName(stack)}.ndjson`);
    const before = from?.day === day ? from.offset : Infinity;
    for await (const { entry, offset } of entriesBackwards(file, before)) {
      if (entry.stack !== stack) continue;
      if (entries.length >= Math.max(1, limit)) return { entries, next: last };
      entries.push(entry);
      last = `${day}:${offset}`;
    }
  }
  return { entries, next: null };
}

function placeOf(after: string): { readonly day: string; readonly offset: number } {
  const [, day, offset] = /^(\d{4}-\d\d-\d\d):(\d{1,15})$/.exec(after) ?? [];
  if (day === undefined || offset === undefined) throw noPlaceInHistory();
  return { day, offset: Number(offset) };
}

/** The error for an `after` that is not from a page. */
export function noPlaceInHistory(): EdgewiseError {
  return new EdgewiseError("usage", "`after` is not a place in the history", {
    remedy: "Give the `next` of the page before, or leave it out for the newest entries.",
  });
}

/** Removes the days that lie wholly before a time. @throws EdgewiseError `io` */
export async function removeDays(disk: Disk, directory: string, before: number): Promise<void> {
  for (const day of await daysIn(directory)) {
    const path = join(directory, "history", day);
    if (Date.parse(day) + dayMs > before) continue;
    await disk.remove(path).catch((cause: unknown) => {
      throw unwritableBecause(path, cause);
    });
  }
}

/** The days with history, newest first. */
async function daysIn(directory: string): Promise<readonly string[]> {
  const folder = join(directory, "history");
  const names = await readdir(folder).catch((cause: unknown) => {
    throw unreadable(folder, cause);
  });
  return names.filter((name) => /^\d{4}-\d\d-\d\d$/.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
}

/** The entries of a file that begin before an offset, last first. @throws EdgewiseError `io`, also for a damaged line */
async function* entriesBackwards(
  file: string,
  before: number,
): AsyncGenerator<{ readonly entry: HistoryEntry; readonly offset: number }> {
  const handle = await openIfThere(file);
  if (handle === null) return;
  try {
    const { size } = await handle.stat();
    const source: Readable = {
      read: async (length, position) => {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
        return buffer.subarray(0, bytesRead);
      },
    };
    for await (const { line, offset } of linesBackwards(source, Math.min(size, before))) {
      const entry = parseHistoryLine(line.toString("utf8"));
      if (entry === null) throw new Error(`the line at byte ${offset} is damaged; correct it, or remove it`);
      yield { entry, offset };
    }
  } catch (cause) {
    throw unreadable(file, cause);
  } finally {
    await handle.close();
  }
}

async function openIfThere(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    throw unreadable(file, cause);
  }
}

type Readable = Pick<DiskFile, "read">;

const blockBytes = 64 * 1024;

/** The whole lines that end at an offset or before it, last first, without their ends. */
async function* linesBackwards(
  file: Readable,
  end: number,
): AsyncGenerator<{ readonly line: Buffer; readonly offset: number }> {
  let position = await endOfLines(file, end);
  /** From `position` on, up to the end of the line that comes next. */
  let bytes: Buffer = Buffer.alloc(0);
  while (position > 0 || bytes.length > 0) {
    const at = bytes.length < 2 ? -1 : bytes.lastIndexOf(10, bytes.length - 2);
    if (at >= 0 || (position === 0 && bytes.length > 0)) {
      yield { line: bytes.subarray(at + 1, bytes.length - 1), offset: position + at + 1 };
      bytes = bytes.subarray(0, at + 1);
      continue;
    }
    // Twice as much each time, so that a long line is not copied once for each of its blocks.
    const length = Math.min(position, Math.max(blockBytes, bytes.length));
    const block = await file.read(length, position - length);
    if (block.length < length) return;
    position -= length;
    bytes = Buffer.concat([block, bytes]);
  }
}

/** Where the last whole line up to `size` ends; behind it is what a killed process has left half written. */
async function endOfLines(file: Readable, size: number): Promise<number> {
  for (let end = size; end > 0;) {
    const length = Math.min(end, blockBytes);
    const block = await file.read(length, end - length);
    const at = block.lastIndexOf(10);
    if (at >= 0) return end - length + at + 1;
    end -= length;
  }
  return 0;
}
