import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { hasCode, unwritableBecause } from "../../files/file-errors.js";
import { readBounded } from "../../files/read-bounded.js";
import type { HistoryEntry } from "../records.js";
import { noPlaceInHistory, parseHistory, renderHistory, stateFileName } from "./state-formats.js";
import type { HistoryPage } from "./store.js";

const mostBytes = 64 * 1024 * 1024;

/** Gives a file another content in one step: whenever the process or the power ends, it has the old or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const file = await open(temporary, "w", 0o600);
    try {
      await file.writeFile(text);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritableBecause(path, cause);
  }
}

export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
    await syncDirectory(dirname(path));
  } catch (cause) {
    throw unwritableBecause(path, cause);
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await directory.sync();
  } catch (cause) {
    // Some file systems of networks can't.
    if (!hasCode(cause, "EINVAL") && !hasCode(cause, "ENOTSUP")) throw cause;
  } finally {
    await directory.close();
  }
}

export async function readIfThere(file: string): Promise<string | null> {
  try {
    return readBounded(file, { most: mostBytes }).toString("utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    throw unreadable(file, cause);
  }
}

export async function namesIn(...path: readonly string[]): Promise<readonly string[]> {
  const folder = join(...path);
  return readdir(folder).catch((cause: unknown) => {
    throw unreadable(folder, cause);
  });
}

function unreadable(file: string, cause: unknown): EdgewiseError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new EdgewiseError("io", `${file} can't be read: ${hasCode(cause, "EACCES") ? "permission is denied" : said}`, {
    remedy: "Check the permissions of the state directory and its disk.",
    cause,
  });
}

export async function sideBySide<T>(all: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  const pending = all[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = pending.next(); next.done !== true; next = pending.next()) await work(next.value);
  };
  for (const ended of await Promise.allSettled(Array.from({ length: 8 }, worker)))
    if (ended.status === "rejected") throw ended.reason;
}

const dayMs = 24 * 60 * 60 * 1000;

export async function appendHistory(directory: string, entries: readonly HistoryEntry[]): Promise<void> {
  const byFile = new Map<string, string>();
  for (const entry of entries) {
    const line = `${renderHistory(entry)}\n`;
    const file = historyFile(directory, entry.at.slice(0, 10), entry.stack);
    byFile.set(file, `${byFile.get(file) ?? ""}${line}`);
  }
  await sideBySide(byFile, async ([file, lines]) => {
    await appendLines(file, lines).catch((cause: unknown) => {
      throw unwritableBecause(file, cause);
    });
  });
}

async function appendLines(path: string, lines: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { mode: 0o700, recursive: true });
  const file = await open(path, "a+", 0o600);
  try {
    const { size } = await file.stat();
    const last = size === 0 ? "\n" : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString("latin1");
    // What a killed process left half written stays a line of its own, which says nothing.
    await file.appendFile(last === "\n" ? lines : `\n${lines}`);
    await file.datasync();
    if (size > 0) return;
  } finally {
    await file.close();
  }
  await syncDirectory(folder);
  await syncDirectory(dirname(folder));
}

function historyFile(directory: string, day: string, stack: string): string {
  return join(directory, "history", day, `${stateFileName(stack)}.ndjson`);
}

export async function readHistory(
  directory: string,
  stack: string,
  { limit, after }: { readonly limit: number; readonly after: string | null },
): Promise<HistoryPage> {
  const [, fromDay = null, fromLine] = /^(\d{4}-\d\d-\d\d):(\d{1,15})$/.exec(after ?? "") ?? [];
  if (after !== null && fromDay === null) throw noPlaceInHistory();
  const entries: HistoryEntry[] = [];
  let last = "";
  for (const day of await daysIn(directory)) {
    if (fromDay !== null && day > fromDay) continue;
    const lines = (await readIfThere(historyFile(directory, day, stack)))?.split("\n") ?? [];
    const end = day === fromDay ? Math.min(Number(fromLine), lines.length) : lines.length;
    for (let index = end - 1; index >= 0; index -= 1) {
      const entry = parseHistory(lines[index] ?? "");
      if (entry?.stack !== stack) continue;
      if (entries.length >= Math.max(1, limit)) return { entries, next: last };
      entries.push(entry);
      last = `${day}:${index}`;
    }
  }
  return { entries, next: null };
}

export async function pruneHistory(directory: string, before: number): Promise<void> {
  for (const day of await daysIn(directory)) {
    if (Date.parse(day) + dayMs > before) continue;
    const path = join(directory, "history", day);
    await rm(path, { recursive: true, force: true }).catch((cause: unknown) => {
      throw unwritableBecause(path, cause);
    });
  }
}

async function daysIn(directory: string): Promise<readonly string[]> {
  const names = await namesIn(directory, "history");
  return names.filter((name) => /^\d{4}-\d\d-\d\d$/.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
}
