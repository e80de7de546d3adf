import { createHash } from "node:crypto";
import { type Stats, rmSync, statSync } from "node:fs";
import { EdgewiseError } from "../errors.js";
import { hasCode } from "../files/file-errors.js";
import { readBounded } from "../files/read-bounded.js";
import { openForAppending } from "../files/write-file.js";
import { type Workplace, fileTarget } from "../files/write-target.js";
import { isObject } from "../json.js";
import { listedKinds } from "../kinds/names.js";
import type { Effect } from "../model/effects.js";

const format = "edgewise.sandbox-journal/v1";

/** Beyond this many bytes, reading a journal takes longer than it saves. */
const mostBytes = 4 * 1024 * 1024;

/** What has changed since a data file was written, one effect a line. */
export interface DataJournal {
  /** Whether it is time to write the data file again. */
  readonly isFull: boolean;
  /** Whether data file and journal are still those that belong together; somebody may have replaced or removed one. */
  isInPlace(): Promise<boolean>;
  /** Resolves when the effects are on the disk. */
  append(effects: readonly Effect[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Begins an empty journal beside a data file, readable by its owner only.
 * @param text what the data file holds: the journal counts for exactly this content
 * @throws EdgewiseError `io`
 */
export async function createJournal(file: string, place: Workplace, text: string): Promise<DataJournal> {
  const handle = await openForAppending(journalOf(file, place), place);
  const written = stateOf(fileTarget(file, place).path);
  let bytes = 0;
  const write = async (lines: string): Promise<void> => {
    await handle.appendFile(lines);
    await handle.datasync();
    bytes += lines.length;
  };
  try {
    await write(`${JSON.stringify({ format, of: hashOf(text) })}\n`);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    get isFull() {
      return bytes > mostBytes;
    },
    isInPlace: async () =>
      stateOf(fileTarget(file, place).path) === written &&
      inodeOf(statSync(journalOf(file, place), { throwIfNoEntry: false })) === inodeOf(await handle.stat()),
    append: async (effects) =>
      write(effects.map((effect) => `${JSON.stringify({ ...effect, before: null })}\n`).join("")),
    close: () => handle.close(),
  };
}

/** Tells a file from any other that takes its place, or from itself with another content. */
function stateOf(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : [inodeOf(stats), stats.size, stats.mtimeMs].join(" ");
}

function inodeOf(stats: Stats | undefined): string | null {
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}

/** Removes the journal of a data file that holds everything. */
export function removeJournal(file: string, place: Workplace): void {
  rmSync(journalOf(file, place), { force: true });
}

/**
 * What a killed sandbox had confirmed and not yet written into its data file; nothing when the journal belongs to
 * another content of the file. The last line may be cut: nobody was told of it.
 * @throws EdgewiseError `io` when another line can't be read
 */
export async function readJournal(file: string, place: Workplace, text: string): Promise<readonly Effect[]> {
  const path = journalOf(file, place);
  const lines = (await readIfThere(path)).split("\n").slice(0, -1);
  const [head, ...effects] = lines.map(parsed);
  if (head === undefined) return [];
  if (!isObject(head) || head["format"] !== format) throw unreadable(path, 1);
  if (head["of"] !== hashOf(text)) return [];
  return effects.map((effect, index) => {
    if (!isEffect(effect)) throw unreadable(path, index + 2);
    return effect;
  });
}

function unreadable(path: string, line: number): EdgewiseError {
  return new EdgewiseError(
    "io",
    `the journal ${path} can't be used: its line ${line} is not one that a sandbox wrote`,
    {
      remedy: "Restore the file, or move it away to go on without what the last sandbox confirmed at its end.",
    },
  );
}

async function readIfThere(path: string): Promise<string> {
  try {
    return (await readBounded(path, { most: 64 * mostBytes })).toString("utf8");
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return "";
    throw cause;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isEffect(value: unknown): value is Effect {
  if (!isObject(value) || (value["after"] !== null && !isObject(value["after"]))) return false;
  if (value["of"] === "module") return typeof value["path"] === "string";
  return (
    value["of"] === "resource" && listedKinds.some((kind) => kind === value["kind"]) && typeof value["id"] === "string"
  );
}

/** Beside the file itself, wherever a link to it is. */
function journalOf(file: string, place: Workplace): string {
  return `${fileTarget(file, place).path}.journal`;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
