import { constants, readFileSync, readdirSync } from "node:fs";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EdgewiseError } from "../../core/errors.js";
import { hasCode, unwritableBecause } from "../../files/file-errors.js";
import type { HistoryEntry } from "../records.js";
import { noSuchPlace, parseHistory, renderHistory, stateFileName } from "./state-formats.js";
import type { HistoryPage } from "./store.js";

/** Gives a file another content in one step: whenever the process or the power ends, it has the old or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritableBecause(path, cause);
  }
}

export async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
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

export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return null;
    throw unreadable(file, cause);
  }
}

export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}

function unreadable(file: string, cause: unknown): EdgewiseError {
  const said = cause instanceof Error ? cause.message : String(cause);
  const remedy = "Check the permissions of the state directory and its disk.";
  return new EdgewiseError("io", `${file} can't be read: ${said}`, { remedy, cause });
}

const dayMs = 24 * 60 * 60 * 1000;

export async function appendHistory(directory: string, entries: readonly HistoryEntry[]): Promise<void> {
  const byFile = new Map<string, string>();
  for (const entry of entries) {
    const file = historyFile(directory, entry.at.slice(0, 10), entry.stack);
    byFile.set(file, `${byFile.get(file) ?? ""}${renderHistory(entry)}\n`);
  }
  await someAtOnce([...byFile], async ([file, lines]) => {
    await appendLines(file, lines).catch((cause: unknown) => {
      throw unwritableBecause(file, cause);
    });
  });
}

export async function someAtOnce<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += 8)
    for (const ended of await Promise.allSettled(all.slice(at, at + 8).map(work)))
      if (ended.status === "rejected") throw ended.reason;
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

export function readHistory(
  directory: string,
  stack: string,
  { limit, after }: Readonly<{ limit: number; after: string | null }>,
): HistoryPage {
  const [, fromDay = null, fromLine] = /^(\d{4}-\d\d-\d\d):(\d{1,15})$/.exec(after ?? "") ?? [];
  if (after !== null && fromDay === null) throw noSuchPlace();
  const entries: HistoryEntry[] = [];
  let last = "";
  for (const day of daysIn(directory).toReversed()) {
    if (fromDay !== null && day > fromDay) continue;
    const lines = readIfThere(historyFile(directory, day, stack))?.split("\n") ?? [];
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
  for (const day of daysIn(directory))
    if (Date.parse(day) + dayMs <= before) await removeFile(join(directory, "history", day));
}

function daysIn(directory: string): readonly string[] {
  return namesIn(join(directory, "history")).filter((name) => /^\d{4}-\d\d-\d\d$/.test(name));
}
