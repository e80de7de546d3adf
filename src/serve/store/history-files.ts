import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unwritableBecause } from "../../files/file-errors.js";
import type { HistoryEntry } from "../records.js";
import { namesIn, readIfThere, sideBySide, syncDirectory } from "./state-files.js";
import { noPlaceInHistory, parseHistory, renderHistory, stateFileName } from "./state-formats.js";
import type { HistoryPage } from "./store.js";

// The history is `history/DAY/STACK.ndjson`, one entry a line (schemas/history.schema.json): a page of one stack reads its
// own files only, and what is too old goes away by the day.

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
